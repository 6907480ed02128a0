"""The models that can be evaluated: the providers' chat models, the workspace's connections, the built-in one."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from evalrouter_server.catalog import local_model, recorded_answers
from evalrouter_server.catalog.local_model import LocalModel
from evalrouter_server.catalog.prices import ListedModel, PriceBook
from evalrouter_server.clock import utc_now
from evalrouter_server.ids import derived_id
from evalrouter_server.quoting.plan import RECORDED_ROUTE
from evalrouter_server.quoting.price import Price
from evalrouter_server.store import connections
from evalrouter_server.store.connections import EndpointRow
from evalrouter_server.store.database import Database
from evalrouter_server.suggestions import COUNT, nearest

CONNECTION = "connection"
"""The provider's slug of connected models."""


@dataclass(frozen=True, slots=True)
class CatalogModel:
    """A model as it can be named and called.

    Attributes:
        id: Its ID, derived from provider and slug, the same on every server; a connection's own for a connected model.
        slug: `gpt-5`, or `connection:NAME`.
        provider: The provider's slug: `openai`, `connection`, `local`.
        name: Its display name.
        is_makers: Whether the bare slug means this one.
        price: Its price now; None where it has none.
        context_window: Tokens; None where not known.
        upstream_name: The name that its endpoint knows it by.
        route: The way there, for `gateway.routing.Router`.
        unavailable_reason: What to do to make it callable; None where it is.
        connection_id: The connection that leads to it, if one does.
    """

    id: str
    slug: str
    provider: str
    name: str
    is_makers: bool
    price: Price | None
    context_window: int | None
    upstream_name: str
    route: str
    unavailable_reason: str | None
    connection_id: str | None = None

    @property
    def reference(self) -> str:
        """The name that means no other: `provider/slug`, or `connection:NAME`."""
        return self.slug if self.connection_id is not None else f"{self.provider}/{self.slug}"

    @property
    def callable(self) -> bool:
        """Whether it can be called now."""
        return self.unavailable_reason is None

    def is_named(self, text: str) -> bool:
        """Whether a text names it, letter case aside.

        Args:
            text: Its ID or its reference; of a maker's model also its slug or display name.
        """
        names = [self.id, self.reference]
        if self.is_makers:
            names += [self.slug, self.name]
        return text.casefold() in (name.casefold() for name in names)


class ModelCatalog:
    """Every model that a workspace can name.

    Args:
        database: Where connections are.
        prices: What the providers' models cost.
        local: The built-in model.
        environment: Where the providers' keys are; the process's own by default, read at each question.
    """

    def __init__(
        self,
        database: Database,
        prices: PriceBook,
        local: LocalModel,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._database = database
        self._prices = prices
        self._local = local
        self._environment = os.environ if environment is None else environment

    async def models(self, workspace_id: str) -> list[CatalogModel]:
        """All that can be asked: the built-in one, the workspace's connections, then the providers' by reference.

        Args:
            workspace_id: Whose connections count.
        """
        rows = await self._database.read(lambda connection: connections.list_all(connection, workspace_id))
        connected = sorted((self._connected(row) for row in rows), key=lambda model: model.reference)
        return [self._built_in(), *connected, *map(self._provided, self._listed.values())]

    async def get(self, workspace_id: str, model_id: str) -> CatalogModel | None:
        """The model with this ID, or None.

        Args:
            workspace_id: Whose connections count.
            model_id: An exact ID.
        """
        if (listed := self._listed.get(model_id)) is not None:
            return self._provided(listed)
        if model_id == BUILT_IN_ID:
            return self._built_in()
        if model_id == RECORDED.id:
            return RECORDED
        rows = await self._database.read(lambda connection: connections.list_all(connection, workspace_id))
        return next((self._connected(row) for row in rows if row.model_id == model_id), None)

    async def match(self, workspace_id: str, text: str) -> list[CatalogModel]:
        """The models that a text names exactly, letter case aside; never by a prefix or nearly.

        Args:
            workspace_id: Whose connections count.
            text: An ID, a maker's slug or display name, `provider/slug`, or `connection:NAME`.
        """
        return [model for model in (RECORDED, *await self.models(workspace_id)) if model.is_named(text)]

    async def suggestions(self, workspace_id: str, text: str) -> list[str]:
        """The names that look most like one that means nothing, best first; the same without its provider comes first.

        Args:
            workspace_id: Whose connections count.
            text: What was asked for.
        """
        names = [model.slug if model.is_makers else model.reference for model in await self.models(workspace_id)]
        ends = tuple(f"{mark}{text.casefold()}" for mark in (":", "/"))
        same = [name for name in names if name.casefold().endswith(ends)]
        return list(dict.fromkeys([*same, *nearest(text, names)]))[:COUNT]

    @cached_property
    def _listed(self) -> dict[str, ListedModel]:
        return {_listed_id(listed): listed for listed in self._prices.models()}

    def _provided(self, listed: ListedModel) -> CatalogModel:
        provider, slug = listed.provider, listed.slug
        return CatalogModel(
            id=_listed_id(listed),
            slug=slug,
            provider=provider.id,
            name=listed.name,
            is_makers=provider.is_maker_of(slug),
            price=self._prices.price(provider.id, slug, utc_now()),
            context_window=listed.context_window,
            upstream_name=f"{provider.upstream_prefix}{slug}",
            route=f"provider:{provider.id}",
            unavailable_reason=None if provider.key(self._environment) else provider.missing_key,
        )

    def _connected(self, row: EndpointRow) -> CatalogModel:
        missing = row.key_env is not None and not self._environment.get(row.key_env)
        return CatalogModel(
            id=row.model_id,
            slug=f"{CONNECTION}:{row.name}",
            provider=CONNECTION,
            name=f"{row.upstream_model} by {row.name}",
            is_makers=True,
            price=Price.model_validate(row.price),
            context_window=None,
            upstream_name=row.upstream_model,
            route=f"{CONNECTION}:{row.id}",
            unavailable_reason=f"set {row.key_env} in the server's environment" if missing else None,
            connection_id=row.id,
        )

    def _built_in(self) -> CatalogModel:
        return CatalogModel(
            id=BUILT_IN_ID,
            slug=local_model.SLUG,
            provider=local_model.PROVIDER,
            name=local_model.NAME,
            is_makers=True,
            price=self._local.price,
            context_window=local_model.CONTEXT_WINDOW,
            upstream_name=local_model.SLUG,
            route=f"local:{local_model.SLUG}",
            unavailable_reason=self._local.unavailable_reason(),
        )


def connected_model_id(workspace_id: str, connection_id: str) -> str:
    """The ID of a connection's model.

    Args:
        workspace_id: The connection's workspace.
        connection_id: The connection.
    """
    return derived_id("model", CONNECTION, workspace_id, connection_id)


def _listed_id(listed: ListedModel) -> str:
    return derived_id("model", listed.provider.id, listed.slug)


BUILT_IN_ID = derived_id("model", local_model.PROVIDER, local_model.SLUG)
"""The ID of the built-in model."""

RECORDED = CatalogModel(
    id=derived_id("model", recorded_answers.PROVIDER, recorded_answers.SLUG),
    slug=recorded_answers.SLUG,
    provider=recorded_answers.PROVIDER,
    name=recorded_answers.NAME,
    is_makers=False,
    price=recorded_answers.price(),
    context_window=None,
    upstream_name=recorded_answers.SLUG,
    route=RECORDED_ROUTE,
    unavailable_reason=None,
)
"""Stands for the answers that a benchmark's items came with; named by its ID and `traces/recorded`, never listed."""
