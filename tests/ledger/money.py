"""A workspace with money and runs to spend it, for tests."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.ledger import (
    Closed,
    Lose,
    NewCall,
    Release,
    Reserve,
    Reserved,
    Settle,
    Verification,
    place_hold,
    release_hold,
    reserve,
    verify,
)
from evalrouter_server.ledger import close as close_try
from evalrouter_server.ledger.bootstrap import make_workspace
from evalrouter_server.ledger.items import ReserveOutcome
from evalrouter_server.quoting.price import Usage
from evalrouter_server.store import keys, quotes, runs
from evalrouter_server.store.database import Database
from evalrouter_server.store.runs import NewRun, RunRow
from evalrouter_server.store.tasks import PlannedTask, insert_tasks
from sqlalchemy import Connection

OWNER = "inst_00000000000000000000000001"


def insert_run(
    connection: Connection, workspace_id: str, key_id: str, cap: int, *, tasks: int = 0, status: str = "running"
) -> str:
    """Insert a quote and its run, with a hold, as a create does."""
    now = utc_now()
    quote_id, run_id = new_id("quote"), new_id("run")
    quotes.insert(
        connection,
        quotes.QuoteRow(
            id=quote_id,
            workspace_id=workspace_id,
            key_id=key_id,
            spec={},
            plan={},
            maximum_charge_microusd=cap,
            max_cost_microusd=None,
            within_max_cost=True,
            shortfall_microusd=0,
            largest_sample_count=None,
            created_at=now,
            expires_at=now + timedelta(hours=1),
        ),
    )
    run = NewRun(
        id=run_id,
        workspace_id=workspace_id,
        key_id=key_id,
        quote_id=quote_id,
        dedupe_key=run_id,
        spec_digest="",
        name=None,
        metadata={},
        benchmark={},
        model={},
        connection_id=None,
        price={},
        coverage={},
        concurrency=1,
        repeats=1,
        cap_microusd=cap,
        max_cost_microusd=None,
        maximum_charge_microusd=cap,
        selected=tasks,
        created_at=now,
        status=status,
    )
    runs.insert(connection, run)
    insert_tasks(connection, run_id, [PlannedTask(new_id("item"), 0) for _ in range(tasks)])
    place_hold(connection, workspace_id, key_id, run_id, cap)
    return run_id


@dataclass(frozen=True, slots=True)
class Money:
    """A workspace and a key in an open database."""

    database: Database
    workspace_id: str
    key_id: str

    async def run(self, cap: int, *, key_id: str | None = None) -> str:
        return await self.database.write(
            lambda connection: insert_run(connection, self.workspace_id, key_id or self.key_id, cap)
        )

    async def key(self, ceiling: int | None = None) -> str:
        new = await self.database.write(
            lambda connection: keys.create(connection, self.workspace_id, "other", ceiling_microusd=ceiling)
        )
        return new.key.id

    async def reserve(self, run_id: str, amount: int, call_key: str | None = None, **fields: Any) -> ReserveOutcome:
        call = NewCall(call_key or new_id("call"), "chat", False, "double", **fields)
        return await reserve(self.database, Reserve(run_id, call, amount, OWNER))

    async def reserved(self, run_id: str, amount: int, call_key: str | None = None, **fields: Any) -> Reserved:
        outcome = await self.reserve(run_id, amount, call_key, **fields)
        assert isinstance(outcome, Reserved), outcome
        return outcome

    async def settle(self, reserved: Reserved, charge: int, **fields: Any) -> Closed:
        values: dict[str, Any] = {"usage": Usage(output_tokens=charge), "usage_source": "reported"} | fields
        return await close_try(self.database, Settle(reserved.call_id, reserved.try_number, charge=charge, **values))

    async def release(self, reserved: Reserved) -> Closed:
        return await close_try(self.database, Release(reserved.call_id, reserved.try_number, 429, "rate limited"))

    async def lose(self, reserved: Reserved) -> Closed:
        return await close_try(self.database, Lose(reserved.call_id, reserved.try_number, "timed out"))

    async def end(self, run_id: str, status: str = "completed") -> int:
        def finish(connection: Connection) -> int:
            runs.finish(connection, run_id, status, at=utc_now())
            return release_hold(connection, run_id)

        return await self.database.write(finish)

    async def get(self, run_id: str) -> RunRow:
        row = await self.database.read(lambda connection: runs.load(connection, run_id))
        assert row is not None
        return row

    async def verify(self) -> Verification:
        return await self.database.read(lambda connection: verify(connection, self.workspace_id))

    async def assert_sound(self) -> None:
        assert (await self.verify()).differences == ()


async def make_money(database: Database, allowance: int = 1_000_000, ceiling: int | None = None) -> Money:
    """A workspace with this allowance in micro-USD and a key with this ceiling."""

    def make(connection: Connection) -> Money:
        workspace_id = new_id("ws")
        make_workspace(connection, workspace_id, "test", allowance)
        key = keys.create(connection, workspace_id, "key", keys.SCOPES, ceiling).key
        return Money(database, workspace_id, key.id)

    return await database.write(make)
