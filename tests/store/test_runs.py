import asyncio
from dataclasses import fields
from typing import Any

import pytest
from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.store import events, quotes, runs, tasks
from evalrouter_server.store.database import Database
from evalrouter_server.store.results import NewResult
from evalrouter_server.store.runs import NewRun, RunRow
from evalrouter_server.store.tasks import Claim, TaskCounts
from sqlalchemy import Connection

from tests.ledger.money import OWNER, Money, insert_run, make_money


def twin(run: RunRow) -> NewRun:
    values: dict[str, Any] = {field.name: getattr(run, field.name) for field in fields(NewRun)}
    return NewRun(**values | {"id": new_id("run")})


async def test_creates_that_mean_the_same_give_one_run(database: Database, database_url: str) -> None:
    money = await make_money(database)
    first = await money.get(await money.run(10))
    other = await Database.open(database_url)
    fresh = [NewRun(**{f.name: getattr(twin(first), f.name) for f in fields(NewRun)} | {"dedupe_key": "k"})]
    fresh += [NewRun(**{f.name: getattr(fresh[0], f.name) for f in fields(NewRun)} | {"id": new_id("run")})]
    outcomes = await asyncio.gather(
        database.write(lambda connection: runs.insert(connection, twin(first))),
        database.write(lambda connection: runs.insert(connection, fresh[0])),
        other.write(lambda connection: runs.insert(connection, fresh[1])),
    )
    await other.close()
    assert outcomes[0] == (first, False)
    assert outcomes[1][0].id == outcomes[2][0].id
    assert sorted((outcomes[1][1], outcomes[2][1])) == [False, True]


async def test_a_quote_starts_one_run(database: Database) -> None:
    money = await make_money(database)
    run = await money.get(await money.run(10))
    assert await database.write(lambda connection: quotes.use(connection, run.quote_id, run.id))
    assert not await database.write(lambda connection: quotes.use(connection, run.quote_id, new_id("run")))
    quote = await database.read(lambda connection: quotes.get(connection, money.workspace_id, run.quote_id))
    assert quote is not None
    assert quote.run_id == run.id
    assert await database.read(lambda connection: quotes.get(connection, "ws_other", run.quote_id)) is None


async def test_an_ended_run_never_changes(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(10)

    async def move(status: str, *expected: str) -> bool:
        return await database.write(
            lambda connection: runs.set_status(connection, run_id, status, expected=expected, at=utc_now(), reason="r")
        )

    assert await move("paused", "running")
    assert not await move("cancelling", "running")
    assert await move("running", "paused", "queued")
    started = (await money.get(run_id)).started_at
    assert await move("paused", "running")
    assert await move("running", "paused")
    assert (await money.get(run_id)).started_at == started
    assert await database.write(
        lambda connection: runs.finish(connection, run_id, "partial", at=utc_now(), score=0.5, reason="why")
    )
    ended = await money.get(run_id)
    assert (ended.has_ended, ended.score, ended.status_reason) == (True, 0.5, "why")
    assert not await database.write(lambda connection: runs.finish(connection, run_id, "failed", at=utc_now()))
    assert not await move("running", "queued", "running", "paused", "cancelling")
    assert await money.get(run_id) == ended
    with pytest.raises(ValueError, match="has ended and never changes"):
        await move("running", "partial")
    with pytest.raises(ValueError, match="does not end a run"):
        await database.write(lambda connection: runs.finish(connection, run_id, "paused", at=utc_now()))


async def test_events_are_numbered_without_a_gap(database: Database, database_url: str) -> None:
    money = await make_money(database)
    run_id = await money.run(10)
    other = await Database.open(database_url)

    async def happen(where: Database, number: int) -> int:
        def write(connection: Connection) -> int:
            seq = events.append(connection, run_id, "task.graded", {"number": number}, utc_now())
            if number % 5 == 0:
                raise ValueError("undone")
            return seq

        return await where.write(write)

    outcomes = await asyncio.gather(
        *(happen(where, number) for number in range(20) for where in (database, other)), return_exceptions=True
    )
    await other.close()
    numbers = sorted(outcome for outcome in outcomes if isinstance(outcome, int))
    assert numbers == list(range(1, 33))
    rows = await database.read(lambda connection: events.after(connection, run_id, 30, 10))
    assert [(row.seq, row.type) for row in rows] == [(31, "task.graded"), (32, "task.graded")]
    assert await database.read(lambda connection: events.last_seq(connection, run_id)) == 32
    with pytest.raises(LookupError):
        await database.write(lambda connection: events.append(connection, "run_ghost", "run.ended", {}, utc_now()))


async def run_with_tasks(money: Money, count: int) -> str:
    return await money.database.write(
        lambda connection: insert_run(connection, money.workspace_id, money.key_id, 10, tasks=count)
    )


async def claim_next(database: Database, run_id: str, owner: str = OWNER) -> Claim | None:
    claims = await database.write(lambda connection: tasks.claim(connection, run_id, owner, utc_now(), limit=1))
    return claims[0] if claims else None


async def test_lanes_of_two_processes_claim_each_task_once(database: Database, database_url: str) -> None:
    money = await make_money(database)
    run_id = await run_with_tasks(money, 30)
    other = await Database.open(database_url)
    claims = await asyncio.gather(*(claim_next(where, run_id) for _ in range(20) for where in (database, other)))
    await other.close()
    held = [entry for entry in claims if entry is not None]
    assert sorted(entry.position for entry in held) == list(range(30))
    counts = await database.read(lambda connection: tasks.counts(connection, run_id))
    assert counts == TaskCounts(claimed=30)


async def test_a_stale_claim_writes_nothing(database: Database) -> None:
    money = await make_money(database)
    run_id = await run_with_tasks(money, 1)
    stale = await claim_next(database, run_id, "inst_dead")
    assert stale is not None
    live = await database.write(lambda connection: tasks.give_back_orphans(connection, ["inst_dead"], run_id))
    assert live == 0
    assert await database.write(lambda connection: tasks.give_back_orphans(connection, [OWNER], run_id)) == 1
    fresh = await claim_next(database, run_id)
    assert fresh is not None
    assert fresh.fence == stale.fence + 1
    result = NewResult("failed", {}, {}, utc_now(), error={"code": "timeout", "message": "m"})
    assert not await database.write(lambda connection: tasks.record(connection, [(stale, result)]))
    assert not await database.write(lambda connection: tasks.give_back(connection, stale))
    assert await database.write(lambda connection: tasks.record(connection, [(fresh, result)]))
    assert not await database.write(lambda connection: tasks.record(connection, [(fresh, result)]))
    assert await database.read(lambda connection: tasks.counts(connection, run_id)) == TaskCounts(failed=1)
    assert (await money.get(run_id)).failed == 1


async def test_only_a_running_run_gives_out_tasks_and_the_rest_is_dropped(database: Database) -> None:
    money = await make_money(database)
    run_id = await run_with_tasks(money, 3)
    held = await claim_next(database, run_id)
    assert held is not None
    await database.write(
        lambda connection: runs.set_status(connection, run_id, "cancelling", expected=["running"], at=utc_now())
    )
    assert await claim_next(database, run_id) is None
    assert await database.write(lambda connection: tasks.drop_pending(connection, run_id)) == 2
    assert await database.write(lambda connection: tasks.give_back(connection, held))
    counts = await database.read(lambda connection: tasks.counts(connection, run_id))
    assert (counts.dropped, counts.pending, counts.unfinished) == (2, 1, 1)


async def test_flags_are_put_once(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(10)
    for flags in (("a", "b", "a"), ("b", "c")):
        await database.write(lambda connection, flags=flags: runs.add_flags(connection, run_id, *flags))  # type: ignore[misc]
    assert (await money.get(run_id)).flags == ["a", "b", "c"]
