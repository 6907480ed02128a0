"""Hosted runs outlive their server: killed, closed and gone on with, nothing is left alive and nothing done twice."""

import subprocess
import sys
from pathlib import Path

import pytest

from evalrouter import EvalRouter
from tests.agents.acp.working import alive, until
from tests.e2e.provider import Provider
from tests.hosted import escaping

PROGRAM = """
from evalrouter import EvalRouter
with EvalRouter() as client:
    run = client.runs.create(
        benchmark="escapes", model="connection:double", agent="escaping", hosted=True, max_cost=1, concurrency=2
    )
    print(run.id, flush=True)
    run.wait()
"""


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("has_sandbox")
def test_a_run_goes_on_after_a_kill_and_after_a_close(
    data_dir: Path, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / f"escaping-{tmp_path.name}"
    folder.mkdir()
    for name, value in escaping.install(folder).items():
        monkeypatch.setenv(name, value)
    with EvalRouter() as client:
        provider.connect(client)
        client.benchmarks.create(escaping.benchmark(folder / "b", [{"do": "ask", "n": number} for number in range(3)]))
    provider.text = "hang"
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            run_id = process.stdout.readline().strip()
            until(lambda: len(provider.requests) == 2)
            assert alive(str(folder)) != []
        finally:
            process.kill()
    until(lambda: not alive(str(folder)))

    with EvalRouter() as client:
        assert client.runs.get(run_id).status == "paused"
        client.runs.resume(run_id)
        until(lambda: len(provider.requests) == 4)
    until(lambda: not alive(str(folder)))

    provider.text = "go on"
    with EvalRouter() as client:
        run = client.runs.get(run_id)
        assert run.status == "paused"
        run.resume().wait(300)
        assert (run.status, run.coverage.graded) == ("completed", 3)
        results = list(run.results())
        assert [result.output for result in results] == ['{"said": "go on"}'] * 3
        assert len(provider.requests) == 4 + 3
        assert sum(call.charge for call in run.calls()) == run.cost
        assert client.wallet.verify().ok
    until(lambda: not alive(str(folder)))
