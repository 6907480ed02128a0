"""Pairs of reserve and settle per second, on SQLite and on PostgreSQL: `python perf/ledger.py [PAIRS] [LANES] [TIMES]`.

Each lane reserves for a call and settles it, as the gateway does, on one run for every 50 lanes. PostgreSQL is the
server that EVALROUTER_TEST_POSTGRES names or that answers on 127.0.0.1:5432. What others take of the machine meanwhile
slows it down; the processor time that this process takes for a pair tells how much of the rate is its own.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from evalrouter_server.store.database import Database
from evalrouter_server.store.migrate import migrate

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.machine import machine
from tests.databases import KINDS, empty_database, postgres_server, postgres_version, run_apart
from tests.ledger.money import make_money

DESIGN = {"sqlite": 5603, "postgresql": 3004}
"""What a prototype with one group-committing writer reached on 2 cores."""

type Measured = tuple[float, float]
"""Pairs per second, and microseconds of this process's processor time for a pair."""


async def measure(url: str, pairs: int, lanes: int) -> Measured:
    """Reserve and settle on an empty database, and verify the ledger afterwards."""
    database = await Database.open(url)
    try:
        money = await make_money(database, allowance=pairs * 100)
        runs = [await money.run(pairs * 10) for _ in range(max(1, lanes // 50))]

        async def lane(number: int) -> None:
            for _ in range(pairs // lanes):
                reserved = await money.reserved(runs[number % len(runs)], 5, task_id="task")
                await money.settle(reserved, 3, model_served="double")

        await lane(0)
        started, worked = time.perf_counter(), time.process_time()
        await asyncio.gather(*(lane(number) for number in range(lanes)))
        seconds, work = time.perf_counter() - started, time.process_time() - worked
        await money.assert_sound()
        done = pairs // lanes * lanes
        return done / seconds, work / done * 1e6
    finally:
        await database.close()


def measure_fresh(kind: str, pairs: int, lanes: int) -> Measured:
    """Measure on a database of its own."""
    with tempfile.TemporaryDirectory() as folder, empty_database(kind, Path(folder)) as url:
        run_apart(migrate(url))
        return asyncio.run(measure(url, pairs, lanes))


def report(kind: str, measured: Sequence[Measured]) -> str:
    """One line: the median rate and its range, next to the design's, and the processor time."""
    rates = sorted(rate for rate, _ in measured)
    rate, work = statistics.median(rates), statistics.median(work for _, work in measured)
    return (
        f"ledger, {kind}: {rate:,.0f} pairs of reserve and settle per second (median of {len(rates)},"
        f" {rates[0]:,.0f}-{rates[-1]:,.0f}; design: {DESIGN[kind]:,}), {work:,.0f} us of this process for a pair"
    )


def main(pairs: int = 10_000, lanes: int = 200, times: int = 5) -> None:
    """Measure both databases and print a line for each."""
    print(f"{machine()}, PostgreSQL {postgres_version() or 'not there'}")
    for kind in KINDS:
        if kind == "postgresql" and postgres_server() is None:
            print("ledger, postgresql: not measured, no server answers")
            continue
        print(report(kind, [measure_fresh(kind, pairs, lanes) for _ in range(times)]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
