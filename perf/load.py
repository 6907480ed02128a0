"""A client that calls a Chat Completions endpoint from many connections: requests per second and latencies."""

import asyncio
import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import aiohttp

QUESTION = [{"role": "user", "content": "What is 7 times 6? " + "Think about it carefully. " * 8}]


@dataclass(frozen=True, slots=True)
class Load:
    """What came of calling for a while.

    Attributes:
        requests_per_second: Answered ones.
        p50_ms: Median latency to the last byte, in milliseconds.
        p99_ms: The latency that 99 in 100 stay below, in milliseconds.
        failed: Requests that were not answered with 200.
    """

    requests_per_second: float
    p50_ms: float
    p99_ms: float
    failed: int


def load(base_url: str, key: str, model: str, connections: int, seconds: float, streamed: bool) -> Load:
    """Call from a process of its own.

    Args:
        base_url: The endpoint's, which ends in `/v1`.
        key: The bearer key.
        model: What is asked for.
        connections: How many calls at once.
        seconds: How long, after a warm-up of a fifth of it.
        streamed: Whether to ask for a stream and read it to its end.
    """
    arguments = [base_url, key, model, str(connections), str(seconds), str(int(streamed))]
    told = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
    return Load(**json.loads(told.stdout))


async def _measure(base_url: str, key: str, model: str, connections: int, seconds: float, streamed: bool) -> Load:
    body = json.dumps({"model": model, "messages": QUESTION, "max_tokens": 64, "stream": streamed}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    latencies: list[float] = []
    failed = 0
    begins = time.perf_counter() + seconds / 5
    ends = begins + seconds

    async def call_on(session: aiohttp.ClientSession) -> None:
        nonlocal failed
        while (started := time.perf_counter()) < ends:
            async with session.post(f"{base_url}/chat/completions", data=body, headers=headers) as response:
                await response.read()
            ended = time.perf_counter()
            if begins <= ended <= ends:
                latencies.append(ended - started)
                failed += response.status != 200

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(call_on(session) for _ in range(connections)))
    centiles = statistics.quantiles(latencies, n=100) if len(latencies) > 1 else [0.0] * 99
    return Load((len(latencies) - failed) / seconds, centiles[49] * 1000, centiles[98] * 1000, failed)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    url, secret, name, count, duration, stream = sys.argv[1:]
    outcome = asyncio.run(_measure(url, secret, name, int(count), float(duration), stream == "1"))
    print(json.dumps({field: getattr(outcome, field) for field in outcome.__slots__}))
