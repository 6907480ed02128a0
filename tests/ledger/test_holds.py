from typing import Any

import pytest
from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.ledger import bootstrap, place_hold, read_wallet, release_hold, statement, top_up
from evalrouter_server.ledger.accounts import Transaction
from evalrouter_server.problems import Problem
from evalrouter_server.store import keys
from evalrouter_server.store.database import Database
from sqlalchemy import Connection

from tests.ledger.money import Money, make_money


async def wallet(money: Money) -> tuple[int, int, int]:
    read = await money.database.read(lambda connection: read_wallet(connection, money.workspace_id))
    return read.balance_microusd, read.held_microusd, read.available_microusd


async def committed(money: Money) -> int:
    key = await money.database.read(lambda connection: keys.get(connection, money.workspace_id, money.key_id))
    assert key is not None
    return key.committed_microusd


async def test_a_hold_is_the_cap_and_what_was_not_spent_comes_back(database: Database) -> None:
    money = await make_money(database, allowance=1000)
    run_id = await money.run(600)
    assert await wallet(money) == (1000, 600, 400)
    assert await committed(money) == 600
    await money.settle(await money.reserved(run_id, 100), 80)
    assert await wallet(money) == (920, 520, 400)
    assert await money.end(run_id) == 520
    assert await wallet(money) == (920, 0, 920)
    assert await committed(money) == 80
    assert await money.end(run_id) == 0
    assert await wallet(money) == (920, 0, 920)
    await money.assert_sound()


async def test_a_hold_beyond_the_wallet_is_refused_and_names_the_runs_that_hold_it(database: Database) -> None:
    money = await make_money(database, allowance=1000)
    small, large = await money.run(100), await money.run(700)
    with pytest.raises(Problem) as refused:
        await money.run(201)
    assert refused.value.code == "insufficient_funds"
    assert refused.value.details == {
        "needed_microusd": 201,
        "available_microusd": 200,
        "holding_runs": [
            {"run_id": large, "name": None, "held_microusd": 700},
            {"run_id": small, "name": None, "held_microusd": 100},
        ],
    }
    assert "0.000201 USD" in refused.value.message
    assert await wallet(money) == (1000, 800, 200)
    await money.run(200)
    await money.assert_sound()


async def test_a_hold_beyond_the_ceiling_is_refused(database: Database) -> None:
    money = await make_money(database, allowance=10_000, ceiling=500)
    run_id = await money.run(300)
    with pytest.raises(Problem) as refused:
        await money.run(201)
    assert (refused.value.code, refused.value.details["remaining_microusd"]) == ("ceiling_exceeded", 200)
    await money.settle(await money.reserved(run_id, 300), 50)
    await money.end(run_id)
    await money.run(450)
    await money.run(100, key_id=await money.key())
    await money.assert_sound()


async def test_a_ceiling_is_not_lowered_below_what_is_committed(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(300)

    def lower(connection: Connection, to: int | None) -> keys.KeyRow:
        return keys.set_ceiling(connection, money.workspace_id, money.key_id, to)

    with pytest.raises(Problem) as refused:
        await database.write(lambda connection: lower(connection, 299))
    assert (refused.value.code, refused.value.details["committed_microusd"]) == ("ceiling_below_committed", 300)
    assert (await database.write(lambda connection: lower(connection, 300))).remaining_microusd == 0
    await money.end(run_id)
    assert (await database.write(lambda connection: lower(connection, 1))).remaining_microusd == 1
    assert (await database.write(lambda connection: lower(connection, None))).remaining_microusd is None


async def test_a_hold_is_released_only_once_every_try_is_closed(database: Database) -> None:
    money = await make_money(database)
    for amount in (0, 10):
        run_id = await money.run(10)
        reserved = await money.reserved(run_id, amount)
        with pytest.raises(ValueError, match="open tries"):
            await database.write(lambda connection, run=run_id: release_hold(connection, run))  # type: ignore[misc]
        await money.release(reserved)
        assert await money.end(run_id) == 10
        late = await money.settle(reserved, 10)
        assert (late.status, late.charge, late.repeated) == ("released", 0, True)
    await money.assert_sound()


async def test_a_late_answer_of_a_lost_try_changes_nothing_after_the_end(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(100)
    reserved = await money.reserved(run_id, 60)
    await money.lose(reserved)
    assert await money.end(run_id, "partial") == 40
    assert (await money.settle(reserved, 5)).charge == 60
    assert (await money.get(run_id)).spent_microusd == 60
    await money.assert_sound()


async def test_a_second_hold_and_one_that_is_not_the_cap_are_refused(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(100)
    for cap, reason in ((100, "has a hold already"), (99, "whose cap is 100"), (-1, "whose cap is 100")):
        with pytest.raises(ValueError, match=reason):
            await database.write(
                lambda connection, cap=cap: place_hold(  # type: ignore[misc]
                    connection, money.workspace_id, money.key_id, run_id, cap
                )
            )
    await money.assert_sound()


async def test_top_ups_add_up_and_the_statement_pages_newest_first(database: Database) -> None:
    money = await make_money(database, allowance=100)
    for amount in (5, 6, 7):
        added = await database.write(
            lambda connection, amount=amount: top_up(connection, money.workspace_id, amount, "more\x00")  # type: ignore[misc]
        )
    assert (added.balance_microusd, added.available_microusd) == (118, 118)
    with pytest.raises(ValueError, match="more than 0"):
        await database.write(lambda connection: top_up(connection, money.workspace_id, 0))
    seen: list[Any] = []
    cursor: str | None = None
    while True:
        page = await database.read(
            lambda connection, cursor=cursor: statement(connection, money.workspace_id, cursor=cursor, limit=3)  # type: ignore[misc]
        )
        seen += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == len({entry.id for entry in seen}) == 8
    assert [entry.id for entry in seen] == sorted((entry.id for entry in seen), reverse=True)
    assert {entry.note for entry in seen} == {"the allowance of a new workspace", "more\ufffd"}
    assert sum(entry.amount_microusd for entry in seen if entry.account == "wallet") == 118


async def test_the_first_start_happens_once(database: Database) -> None:
    first = await database.write(bootstrap)
    again = await database.write(bootstrap)
    assert again.workspace_id == first.workspace_id
    assert first.owner is not None
    assert again.owner is None
    secret = first.owner.secret
    assert secret not in repr(first)
    key = await database.read(lambda connection: keys.authenticate(connection, secret))
    assert key == first.owner.key
    read = await database.read(lambda connection: read_wallet(connection, first.workspace_id))
    assert read.available_microusd == 20_000_000


def test_movements_that_do_not_balance_are_refused() -> None:
    with pytest.raises(ValueError, match="add up to 1 micro-USD"):
        Transaction(new_id("ws"), "hold", (("wallet", -4), ("hold:run", 5)), utc_now())
