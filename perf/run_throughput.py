"""Tasks per second of a whole run on the embedded server: `python perf/run_throughput.py [TASKS] [CONCURRENCY]`.

The upstream is a process of its own that answers at once, so what is measured is this service: claiming, reserving,
the request, settling, grading and recording each task, on SQLite.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evalrouter import EvalRouter
from perf.upstream import upstream

ITEMS = 120
"""Questions of first-steps; each is repeated until there are enough tasks."""


def measure(base_url: str, tasks: int, concurrency: int) -> tuple[int, float, float]:
    """Tasks that were graded, seconds, and CPU seconds of this process.

    Args:
        base_url: The upstream's.
        tasks: How many to work on, rounded up to whole repeats.
        concurrency: How many side by side.
    """
    with EvalRouter() as client:
        client.connections.create("double", base_url=base_url, model="double", input_price=1, output_price=1)

        def run(repeats: int) -> int:
            done = client.runs.create(
                benchmark="first-steps",
                model="connection:double",
                max_cost=10,
                repeats=repeats,
                concurrency=concurrency,
                wait=True,
            )
            return done.coverage.graded

        run(1)
        started, used = time.perf_counter(), time.process_time()
        graded = run(-(-tasks // ITEMS))
        return graded, time.perf_counter() - started, time.process_time() - used


def main(tasks: int = 1_319, concurrency: int = 32) -> None:
    """Run the upstream, measure, and print a line."""
    for name in [name for name in os.environ if name.startswith("EVALROUTER_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder, upstream() as base_url:
        os.environ["EVALROUTER_DATA_DIR"] = folder
        graded, seconds, cpu = measure(base_url, tasks, concurrency)
    print(
        f"a run of {graded:,} tasks, {concurrency} side by side: {graded / seconds:,.0f} tasks/s,"
        f" {cpu / graded * 1000:.2f} ms CPU a task ({os.cpu_count()} processors)"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
