"""A client process that spends what a wallet has: `python -m tests.proof.spender BASE_URL API_KEY` prints its counts.

It starts runs with the SDK and calls through their gateways until a create is refused because the wallet cannot pay,
with no run of its own open that could give something back.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx

from evalrouter import EvalRouter, Run
from evalrouter.errors import ConflictError, InsufficientFundsError

CALLS_PER_RUN = 6


def spend(client: EvalRouter, number: int) -> Run:
    """Start a run, call through its gateway while its tasks are worked on, and wait for its end."""
    run = client.runs.create(
        benchmark="first-steps",
        model="connection:double",
        coverage={"mode": "sample", "sample_count": 3, "seed": number},
        concurrency=2,
        idempotency_key=f"{os.getpid()}-{number}",
    )
    try:
        key = run.gateway_key()
    except ConflictError:
        return run  # it has ended already
    body = {
        "model": key.model,
        "messages": [{"role": "user", "content": "please: uses its bound"}],
        "max_tokens": 100,
    }
    with (
        httpx.Client(headers={"Authorization": f"Bearer {key.secret}"}, timeout=60, trust_env=False) as gateway,
        ThreadPoolExecutor(CALLS_PER_RUN) as threads,
    ):
        calls = [
            threads.submit(gateway.post, f"{key.base_url}/chat/completions", json=body) for _ in range(CALLS_PER_RUN)
        ]
        for call in calls:
            assert call.result().status_code in (200, 401, 402, 403), call.result().text
    return run.wait()


def main(base_url: str, api_key: str) -> None:
    """Spend until there is nothing left."""
    counts = {"runs": 0, "refused": 0}
    with EvalRouter(base_url=base_url, api_key=api_key) as client:
        while not counts["refused"]:
            try:
                spend(client, counts["runs"])
                counts["runs"] += 1
            except InsufficientFundsError:
                counts["refused"] += 1
    print(json.dumps(counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
