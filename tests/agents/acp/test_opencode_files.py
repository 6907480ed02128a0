"""opencode, a real agent from npm, on repositories that it edits with its own tools."""

import shutil
from pathlib import Path

import pytest

from evalrouter import EvalRouter, agents
from tests.agents.acp.working import alive
from tests.e2e.provider import Provider
from tests.repositories.repairing import repair_with_opencode
from tests.sandboxes import has_sandbox

__all__ = ["has_sandbox"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("tasks", [1, pytest.param(12, marks=pytest.mark.soak)])
def test_what_it_edits_is_graded(
    client: EvalRouter,
    tasks: int,
    has_sandbox: None,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert shutil.which("npm"), "opencode is installed from npm: install Node with npm"
    monkeypatch.setenv("EVALROUTER_AGENTS_DIR", str(request.config.cache.mkdir("agents")))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    agent = agents.registry_agent("opencode", timeout=600)
    with Provider(repair_with_opencode()) as provider:
        run = client.runs.create(
            benchmark="small-repairs",
            model=provider.connect(client),
            agent=agent,
            max_cost=1,
            coverage={"mode": "sample", "sample_count": tasks, "seed": 3},
            wait=True,
        )
        results = list(run.results())
        assert [(result.error, result.rule) for result in results] == [(None, "passed")] * tasks
        assert (run.status, run.score, run.data.flags) == ("completed", 1.0, ())
        assert all(result.output and '"answer": "Repaired."' in result.output for result in results)
        assert sum(result.charge for result in results) == run.cost > 0
    assert alive(str(tmp_path)) == []
