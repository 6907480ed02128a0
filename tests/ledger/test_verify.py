"""Whatever is tampered with behind the ledger's back is found, or refused by the database itself."""

import pytest
from evalrouter_server.ledger import verify
from evalrouter_server.store.database import Database
from evalrouter_server.store.tables import ledger_entries
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from tests.ledger.money import Money, make_money


async def spent_money(database: Database) -> Money:
    """A workspace with a run that has ended, one that goes on, and calls of every outcome."""
    money = await make_money(database, ceiling=500_000)
    for end in (True, False):
        run_id = await money.run(1000)
        await money.settle(await money.reserved(run_id, 100), 70)
        await money.lose(await money.reserved(run_id, 100))
        await money.release(await money.reserved(run_id, 100))
        if end:
            await money.end(run_id)
        else:
            await money.reserved(run_id, 100)
    return money


async def test_a_sound_ledger_adds_up(database: Database) -> None:
    money = await spent_money(database)
    verification = await money.verify()
    assert verification.ok
    assert (verification.entries, verification.calls, verification.runs) == (2 + 2 * 4 + 4 * 2 + 4, 7, 2)


TAMPERING = (
    ("UPDATE workspaces SET available_microusd = available_microusd + 1", "available is the wallet account"),
    ("UPDATE workspaces SET held_microusd = held_microusd + 1", "held is the caps"),
    ("UPDATE runs SET spent_microusd = spent_microusd + 1", "spent is the run's tries"),
    ("UPDATE runs SET reserved_microusd = reserved_microusd + 1", "reserved is the run's open tries"),
    ("UPDATE runs SET cap_microusd = cap_microusd + 1", "what is held is the run's hold account"),
    ("UPDATE calls SET charge_microusd = charge_microusd + 1", "a call's charge is that of its tries"),
    ("UPDATE tries SET charge_microusd = charge_microusd - 1 WHERE charge_microusd > 0", "charge is posted once"),
    ("UPDATE tries SET status = 'unknown' WHERE status = 'settled'", "fits its outcome"),
    ("UPDATE api_keys SET committed_microusd = committed_microusd + 1", "committed is the key's account"),
    ("DELETE FROM tries WHERE status = 'settled'", "a posted charge has its try"),
)


async def test_a_change_behind_its_back_is_found(database: Database) -> None:
    money = await spent_money(database)

    def tamper(connection: Connection) -> None:
        for change, found in TAMPERING:
            savepoint = connection.begin_nested()
            connection.execute(text(change))
            verification = verify(connection, money.workspace_id)
            assert not verification.ok
            assert any(found in difference.what for difference in verification.differences), (change, verification)
            savepoint.rollback()

    await database.write(tamper)
    await money.assert_sound()


async def test_an_entry_without_its_pair_or_its_cause_is_found(database: Database) -> None:
    money = await spent_money(database)

    def forge(connection: Connection) -> None:
        entry = connection.execute(ledger_entries.select().where(ledger_entries.c.kind == "charge")).mappings().first()
        assert entry is not None
        forged = dict(entry) | {"id": "entry_forged", "transaction_id": "tx_forged", "call_id": None}
        del forged["position"]
        connection.execute(ledger_entries.insert(), forged)

    await database.write(forge)
    whats = {difference.what for difference in (await money.verify()).differences}
    assert {"the entries of a transaction add up to zero", "an entry points at what caused it"} <= whats


IMPOSSIBLE = (
    "UPDATE ledger_entries SET amount_microusd = 1",
    "DELETE FROM ledger_entries",
    "UPDATE workspaces SET available_microusd = -1",
    "UPDATE runs SET reserved_microusd = cap_microusd + 1",
    "UPDATE runs SET spent_microusd = -1",
    "UPDATE tries SET charge_microusd = reservation_microusd + 1",
    "UPDATE api_keys SET ceiling_microusd = committed_microusd - 1",
)


async def test_the_database_itself_refuses_what_can_never_be_right(database: Database) -> None:
    money = await spent_money(database)
    for change in IMPOSSIBLE:
        with pytest.raises(DBAPIError):
            await database.write(lambda connection, change=change: connection.execute(text(change)))  # type: ignore[misc]
    await money.assert_sound()
