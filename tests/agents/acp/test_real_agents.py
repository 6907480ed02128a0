"""Real agents, from npm and PyPI, on whole runs against a provider's double that has each of them use a tool."""

import hashlib
import shutil
import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from evalrouter_server.catalog.artifacts import SMOLLM2_135M

from evalrouter import EvalRouter, agents
from tests.agents.acp.working import alive
from tests.e2e.provider import MODEL, Provider
from tests.shared_data import shared
from tests.upstreams.tool_calls import tool_results, use_tool_then_answer
from tests.upstreams.weights import weights

CHARGE_PER_CALL = Decimal("0.000063")
"""10 tokens at 1.25 and 5 at 10 USD per million, rounded up to a whole micro-USD."""

COMMAND = "expr 3 + 4 > sum.txt; cat sum.txt"
ANSWER = "3 + 4 is 7.\n\nANSWER: 7"


@frozen
class RealAgent:
    """An agent, and how the model has it run a command.

    Attributes:
        name: Its registry ID.
        tool: Its tool for commands.
        arguments: What that gets.
    """

    name: str
    tool: str
    arguments: Mapping[str, Any]


OPENCODE = RealAgent("opencode", "bash", {"command": COMMAND, "description": "Adds"})
VIBE = RealAgent("mistral-vibe", "bash", {"command": COMMAND})
OTHERS = (
    RealAgent("qwen-code", "run_shell_command", {"command": COMMAND, "is_background": False, "description": "Adds"}),
    RealAgent("fast-agent", "execute", {"command": COMMAND}),
    RealAgent("codex-acp", "exec_command", {"cmd": COMMAND}),
    RealAgent("claude-acp", "Bash", {"command": COMMAND, "description": "Adds"}),
)


@pytest.fixture(autouse=True)
def _folders(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shutil.which("npm"), "agents are installed from npm: install Node with npm"
    monkeypatch.setenv("EVALROUTER_AGENTS_DIR", str(request.config.cache.mkdir("agents")))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GSM8K's questions from the shared folder, so that nothing is downloaded."""
    data = shared("data", "gsm8k", "test.jsonl").read_bytes()
    folder = tmp_path / "mirror"
    folder.mkdir()
    (folder / hashlib.sha256(data).hexdigest()).write_bytes(data)
    monkeypatch.setenv("EVALROUTER_MIRROR", str(folder))


def works(client: EvalRouter, real: RealAgent, benchmark: str, tasks: int, tmp_path: Path) -> str:
    """Has an agent work on tasks, checks all that came of it, and gives the facts in a line."""
    agent = agents.registry_agent(real.name, timeout=600)
    agent.prepare()
    began = time.monotonic()
    with Provider(use_tool_then_answer({real.tool: real.arguments}, lambda _: ANSWER)) as provider:
        run = client.runs.create(
            benchmark=benchmark,
            model=provider.connect(client),
            agent=agent,
            max_cost=1,
            concurrency=2,
            coverage={"mode": "sample", "sample_count": tasks, "seed": 5},
            wait=True,
        )
        results, calls = list(run.results()), list(run.calls())
        assert [result.error for result in results] == [None] * tasks
        assert [result.output for result in results] == [ANSWER] * tasks
        assert (run.status, run.coverage.graded, run.data.flags) == ("completed", tasks, ())
        assert {sent.body["model"] for sent in provider.requests} == {MODEL}
        used = {
            str(sent.body.get("messages") or sent.body["input"]): tool_results(sent.body) for sent in provider.requests
        }
        tools = [found for found in used.values() if found]
        assert len(tools) >= tasks
        assert all("7" in found[0] and "rror:" not in found[0].replace("Error: (none)", "") for found in tools)
        assert len(calls) == len(provider.requests) >= 2 * tasks
        assert {call.task_id for call in calls} == {result.task_id for result in results}
        assert {call.charge for call in calls} == {CHARGE_PER_CALL}
        assert sum(result.charge for result in results) == run.cost == len(calls) * CHARGE_PER_CALL
    assert client.wallet.verify().ok
    assert alive(str(tmp_path)) == []  # each of its processes has a HOME there
    assert list((tmp_path / "tmp").iterdir()) == []
    seconds = time.monotonic() - began
    return f"{real.name} {agent.prepare().version}: {tasks} {benchmark} tasks, {len(calls)} calls, {seconds:.0f} s"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("real", [OPENCODE, VIBE], ids=lambda real: real.name)
def test_an_agent_works_on_tasks_with_every_call_metered_and_no_process_left(
    client: EvalRouter, real: RealAgent, tmp_path: Path
) -> None:
    works(client, real, "first-steps", 2, tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_real_model_answers_a_real_agent(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    """fast-agent's own prompt, with its tools about 700 tokens, fits the window of the built-in model."""
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / SMOLLM2_135M.member_sha256).symlink_to(weights())
    monkeypatch.setenv("EVALROUTER_MIRROR", str(tmp_path / "mirror"))
    agent = agents.registry_agent("fast-agent", timeout=600)
    with EvalRouter() as client:
        run = client.runs.create(
            benchmark="first-steps",
            model="smollm2-135m",
            agent=agent,
            max_cost=1,
            concurrency=1,
            coverage={"mode": "sample", "sample_count": 5, "seed": 5},
            wait=True,
        )
        results, calls = list(run.results()), list(run.calls())
        assert (run.status, run.coverage.graded, run.cost, run.data.flags) == ("completed", 5, Decimal(0), ())
        assert all(result.output and result.usage.output_tokens for result in results)
        assert {call.task_id for call in calls} == {result.task_id for result in results}
        assert {call.model_served for call in calls} == {"smollm2-135m"}
    assert alive(str(tmp_path)) == []
    tokens = max(call.usage.input_tokens for call in calls)
    record_property(
        "evidence",
        f"fast-agent {agent.prepare().version} with smollm2-135m: 5 first-steps tasks, {len(calls)} calls of at most "
        f"{tokens} input tokens, score {run.score}",
    )


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("questions")
@pytest.mark.parametrize("real", [OPENCODE, VIBE, *OTHERS], ids=lambda real: real.name)
def test_it_works_on_ten_tasks(
    client: EvalRouter, real: RealAgent, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    record_property("evidence", works(client, real, "gsm8k", 10, tmp_path))
