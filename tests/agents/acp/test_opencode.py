"""opencode, a real agent from npm, on whole runs against a provider's double that has it use a tool."""

import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from evalrouter import EvalRouter, agents
from tests.agents.acp.working import alive
from tests.e2e.provider import MODEL, Provider
from tests.upstreams.tool_calls import use_tool_then_answer

VERSION = "1.18.33"
CHARGE_PER_CALL = Decimal("0.000063")
"""10 tokens at 1.25 and 5 at 10 USD per million, rounded up to a whole micro-USD."""

USE = {"command": "expr 3 + 4 > sum.txt; cat sum.txt", "description": "Adds"}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("tasks", [2, pytest.param(10, marks=pytest.mark.soak)])
def test_it_works_on_tasks_with_every_call_metered_and_no_process_left(
    client: EvalRouter, tasks: int, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shutil.which("npm"), "opencode is installed from npm: install Node with npm"
    monkeypatch.setenv("EVALROUTER_AGENTS_DIR", str(request.config.cache.mkdir("agents")))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    agent = agents.registry_agent(f"opencode@{VERSION}", timeout=600)
    with Provider(use_tool_then_answer(("bash",), USE, lambda _: "3 + 4 is 7.\n\nANSWER: 7")) as provider:
        run = client.runs.create(
            benchmark="first-steps",
            model=provider.connect(client),
            agent=agent,
            max_cost=1,
            concurrency=2,
            coverage={"mode": "sample", "sample_count": tasks, "seed": 5},
            wait=True,
        )
        results = list(run.results())
        assert [result.error for result in results] == [None] * tasks
        assert [result.output for result in results] == ["3 + 4 is 7.\n\nANSWER: 7"] * tasks
        assert (run.status, run.coverage.graded, run.data.flags) == ("completed", tasks, ())
        assert len(provider.requests) == 2 * tasks
        assert {sent.body["model"] for sent in provider.requests} == {MODEL}
        tools = [sent.body["messages"][-1] for sent in provider.requests if sent.body["messages"][-1]["role"] == "tool"]
        assert [str(tool["content"]).strip() for tool in tools] == ["7"] * tasks
        assert [result.charge for result in results] == [2 * CHARGE_PER_CALL] * tasks
        assert sum(result.charge for result in results) == run.cost
    assert client.wallet.verify().ok
    assert alive(str(tmp_path)) == []  # each of its processes has a HOME there
    assert list((tmp_path / "tmp").iterdir()) == []
