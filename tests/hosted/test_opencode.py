"""opencode, a real agent from npm, hosted: the same agent host, in a sandbox."""

import shutil

import pytest

from evalrouter import EvalRouter, agents
from tests.agents.acp.working import alive, until
from tests.e2e.programs import evalrouter
from tests.e2e.provider import Provider
from tests.repositories.repairing import repair_with_opencode


@pytest.fixture(autouse=True)
def _agents(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, data_dir: object) -> None:
    assert shutil.which("npm"), "opencode is installed from npm: install Node with npm"
    monkeypatch.setenv("EVALROUTER_AGENTS_DIR", str(request.config.cache.mkdir("agents")))


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("has_sandbox")
@pytest.mark.parametrize("tasks", [1, pytest.param(12, marks=pytest.mark.soak)])
def test_it_repairs_repositories_on_the_server(client: EvalRouter, tasks: int) -> None:
    with Provider(repair_with_opencode()) as provider:
        evaluation = agents.quote(
            benchmark="small-repairs",
            model=provider.connect(client),
            agent="opencode",
            hosted=True,
            max_cost=1,
            coverage={"mode": "sample", "sample_count": tasks, "seed": 3},
            client=client,
        )
        assert "hosted by the server" in str(evaluation.quote.explain())
        run = evaluation.start()
        assert run.agent is not None
        assert run.agent.hosted
        run.wait(600)
        results = list(run.results())
        assert [(result.error, result.rule) for result in results] == [(None, "passed")] * tasks
        assert (run.status, run.score, run.data.flags) == ("completed", 1.0, ())
        assert sum(result.charge for result in results) == run.cost > 0
    assert client.wallet.verify().ok
    until(lambda: not alive("evalrouter.agents.hosted"))


@pytest.mark.timeout(300)
def test_the_command_line_quotes_a_hosted_agent(client: EvalRouter, provider: Provider, has_sandbox: None) -> None:
    asked = ("first-steps", "--model", provider.connect(client), "--agent", "opencode", "--hosted", "--max-cost", "1")
    shown = evalrouter("run", *asked, "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "hosted by the server" in " ".join(shown.stdout.split())
    refused = evalrouter("run", *asked[:3], "--agent", "local:python3", "--hosted", "--max-cost", "1")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "cannot be hosted" in refused.stderr
