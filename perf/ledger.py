"""Pairs of reserve and settle per second, on SQLite and on PostgreSQL: `python perf/ledger.py [PAIRS] [LANES]`.

Each lane reserves for a call and settles it, as the gateway does, on one run for every 50 lanes. PostgreSQL is the
server that EVALROUTER_TEST_POSTGRES names or that answers on 127.0.0.1:5432.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from evalrouter_server.store.database import Database
from evalrouter_server.store.migrate import migrate

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.databases import KINDS, empty_database, postgres_server, run_apart
from tests.ledger.money import make_money

DESIGN = {"sqlite": "5,603-11,557", "postgresql": "3,004"}
"""What a prototype reached on 2 cores."""


async def measure(url: str, pairs: int, lanes: int) -> float:
    """Pairs per second."""
    database = await Database.open(url)
    try:
        money = await make_money(database, allowance=pairs * 100)
        runs = [await money.run(pairs * 10) for _ in range(max(1, lanes // 50))]

        async def lane(number: int) -> None:
            for _ in range(pairs // lanes):
                reserved = await money.reserved(runs[number % len(runs)], 5, task_id="task")
                await money.settle(reserved, 3, model_served="double")

        await lane(0)
        started = time.perf_counter()
        await asyncio.gather(*(lane(number) for number in range(lanes)))
        seconds = time.perf_counter() - started
        await money.assert_sound()
        return pairs // lanes * lanes / seconds
    finally:
        await database.close()


def main(pairs: int = 10_000, lanes: int = 200) -> None:
    """Measure both databases and print a line for each."""
    for kind in KINDS:
        if kind == "postgresql" and postgres_server() is None:
            print("ledger, postgresql: not measured, no server answers")
            continue
        with tempfile.TemporaryDirectory() as folder, empty_database(kind, Path(folder)) as url:
            run_apart(migrate(url))
            rate = asyncio.run(measure(url, pairs, lanes))
        print(f"ledger, {kind}: {rate:,.0f} pairs of reserve and settle per second (design: {DESIGN[kind]})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
