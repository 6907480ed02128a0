"""A gateway before a provider's double, with a run that pays, and a look at what the ledger wrote."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from evalrouter_server.gateway.completion import Completion
from evalrouter_server.gateway.dialects import Dialect
from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.ids import new_id
from evalrouter_server.quoting.price import Price
from evalrouter_server.store import calls
from evalrouter_server.store.calls import CallWithTries
from evalrouter_server.store.database import Database
from evalrouter_server.store.runs import RunRow

from tests.ledger.money import OWNER, Money, make_money

PRICE = Price(
    input_usd_per_mtok=Decimal(2),
    output_usd_per_mtok=Decimal(10),
    cached_input_usd_per_mtok=Decimal("0.5"),
    source="test",
    version="1",
)
SECRET = "sk-upstream-secret"
QUESTION: dict[str, Any] = {
    "model": "double",
    "messages": [{"role": "user", "content": "What is the capital of France?"}],
    "max_tokens": 100,
}


@dataclass(frozen=True, slots=True)
class Bench:
    """What a test of the gateway needs."""

    gateway: Gateway
    money: Money
    route: RunRoute

    async def complete(
        self, body: dict[str, Any] | None = None, *, key: str | None = None, **fields: Any
    ) -> Completion:
        return await self.gateway.complete(
            self.route, body or QUESTION, call_key=key or new_id("call"), task_id="task_test", **fields
        )

    async def run(self) -> RunRow:
        return await self.money.get(self.route.run_id)

    async def calls(self) -> Sequence[CallWithTries]:
        run_id = self.route.run_id
        return (await self.money.database.read(lambda connection: calls.list_page(connection, run_id))).items

    async def call(self) -> CallWithTries:
        (only,) = await self.calls()
        return only

    async def tries(self) -> list[tuple[str, int, int | None]]:
        """Status, charge and HTTP status of each try of the only call."""
        return [(entry.status, entry.charge_microusd, entry.http_status) for entry in (await self.call()).tries]

    async def assert_sound(self) -> None:
        """The ledger adds up and nothing is left open."""
        await self.money.assert_sound()
        run = await self.run()
        assert run.reserved_microusd == 0
        assert run.spent_microusd == sum(entry.call.charge_microusd for entry in await self.calls())
        assert run.spent_microusd <= run.cap_microusd


@contextlib.asynccontextmanager
async def open_bench(
    database: Database,
    base_url: str,
    *,
    cap: int = 100_000,
    price: Price = PRICE,
    dialect: Dialect | None = None,
    seconds_per_try: float = 5.0,
) -> AsyncIterator[Bench]:
    money = await make_money(database)
    run_id = await money.run(cap)
    upstream = Upstream(base_url, SECRET, "double", dialect or Dialect())

    async def connect() -> Upstream:
        return upstream

    route = RunRoute(
        run_id=run_id,
        model_name="double",
        model_names=frozenset({"double"}),
        price=price,
        output_token_limit=256,
        connect=connect,
        seconds_per_call=20.0,
    )
    gateway = Gateway(database, OWNER, seconds_per_try=seconds_per_try)
    try:
        yield Bench(gateway, money, route)
    finally:
        await gateway.close(1.0)


def with_cap(bench: Bench, run_id: str) -> Bench:
    """The same bench with another run."""
    return replace(bench, route=replace(bench.route, run_id=run_id))
