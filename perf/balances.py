"""Milliseconds that reading a balance takes, with and without checkpoints: `python perf/balances.py [ENTRIES]`."""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from evalrouter_server.clock import utc_now
from evalrouter_server.ledger import read_wallet
from evalrouter_server.ledger.accounts import Transaction, hold_account, post, spend_account
from evalrouter_server.ledger.checkpoints import INTERVAL, make_due
from evalrouter_server.store.database import Database
from evalrouter_server.store.migrate import migrate
from sqlalchemy import Connection

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.machine import machine
from tests.databases import KINDS, empty_database, postgres_server, postgres_version, run_apart
from tests.ledger.money import Money, make_money

READS = 11


async def fill(money: Money, entries: int) -> None:
    """Post charges of 1 micro-USD, two entries each, to four runs."""
    runs = [await money.run(entries) for _ in range(4)]

    def charge(connection: Connection, first: int, count: int) -> None:
        now = utc_now()
        post(
            connection,
            (
                Transaction(
                    workspace_id=money.workspace_id,
                    kind="charge",
                    movements=((hold_account(run), -1), (spend_account(run), 1)),
                    at=now,
                    run_id=run,
                    call_id=f"call_{number}",
                    try_number=1,
                )
                for number in range(first, first + count)
                for run in (runs[number % 4],)
            ),
        )

    for first in range(0, entries // 2, INTERVAL):
        await money.database.write(
            lambda connection, first=first: charge(connection, first, min(INTERVAL, entries // 2 - first))  # type: ignore[misc]
        )


async def milliseconds_of_a_read(money: Money) -> float:
    """The median of several."""
    taken = []
    for _ in range(READS):
        started = time.perf_counter()
        await money.database.read(lambda connection: read_wallet(connection, money.workspace_id))
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


async def measure(url: str, entries: int) -> tuple[float, float, float]:
    """Milliseconds of a read without a checkpoint, of making one that covers everything, and of a read after it."""
    database = await Database.open(url)
    try:
        money = await make_money(database, allowance=entries * 10)
        await fill(money, entries)
        without = await milliseconds_of_a_read(money)
        started = time.perf_counter()
        await database.write_alone(lambda connection: make_due(connection))
        making = (time.perf_counter() - started) * 1000
        return without, making, await milliseconds_of_a_read(money)
    finally:
        await database.close()


def main(entries: int = 1_000_000) -> None:
    """Measure both databases and print a line for each."""
    print(f"{machine()}, PostgreSQL {postgres_version() or 'not there'}")
    for kind in KINDS:
        if kind == "postgresql" and postgres_server() is None:
            print("balances, postgresql: not measured, no server answers")
            continue
        with tempfile.TemporaryDirectory() as folder, empty_database(kind, Path(folder)) as url:
            run_apart(migrate(url))
            without, making, after = asyncio.run(measure(url, entries))
        print(
            f"balances, {kind}, {entries:,} entries: {without:,.1f} ms without a checkpoint, {after:,.1f} ms with one,"
            f" which took {making:,.0f} ms to make"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
