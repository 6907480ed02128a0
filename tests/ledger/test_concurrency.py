import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from pathlib import Path

import pytest
from evalrouter_server.ledger import Exhausted, MustWait, Reserved, settle_orphans
from evalrouter_server.problems import Problem
from evalrouter_server.store.database import Database

from tests.ledger.money import OWNER, make_money

SPENDER = Path(__file__).with_name("spender.py")


async def test_a_hundred_at_once_never_pass_the_cap(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    outcomes = await asyncio.gather(*(money.reserve(run_id, 30) for _ in range(100)))
    reserved = [outcome for outcome in outcomes if isinstance(outcome, Reserved)]
    assert len(reserved) == 33
    assert outcomes.count(MustWait("budget")) == 67
    await asyncio.gather(*(money.settle(entry, 30) for entry in reserved))
    assert await money.reserve(run_id, 30) == Exhausted(10)
    await money.assert_sound()


async def test_one_call_asked_for_at_once_is_made_once(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    outcomes = await asyncio.gather(*(money.reserve(run_id, 10, "task/0") for _ in range(20)))
    assert sum(isinstance(outcome, Reserved) for outcome in outcomes) == 1
    assert outcomes.count(MustWait("same_call")) == 19


async def test_holds_at_once_never_pass_the_wallet_or_the_ceiling(database: Database) -> None:
    money = await make_money(database, allowance=1000, ceiling=500)
    unlimited = await money.key()
    attempts = [money.run(90) for _ in range(10)] + [money.run(90, key_id=unlimited) for _ in range(10)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert sum(isinstance(outcome, str) for outcome in outcomes) == 11
    codes = {outcome.code for outcome in outcomes if isinstance(outcome, Problem)}
    assert codes == {"insufficient_funds", "ceiling_exceeded"}
    await money.assert_sound()


async def start_spender(database_url: str, run_id: str, owner: str) -> Process:
    return await create_subprocess_exec(sys.executable, str(SPENDER), database_url, run_id, owner, stdout=PIPE)


async def test_two_processes_on_one_run_never_pass_its_cap(database: Database, database_url: str) -> None:
    money = await make_money(database)
    run_id = await money.run(2000)
    processes = [await start_spender(database_url, run_id, f"inst_{name}") for name in ("a", "b")]
    outputs = await asyncio.gather(*(process.communicate() for process in processes))
    counts = [json.loads(output) for output, _ in outputs]
    assert sum(count["reserved"] for count in counts) >= 100
    assert all(count["exhausted"] for count in counts)
    run = await money.get(run_id)
    assert (run.spent_microusd, run.reserved_microusd) == (sum(count["charged"] for count in counts), 0)
    assert 2000 - 20 < run.spent_microusd <= 2000
    await money.assert_sound()


async def test_a_killed_process_costs_at_most_what_it_had_reserved(database: Database, database_url: str) -> None:
    money = await make_money(database)
    run_id = await money.run(100_000)
    mine = await money.reserved(run_id, 10)
    spender = await start_spender(database_url, run_id, "inst_killed")
    while (await money.get(run_id)).spent_microusd < 500:
        assert spender.returncode is None
        await asyncio.sleep(0.01)
    spender.kill()
    await spender.wait()
    before = await money.get(run_id)
    await money.assert_sound()
    with pytest.raises(ValueError, match="open tries"):
        await money.end(run_id, "failed")
    lost = await database.write(lambda connection: settle_orphans(connection, [OWNER]))
    run = await money.get(run_id)
    assert run.spent_microusd == before.spent_microusd + before.reserved_microusd - 10
    assert run.reserved_microusd == 10
    assert lost == (before.reserved_microusd - 10) / 20
    assert await database.write(lambda connection: settle_orphans(connection, [OWNER])) == 0
    await money.settle(mine, 10)
    await money.assert_sound()
    await money.end(run_id)
    await money.assert_sound()
