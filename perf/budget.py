"""Whether budgets are exact under load, on both databases: `python perf/budget.py [CALLS] [PAID_FOR] [PROCESSES]`.

Calls that each use their worst case go all at once to a run whose cap pays for some of them: exactly those get
through, the rest get 402. Calls that use little wait and are all answered. Client processes start runs and call against
one wallet until it is empty: it is never passed. The exit code is 1 where something is not exact.
"""

import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evalrouter_server.store.migrate import migrate

from scripts.machine import machine
from tests.databases import KINDS, empty_database, postgres_server, run_apart
from tests.proof.load import many_calls, many_processes, open_shop

ALLOWANCE = 250_000
"""Micro-USD of each wallet."""

ROW = "{:<12} {:<34} {:>9} {:>9} {:>12} {:>12} {:>8}  {}"


async def measure(kind: str, database_url: str, folder: Path, calls: int, paid_for: int, processes: int) -> bool:
    """Measure one database and print its lines; says whether everything was exact."""
    exact = []

    def tell(what: str, through: int, refused: int, charged: int, limit: int, seconds: float, is_exact: bool) -> None:
        verdict = "exact" if is_exact else "NOT EXACT"
        print(
            ROW.format(kind, what, through, refused, f"{charged:,}", f"{limit:,}", f"{seconds:.1f}", verdict),
            flush=True,
        )
        exact.append(is_exact)

    for use, expected in (
        ("uses its bound", Counter({200: paid_for, 402: calls - paid_for})),
        ("uses little", Counter({200: calls})),
    ):
        async with open_shop(database_url, folder, ALLOWANCE) as shop:
            outcome = await many_calls(shop, calls, paid_for, use)
        limit = paid_for * outcome.worst
        is_exact = outcome.answers == expected and (
            outcome.charged == limit if 402 in expected else outcome.charged < limit
        )
        through, refused = outcome.answers[200], outcome.answers[402]
        tell(f"{calls:,} calls, each {use}", through, refused, outcome.charged, limit, outcome.seconds, is_exact)
    async with open_shop(database_url, folder, ALLOWANCE) as shop:
        spent = await many_processes(shop, processes)
    is_exact = spent.refused == processes and 0 < spent.charged <= spent.put_in
    tell(
        f"{processes} processes: {spent.runs} runs, {spent.calls} calls",
        spent.runs,
        spent.refused,
        spent.charged,
        spent.put_in,
        spent.seconds,
        is_exact,
    )
    return all(exact)


def main(calls: int = 1_000, paid_for: int = 50, processes: int = 16) -> int:
    """Measure both databases and print a table; the exit code."""
    print(f"budgets under load on {machine()}; amounts in micro-USD")
    print(ROW.format("database", "what", "through", "refused", "charged", "at most", "seconds", ""))
    exact = []
    for kind in KINDS:
        if kind == "postgresql" and postgres_server() is None:
            print("postgresql: not measured, no server answers")
            continue
        with tempfile.TemporaryDirectory() as folder, empty_database(kind, Path(folder)) as url:
            run_apart(migrate(url))
            exact.append(asyncio.run(measure(kind, url, Path(folder), calls, paid_for, processes)))
    return 0 if all(exact) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
