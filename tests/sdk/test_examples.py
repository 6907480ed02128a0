"""The examples run as they stand, against a server that speaks the contract."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sdk import documents
from tests.sdk.contract_server import Answer, ContractServer

ELSEWHERE = ("own_endpoint", "trace_anthropic")
"""Examples that need a model's endpoint, or a provider's package and its wire: other tests run them."""
EXAMPLES = [
    path
    for path in sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
    if path.stem not in ELSEWHERE
]
IDENTITY = {
    "workspace_id": "ws_1",
    "workspace_name": "default",
    "key_id": "key_1",
    "key_name": "owner",
    "scopes": ["read"],
    "server_version": "1.0.0",
    "embedded": False,
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example: Path, server: ContractServer) -> None:
    run = f"/v1/runs/{documents.RUN_ID}"
    names = {"slug": "smollm2-135m", "reference": "local/smollm2-135m"}
    server.on("GET", "/v1/models", Answer(documents.page(documents.model(**names), suggestions=[])))
    benchmark = documents.benchmark(slug="first-steps")
    server.on("GET", "/v1/benchmarks", Answer(documents.page(benchmark, suggestions=[])))
    server.on(
        "POST", "/v1/quotes", [Answer(documents.quote(), 201), Answer(documents.quote(within_max_cost=True), 201)]
    )
    server.on("GET", "/v1/quotes/quote_1", Answer(documents.quote(within_max_cost=True)))
    server.on("POST", "/v1/runs", Answer(documents.run("running"), 201))
    server.on("GET", f"{run}/results", Answer(documents.page(documents.result(0))))
    server.on("GET", f"{run}/calls", Answer(documents.page(documents.call(0))))
    server.on("GET", "/v1/whoami", Answer(IDENTITY))
    wallet = {"balance_microusd": 20_000_000, "held_microusd": 0, "available_microusd": 20_000_000}
    server.on("GET", "/v1/wallet", Answer(wallet))
    environment = {**os.environ, "EVALROUTER_API_KEY": "er_x", "EVALROUTER_BASE_URL": server.url}
    done = subprocess.run(
        [sys.executable, str(example)],
        env=environment,
        input="y\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "0.75" in done.stdout
    assert len(server.asked("POST", "/v1/runs")) == 1
