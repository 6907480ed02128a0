"""The gateway: the one place where model calls are made, for the built-in runner and, over HTTP, for others."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

from evalrouter_server.gateway.chat import ChatWire
from evalrouter_server.gateway.chat_request import adapt_to_dialect
from evalrouter_server.gateway.completion import Completion
from evalrouter_server.gateway.exchange import Exchange
from evalrouter_server.gateway.metering import Call, CallFailed, Meter, Owner, RunStopped
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.upstream import UpstreamClient
from evalrouter_server.gateway.wire import RequestRefused, Wire
from evalrouter_server.ledger.items import NewCall
from evalrouter_server.problems import Problem
from evalrouter_server.quoting.price import worst_case_microusd
from evalrouter_server.store.database import Database

SECONDS_PER_TRY = 300.0
"""The most time that one try may take, in seconds."""


class Gateway:
    """Makes and meters model calls. Close it before the database.

    Args:
        database: Where the ledger is.
        owner: This process instance, which recovery knows the open tries by, or what gives it.
        client: Sends the requests; one of its own by default.
        seconds_per_try: The most time that one try may take, in seconds.

    Attributes:
        ended: How many calls of this process were settled, and how many came to nothing.
    """

    def __init__(
        self,
        database: Database,
        owner: str | Owner,
        *,
        client: UpstreamClient | None = None,
        seconds_per_try: float = SECONDS_PER_TRY,
    ) -> None:
        self._meter = Meter(database, _always(owner) if isinstance(owner, str) else owner)
        self._client = client or UpstreamClient()
        self._seconds_per_try = seconds_per_try
        self._chat = ChatWire()
        self._under_way: dict[asyncio.Task[Completion], str] = {}
        self.ended: Counter[str] = Counter(settled=0, failed=0)

    async def complete(
        self,
        route: RunRoute,
        body: Mapping[str, Any],
        *,
        call_key: str,
        task_id: str | None = None,
        seconds: float | None = None,
    ) -> Completion:
        """Make a chat call and wait for its answer.

        A caller that is cancelled meanwhile leaves the call going on to be settled.

        Args:
            route: The run's way to its model.
            body: A chat request that is not streamed.
            call_key: Names the call within its run: one that was settled before is replayed, never made again.
            task_id: The task that it belongs to.
            seconds: The most time for the call, waits and retries included; the route's by default.

        Returns:
            The settled call.

        Raises:
            BudgetExhausted: The run's cap cannot pay for it.
            CallFailed: It came to nothing, or was refused.
            RunStopped: The run takes no new calls, or the gateway was closed meanwhile.
        """
        try:
            exchange, task = await self.start(
                route, self._chat, body, call_key=call_key, task_id=task_id, seconds=seconds, built_in=True
            )
        except RequestRefused as error:
            raise CallFailed(error.code, error.message, status=error.status) from None
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            exchange.abandon()
            caller = asyncio.current_task()
            if task.cancelled() and not (caller and caller.cancelling()):
                raise RunStopped(route.run_id, "interrupted") from None
            raise

    async def start(
        self,
        route: RunRoute,
        wire: Wire,
        body: Mapping[str, Any],
        *,
        call_key: str,
        task_id: str | None = None,
        seconds: float | None = None,
        headers: Mapping[str, str] | None = None,
        built_in: bool = False,
    ) -> tuple[Exchange, asyncio.Task[Completion]]:
        """Start a call.

        Args:
            route: The run's way to its model.
            wire: The request's format.
            body: The request.
            call_key: Names the call within its run.
            task_id: The task that it belongs to.
            seconds: The most time for the call; the route's by default.
            headers: The caller's headers, by names in lower case; none by default.
            built_in: Whether it is the built-in runner's: then it is put in the model's own words, and its answer
                is kept for a replay.

        Returns:
            The call, and its task, which ends with the settled call or what `complete` raises.

        Raises:
            CallFailed: There is no endpoint, or the provider exceeded what the run's calls are bounded by.
            RequestRefused: The request is malformed, names another model, or cannot be bounded.
        """
        upstream = await _connect(route)
        try:
            prepared = wire.prepare(adapt_to_dialect(body, upstream) if built_in else body, route, upstream)
        except RecursionError:
            raise RequestRefused("invalid_request", "the request is nested too deeply") from None
        call = Call(
            run_id=route.run_id,
            price=route.price,
            worst_case_microusd=worst_case_microusd(route.price, prepared.input_tokens, prepared.output_tokens),
            new=NewCall(
                call_key=call_key,
                wire=wire.name,
                streamed=prepared.streamed,
                model_requested=prepared.model_requested,
                task_id=task_id,
                gateway_key_id=route.gateway_key_id,
            ),
            deadline=asyncio.get_running_loop().time() + (seconds or route.seconds_per_call),
        )
        exchange = Exchange(
            meter=self._meter,
            client=self._client,
            wire=wire,
            upstream=upstream,
            prepared=prepared,
            headers=wire.headers(upstream, headers or {}),
            call=call,
            seconds_per_try=self._seconds_per_try,
            keeps_answer=built_in,
        )
        task = asyncio.create_task(exchange.run(), name=f"call {call_key}")
        self._under_way[task] = route.run_id
        task.add_done_callback(self._ended)
        return exchange, task

    @property
    def calls_under_way(self) -> int:
        """How many calls go on in this process."""
        return len(self._under_way)

    def has_calls(self, run_id: str) -> bool:
        """Whether a call of the run is under way in this process."""
        return run_id in self._under_way.values()

    async def close(self, seconds: float = 10.0) -> None:
        """Let the calls under way finish for a while, settle the rest as lost, and close the connections.

        Args:
            seconds: How long to let them finish, in seconds.
        """
        if self._under_way:
            _, late = await asyncio.wait(self._under_way, timeout=seconds)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)
        await self._client.close()

    def _ended(self, task: asyncio.Task[Completion]) -> None:
        self._under_way.pop(task, None)
        failed = task.cancelled() or task.exception() is not None
        self.ended["failed" if failed else "settled"] += 1


async def _connect(route: RunRoute) -> Upstream:
    try:
        return await route.connect()
    except Problem as problem:
        raise CallFailed(problem.code, problem.message, status=503) from None


def _always(instance_id: str) -> Owner:
    async def owner() -> str:
        return instance_id

    return owner
