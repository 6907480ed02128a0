"""From a run's frozen plan to the endpoint that its calls go to."""

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from evalrouter_server.catalog.local_model import LocalModel
from evalrouter_server.catalog.providers import PROVIDERS
from evalrouter_server.gateway.dialects import Dialect, dialect_of, dialect_of_endpoint
from evalrouter_server.problems import Problem
from evalrouter_server.quoting.plan import Plan, PlannedModel
from evalrouter_server.quoting.price import Price
from evalrouter_server.secrets import SecretBox
from evalrouter_server.store import connections
from evalrouter_server.store.connections import EndpointRow
from evalrouter_server.store.database import Database

SECONDS_A_CONNECTION_IS_KNOWN = 0.2
"""Calls that begin side by side read their connection once; a change of it is seen this much later at most."""

SECONDS_PER_CALL = 600.0
"""The most time that a call may take, waits and retries included, where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """An endpoint that a call is sent to.

    Attributes:
        base_url: The root of its OpenAI-compatible interface.
        api_key: Its key; None: it wants none. Never shown.
        model: The name that it knows the model by.
        dialect: What it wants and reports.
    """

    base_url: str
    api_key: str | None = field(repr=False)
    model: str
    dialect: Dialect


@dataclass(frozen=True, slots=True)
class RunRoute:
    """A run's way to its model; the calls of everything in the run take it.

    Attributes:
        run_id: The run.
        model_name: The name that requests give the model.
        model_names: Every name that requests may give it.
        price: The price frozen in the quote.
        output_token_limit: The output limit of a call that names none, in tokens.
        connect: Gives the endpoint; starts a local one that is not running. Raises `Problem` where there is none.
        gateway_key_id: The gateway key that the calls come with; None for the built-in runner.
        seconds_per_call: The most time that a call may take, waits and retries included.
    """

    run_id: str
    model_name: str
    model_names: frozenset[str]
    price: Price
    output_token_limit: int
    connect: Callable[[], Awaitable[Upstream]]
    gateway_key_id: str | None = None
    seconds_per_call: float = SECONDS_PER_CALL


class Router:
    """Makes routes.

    Args:
        database: Where connections are.
        box: Opens their keys.
        local: The built-in model.
        environment: Where keys are; the process's own by default, read at each call.
    """

    def __init__(
        self, database: Database, box: SecretBox, local: LocalModel, environment: Mapping[str, str] | None = None
    ) -> None:
        self._database = database
        self._box = box
        self._local = local
        self._environment = os.environ if environment is None else environment
        self._known: dict[str, tuple[float, EndpointRow | None]] = {}

    def route(
        self,
        run_id: str,
        plan: Plan,
        *,
        gateway_key_id: str | None = None,
        seconds_per_call: float = SECONDS_PER_CALL,
    ) -> RunRoute:
        """The route of a run to the model that is evaluated.

        Args:
            run_id: The run.
            plan: Its frozen plan, which names the model, the price and the output limit.
            gateway_key_id: The gateway key that its calls come with, if any.
            seconds_per_call: The most time that a call may take, in seconds.

        Raises:
            Problem: `no_model`.
        """
        if plan.model is None:
            raise Problem("no_model", f"{run_id} has no model: its agent brings its own.")
        route = self._route_to(
            plan.model,
            run_id,
            output_token_limit=plan.output_token_limit,
            gateway_key_id=gateway_key_id,
            seconds_per_call=seconds_per_call,
        )
        if plan.agent is None:
            return route
        return replace(route, model_names=route.model_names | {*plan.agent.model_aliases})

    def judge_route(self, run_id: str, plan: Plan, *, seconds_per_call: float = SECONDS_PER_CALL) -> RunRoute | None:
        """The route of a run to its judge, which only the grader takes; None where it has none.

        Args:
            run_id: The run.
            plan: Its frozen plan.
            seconds_per_call: The most time that a call may take, in seconds.
        """
        if plan.judge is None:
            return None
        return self._route_to(
            plan.judge.model,
            run_id,
            output_token_limit=plan.judge.output_token_limit,
            gateway_key_id=None,
            seconds_per_call=seconds_per_call,
        )

    def _route_to(
        self,
        model: PlannedModel,
        run_id: str,
        *,
        output_token_limit: int,
        gateway_key_id: str | None,
        seconds_per_call: float,
    ) -> RunRoute:
        async def connect() -> Upstream:
            return await self._connect(model)

        return RunRoute(
            run_id=run_id,
            model_name=model.slug,
            model_names=frozenset({model.slug, f"{model.provider}/{model.slug}", model.id, model.upstream_name}),
            price=model.price,
            output_token_limit=output_token_limit,
            connect=connect,
            gateway_key_id=gateway_key_id,
            seconds_per_call=seconds_per_call,
        )

    async def _connect(self, model: PlannedModel) -> Upstream:
        kind, _, place = model.route.partition(":")
        if model.is_recorded:
            raise Problem("model_unavailable", "the run's answers were recorded before it, so no model can be called")
        if kind == "connection":
            return await self._connection(place, model)
        if kind == "local":
            server = await self._local.running()
            return Upstream(server.base_url, server.api_key, model.upstream_name, dialect_of("local", model.slug))
        provider = PROVIDERS[place]
        key = provider.key(self._environment)
        if key is None:
            raise Problem("model_unavailable", f"{model.slug} cannot be called: {provider.missing_key}")
        return Upstream(provider.base_url, key, model.upstream_name, dialect_of(provider.id, model.slug))

    async def _connection(self, connection_id: str, model: PlannedModel) -> Upstream:
        row = await self._read(connection_id)
        if row is None or row.deleted_at is not None:
            raise Problem("model_unavailable", f"the connection of {model.slug} was deleted; make it again")
        key = None
        if row.key_env is not None:
            key = self._environment.get(row.key_env)
            if not key:
                raise Problem("model_unavailable", f"{model.slug} needs {row.key_env} in the server's environment")
        elif row.key_encrypted is not None:
            key = self._box.unseal(row.key_encrypted).decode()
        return Upstream(row.base_url, key, model.upstream_name, dialect_of_endpoint(row.base_url, model.upstream_name))

    async def _read(self, connection_id: str) -> EndpointRow | None:
        now = time.monotonic()
        read_at, row = self._known.get(connection_id, (-SECONDS_A_CONNECTION_IS_KNOWN, None))
        if now - read_at >= SECONDS_A_CONNECTION_IS_KNOWN:
            row = await self._database.read(lambda connection: connections.load(connection, connection_id))
            self._known = {known: entry for known, entry in self._known.items() if now - entry[0] < 1}
            self._known[connection_id] = now, row
        return row
