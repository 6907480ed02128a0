import asyncio
from typing import Any

import pytest
from evalrouter_server.clock import utc_now
from evalrouter_server.ledger import read_wallet, top_up
from evalrouter_server.ledger.accounts import FUNDING, WALLET, hold_account, spend_account
from evalrouter_server.ledger.checkpoints import HOLDS, SPENDS, are_due, balances, make_due, newest
from evalrouter_server.problems import Problem
from evalrouter_server.store.database import Database
from evalrouter_server.store.tables import ledger_checkpoints, ledger_entries
from sqlalchemy import Connection, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from tests.ledger.money import Money, make_money


async def make(database: Database, interval: int = 1) -> int:
    return await database.write_alone(lambda connection: make_due(connection, interval))


async def spend(money: Money, run_id: str, *charges: int) -> None:
    for charge in charges:
        await money.settle(await money.reserved(run_id, 100), charge)


async def read(money: Money, *accounts: str) -> dict[str, int]:
    return await money.database.read(lambda connection: balances(connection, money.workspace_id, accounts))


async def test_a_balance_is_the_same_with_and_without_checkpoints(database: Database) -> None:
    money = await make_money(database, 10_000)
    other = await make_money(database, 77)
    first, second = await money.run(1000), await money.run(2000)
    accounts = (FUNDING, WALLET, HOLDS, SPENDS, hold_account(first), spend_account(first), spend_account(second))
    for workspaces, charges in ((2, (10, 20)), (1, (30,)), (0, ())):
        await spend(money, first, *charges)
        before = await read(money, *accounts)
        wallet = await database.read(lambda connection: read_wallet(connection, money.workspace_id))
        assert await make(database) == workspaces
        assert await read(money, *accounts) == before
        assert await database.read(lambda connection: read_wallet(connection, money.workspace_id)) == wallet
        await money.assert_sound()
    await money.end(first)
    assert await read(money, *accounts) == {
        FUNDING: -10_000,
        WALLET: 10_000 - 60 - 2000,
        HOLDS: 2000,
        SPENDS: 60,
        hold_account(first): 0,
        spend_account(first): 60,
        spend_account(second): 0,
    }
    assert await read(other, WALLET, HOLDS) == {WALLET: 77, HOLDS: 0}
    await make(database)
    assert (await read(money, WALLET, HOLDS)) == {WALLET: 7940, HOLDS: 2000}
    await money.assert_sound()


async def test_one_is_made_once_it_is_due_and_has_only_what_changed(database: Database) -> None:
    money = await make_money(database, 10_000)
    run_id = await money.run(1000)
    assert await make(database, interval=7) == 0
    await spend(money, run_id, 5)
    assert await database.read(lambda connection: are_due(connection, 7)) == [money.workspace_id]
    assert await make(database, interval=7) == 1
    assert await make(database, interval=1) == 0
    await spend(money, run_id, 5)
    assert await make(database, interval=2) == 1

    def accounts(connection: Connection) -> set[str]:
        at = newest(connection, money.workspace_id)
        return set(connection.scalars(select(ledger_checkpoints.c.account).where(ledger_checkpoints.c.position == at)))

    assert await database.read(accounts) == {hold_account(run_id), spend_account(run_id), HOLDS, SPENDS}


async def test_none_misses_an_entry_that_others_are_writing(database: Database, database_url: str) -> None:
    money = await make_money(database, 10_000)
    second = await Database.open(database_url)
    try:
        one, two = await money.run(4000), await money.run(4000)
        elsewhere = Money(second, money.workspace_id, money.key_id)

        async def checkpoint() -> None:
            for owner in (database, second) * 10:
                await make(owner)
                await asyncio.sleep(0.001)

        lanes = [spend(who, run, *[1] * 10) for who, run in ((money, one), (elsewhere, two)) for _ in range(3)]
        await asyncio.gather(checkpoint(), *lanes)
        assert await read(money, SPENDS, WALLET) == {SPENDS: 60, WALLET: 2000}
        await money.assert_sound()
    finally:
        await second.close()


async def test_one_that_differs_from_the_entries_below_it_is_found(database: Database) -> None:
    money = await make_money(database, 10_000)
    await make(database)
    await spend(money, await money.run(1000), 5)
    forged: dict[str, Any] = {
        "workspace_id": money.workspace_id,
        "position": await database.read(
            lambda connection: connection.scalar(select(func.max(ledger_entries.c.position)))
        ),
        "made_at": utc_now(),
    }

    def forge(connection: Connection) -> None:
        rows = [forged | {"account": WALLET, "balance_microusd": 9001}]
        connection.execute(insert(ledger_checkpoints), rows)

    await database.write(forge)
    found = [entry for entry in (await money.verify()).differences if "checkpoint" in entry.what]
    assert (f"{WALLET} at {forged['position']}", 9000, 9001) in [
        (entry.reference, entry.expected_microusd, entry.found_microusd) for entry in found
    ]
    assert {entry.reference.split(" ")[0] for entry in found} >= {WALLET, HOLDS, SPENDS}
    assert (await read(money, WALLET))[WALLET] == 9001


@pytest.mark.parametrize(
    "change", ["UPDATE ledger_checkpoints SET balance_microusd = 1", "DELETE FROM ledger_checkpoints"]
)
async def test_its_rows_are_never_changed_or_removed(database: Database, change: str) -> None:
    await make_money(database)
    await make(database)
    with pytest.raises(DBAPIError, match="never changed or removed"):
        await database.write(lambda connection: connection.execute(text(change)))


async def test_top_ups_stay_within_what_the_ledger_can_count(database: Database) -> None:
    money = await make_money(database, 10**18 - 5)
    add = [lambda connection, n=n: top_up(connection, money.workspace_id, n) for n in (6, 5, 1)]
    with pytest.raises(Problem, match=r"top up at most 0\.000005 USD, not 0\.000006 USD"):
        await database.write(add[0])
    assert (await database.write(add[1])).balance_microusd == 10**18
    with pytest.raises(Problem, match=r"top up at most 0\.00 USD"):
        await database.write(add[2])
    await money.assert_sound()
