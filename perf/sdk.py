"""What the SDK adds to a request, beside bare httpx: `python perf/sdk.py [CALLS]`.

The same small document is read over one kept connection from one server, by httpx alone and by the SDK, in turns; the
SDK's call has its retries, deadline, error mapping and conversion in it. Import times are in `perf/import_time.py`.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import os

import httpx

from evalrouter import EvalRouter
from scripts.machine import machine


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds and CPU seconds of this thread that a call takes."""
    began, used = time.perf_counter(), time.thread_time()
    call()
    return time.perf_counter() - began, time.thread_time() - used


def main(calls: int = 500) -> int:
    """Measure in turns and print a table."""
    for name in [name for name in os.environ if name.startswith("EVALROUTER_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EVALROUTER_DATA_DIR"] = folder
        with EvalRouter() as client, client.raw.get_httpx_client() as bare:
            plain = httpx.Client(base_url=bare.base_url, headers=bare.headers, trust_env=False)
            sides: dict[str, Callable[[], object]] = {
                "httpx": lambda: plain.get("/v1/wallet").json(),
                "evalrouter": client.wallet.get,
            }
            samples: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
            for number in range(calls + 20):
                for side, call in sides.items():
                    taken = timed(call)
                    if number >= 20:
                        samples[side].append(taken)
            plain.close()
    print(f"a call of the SDK beside httpx {httpx.__version__} on {machine()}; medians of {calls}")
    for side, values in samples.items():
        wall, cpu = (statistics.median(column) * 1000 for column in zip(*values, strict=True))
        print(f"{side:<12}{wall:8.2f} ms{cpu:8.2f} ms CPU of the calling thread")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
