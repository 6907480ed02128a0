"""ACP agents on whole runs: every call metered, and no process left."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evalrouter import EvalRouter, agents
from tests.agents.acp.working import alive, new_token, until
from tests.agents.leases import let_leases_run_out
from tests.e2e.provider import Provider, exact_charge

pytestmark = pytest.mark.timeout(300)

CALLING = Path(__file__).with_name("calling_agent.py")


def command(behaviour: str, token: str) -> str:
    return shlex.join([sys.executable, str(CALLING), behaviour, token])


def asked(model: str, agent: str | agents.Agent, **more: Any) -> dict[str, Any]:
    coverage = {"mode": "sample", "sample_count": 4, "seed": 5}
    return {"benchmark": "first-steps", "model": model, "agent": agent, "max_cost": 1, "coverage": coverage, **more}


def test_an_agent_named_by_its_command_line_works_on_every_task(client: EvalRouter, provider: Provider) -> None:
    token = new_token()
    run = client.runs.create(**asked(provider.connect(client), f"local:{command('once', token)}"), wait=True)
    assert (run.status, run.status_reason, run.coverage.graded, run.data.flags) == ("completed", None, 4, ())
    results = list(run.results())
    assert [result.output for result in results] == [provider.text] * 4
    assert all(result.charge == exact_charge(result.usage) > 0 for result in results)
    assert sum(result.charge for result in results) == run.cost
    assert client.wallet.verify().ok
    assert alive(token) == []


def test_the_text_of_a_refusal_is_no_answer(client: EvalRouter, provider: Provider) -> None:
    token = new_token()
    agent = agents.local_agent(command("spend", token))
    run = client.runs.create(**asked(provider.connect(client), agent, max_cost="0.005", concurrency=1), wait=True)
    assert (run.status, run.coverage.graded, run.coverage.failed) == ("partial", 0, 0)
    assert (run.status_reason or "").startswith("budget_exhausted")
    assert run.cost <= run.cap
    assert alive(token) == []


def test_cancelling_a_run_leaves_no_process(client: EvalRouter, provider: Provider) -> None:
    token = new_token()
    run = client.runs.create(**asked(provider.connect(client), f"local:{command('hang', token)}", concurrency=2))
    until(lambda: len(alive(token)) >= 2 * 3)  # a keeper, an agent and a daemon each
    assert run.cancel().wait(60).status == "cancelled"
    until(lambda: not alive(token))


SDK = """
import sys
from evalrouter import EvalRouter
with EvalRouter() as client:
    run = client.runs.create(
        benchmark="first-steps", model="connection:double", agent=sys.argv[1], max_cost=1, concurrency=4,
        coverage={"mode": "sample", "sample_count": 5, "seed": 5},
    )
    print(run.id, flush=True)
    run.wait()
"""


def test_a_killed_sdk_takes_its_four_agents_along_and_the_command_goes_on_elsewhere(
    client: EvalRouter, provider: Provider, data_dir: Path, tmp_path: Path
) -> None:
    """The server lives in this process; the agents were another's, which named them from its own folder."""
    token, gate = new_token(), tmp_path / "gate"
    provider.connect(client)
    line = f"local:{shlex.join([sys.executable, CALLING.name, f'wait:{gate}', token])}"
    with subprocess.Popen(
        [sys.executable, "-c", SDK, line], cwd=CALLING.parent, stdout=subprocess.PIPE, text=True
    ) as sdk:
        try:
            assert sdk.stdout is not None
            run = client.runs.get(sdk.stdout.readline().strip())
            # one task is done; a keeper, an agent and a daemon for each of the others, and the SDK
            until(lambda: run.refresh().coverage.graded == 1 and len(alive(token)) >= 1 + 4 * 3)
        finally:
            sdk.kill()
    until(lambda: not alive(token))
    let_leases_run_out(data_dir)
    gate.touch()
    resume = [sys.executable, "-m", "evalrouter_cli", "resume", run.id, "--json"]
    resumed = subprocess.run(resume, cwd="/", capture_output=True, text=True, timeout=200, check=False)
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout)["coverage"]["graded"] == run.refresh().coverage.graded == 5
    assert sorted(provider.asked.values()) == [1, 2, 2, 2, 2]
    calls, results = list(run.calls()), list(run.results())
    assert len(calls) == 9
    assert sum(call.charge for call in calls) == sum(result.charge for result in results) == run.cost
    done_before = [event.data["task_id"] for event in run.events() if event.type == "task.graded"]
    assert len(set(done_before)) == len(done_before) == 5
    assert client.wallet.verify().ok
    assert alive(token) == []
