"""Benchmarks that run code, through the whole service."""

from pathlib import Path
from typing import Any

import pytest
from evalrouter_server.catalog.items import Item
from evalrouter_server.grading import CodeGrader
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.submission import NotAssessed, Submission
from evalrouter_server.sandbox import Sandbox

from tests.catalog.real_data import make_mirror
from tests.sandboxes import has_sandbox
from tests.server.conftest import Upstream, Workspace
from tests.server.test_access import problem
from tests.shared_data import needs_shared

__all__ = ["has_sandbox"]


def asked(workspace: Workspace, upstream: Upstream) -> dict[str, Any]:
    coverage = {"mode": "sample", "sample_count": 3, "seed": 1}
    benchmark = workspace.benchmark("humaneval")
    return {"benchmark_id": benchmark, "model_id": workspace.connect(upstream), "coverage": coverage}


def test_without_a_sandbox_the_quote_is_refused(
    workspace: Workspace, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def missing(sandbox: Sandbox) -> str:
        return "bubblewrap is not installed"

    monkeypatch.setattr(Sandbox, "missing", missing)
    body = asked(workspace, upstream)
    refused = problem(workspace.client.post("/v1/quotes", json=body), 409, "sandbox_unavailable")
    assert "apt install bubblewrap" in refused["message"]
    problem(workspace.client.post("/v1/runs", json={"source": "spec", "spec": body}), 409, "sandbox_unavailable")
    assert upstream.requests == 0
    assert workspace.client.get("/v1/wallet").json()["held_microusd"] == 0


@needs_shared
def test_a_run_keeps_the_code_its_rule_and_its_last_words(
    workspace: Workspace, upstream: Upstream, has_sandbox: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALROUTER_MIRROR", str(make_mirror(tmp_path / "mirror")))
    upstream.answer = "    raise RuntimeError('no idea')\n"
    created = workspace.client.post("/v1/runs", json={"source": "spec", "spec": asked(workspace, upstream)}).json()
    run = workspace.wait(created["id"], 60)
    assert (run["status"], run["coverage"]["graded"], run["score"]) == ("completed", 3, 0.0)
    for result in workspace.client.get(f"/v1/runs/{run['id']}/results").json()["items"]:
        assert (result["rule"], result["correct"]) == ("error", False)
        assert result["extracted"].endswith("raise RuntimeError('no idea')")
        assert "RuntimeError: no idea" in result["details"]["stderr"]


async def test_a_sandbox_that_fails_is_no_wrong_answer() -> None:
    assessor = Assessor(None, Sandbox("/no/such/bwrap"))  # type: ignore[arg-type]
    item = Item("item_1", 0, {}, {"tests": "assert solve() == 1"})
    answer = Submission(CodeGrader(), item, "def solve(): return 1", "stop", None, "task_1")
    with pytest.raises(NotAssessed, match="the sandbox failed") as failed:
        await assessor.assess(answer)
    assert failed.value.code == "sandbox_failed"
    assessor.close()
