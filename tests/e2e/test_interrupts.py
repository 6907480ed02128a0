"""Ctrl-C on `evalrouter run`: the run pauses with its calls settled, and `evalrouter resume` completes it."""

import json
import signal
from pathlib import Path

from evalrouter import EvalRouter
from tests.e2e.audit import audit
from tests.e2e.programs import COMMAND, RUN_ID, ended, evalrouter, program, wait_until
from tests.e2e.provider import INPUT_USD_PER_MTOK, MODEL, OUTPUT_USD_PER_MTOK, Provider


def test_an_interrupted_command_pauses_and_loses_nothing(data_dir: Path, provider: Provider) -> None:
    prices = ("--input-price", str(INPUT_USD_PER_MTOK), "--output-price", str(OUTPUT_USD_PER_MTOK))
    created = evalrouter("connections", "create", "double", "--base-url", provider.base_url, "--model", MODEL, *prices)
    assert created.returncode == 0, created.stderr
    provider.delay_seconds = 0.25
    asked = ("first-steps", "--model", "connection:double", "--sample", "16", "--concurrency", "2", "--max-cost", "1")
    with program(*COMMAND, "run", *asked) as process:
        wait_until(lambda: len(provider.requests) > 4)
        process.send_signal(signal.SIGINT)
        stdout, stderr = ended(process)
    assert process.returncode == 6, stderr
    assert stdout == ""
    assert "Traceback" not in stderr
    found = RUN_ID.search(stderr)
    assert found, stderr
    assert stderr.endswith(f"evalrouter resume {found.group()}\n")
    sent = len(provider.requests)

    shown = json.loads(evalrouter("runs", "show", found.group(), "--json").stdout)
    assert shown["status"] == "paused"
    assert 0 < shown["coverage"]["graded"] == sent < 16

    provider.delay_seconds = 0.0
    resumed = evalrouter("resume", found.group())
    assert resumed.returncode == 0, resumed.stderr
    assert "16 of 16 tasks graded" in resumed.stdout
    with EvalRouter() as client:
        run = client.runs.get(found.group())
        assert audit(client, run, provider.asked) == []
    assert len(provider.requests) == 16
