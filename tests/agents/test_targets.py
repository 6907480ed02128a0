"""What is right never leaves the server: a canary in every target, and every byte and file that an agent could see."""

import json
import secrets
import sys
from pathlib import Path
from typing import Any

import pytest

from evalrouter import EvalRouter, agents
from tests.agents.acp.working import new_token
from tests.agents.relay import RecordingRelay
from tests.e2e.provider import Provider

CALLING = Path(__file__).parent / "acp/calling_agent.py"
ROWS = 5


class Curious(agents.Agent):
    """Looks at all that it is given."""

    def __init__(self, found: Path) -> None:
        self._found = found

    async def run(self, context: agents.AgentContext) -> None:
        task = await context.task.get()
        context.log("the task is", task)
        replies = [await context.gateway.chat(messages=task["inputs"]["messages"], max_tokens=20)]
        held = [vars(each) for each in (context, context.task, context.gateway)]
        (self._found / f"python-{task['index']}").write_text(json.dumps([task, replies, held], default=repr))
        await context.task.submit("ANSWER: no idea")
        await context.task.done()


@pytest.fixture
def canaries(tmp_path: Path) -> list[str]:
    """The targets of a benchmark in `tmp_path`."""
    canaries = [f"canary{secrets.token_hex(12)}" for _ in range(2 * ROWS)]
    rows = [
        {"q": f"Which word do I think of, number {n}?", "a": canaries[2 * n], "also": canaries[2 * n + 1]}
        for n in range(ROWS)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    manifest: dict[str, Any] = {
        "slug": "canaries",
        "source": {"kind": "file", "path": "rows.jsonl"},
        "rows": {"inputs": {"question": "q"}, "target": "a", "target_more": {"hint": "also"}},
        "protocol": {"user": "{question}"},
        "grader": {"kind": "short_answer"},
    }
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    return canaries


@pytest.mark.parametrize("kind", ["python", "local"])
def test_no_byte_and_no_file_that_an_agent_can_see_holds_a_target(
    client: EvalRouter,
    provider: Provider,
    canaries: list[str],
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client.benchmarks.create(tmp_path / "manifest.json")
    model = provider.connect(client)
    endpoint = client._transport.endpoints.current()
    found, temporary = tmp_path / "found", tmp_path / "tmp"
    found.mkdir()
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    dumping = f"local:{sys.executable} {CALLING} dump:{found} {new_token()}"
    agent = Curious(found) if kind == "python" else dumping
    with (
        RecordingRelay(endpoint.base_url) as relay,
        EvalRouter(base_url=relay.base_url, api_key=endpoint.api_key) as other,
    ):
        run = other.runs.create(benchmark="canaries", model=model, agent=agent, max_cost=1, wait=True)
        assert [event.type for event in run.events()].count("task.graded") == ROWS
        notes = len(run.quote().explain())
    results = list(client.runs.get(run.id).results())
    assert (run.status, run.coverage.graded, notes > 0) == ("completed", ROWS, True)
    assert {text for result in results for text in result.target.values()} == set(canaries)  # it has them

    sent = b"".join(relay.sent)
    assert sent.count(b"/gateway/v1") >= ROWS  # every lease came this way
    assert b"ANSWER: 7" in sent  # and every answer of the model
    assert b"content-encoding" not in sent.lower()
    files = list(found.iterdir())
    assert len(files) == ROWS
    seen = sent + b"".join(path.read_bytes() for path in files)
    assert b"Which word do I think of" in seen
    assert [canary for canary in canaries if canary.encode() in seen] == []
