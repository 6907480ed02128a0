"""A hostile agent that is hosted: it finds no way out, takes no more than it may, and leaves nothing behind."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from evalrouter import EvalRouter, Run
from evalrouter.errors import ConflictError, InvalidArgumentError
from tests.agents.acp.working import alive, until
from tests.e2e.provider import Provider
from tests.hosted import escaping

pytestmark = [pytest.mark.timeout(600), pytest.mark.usefixtures("has_sandbox")]

ALIVE = "escaping"
"""What stands in the command lines of the agent's installation, and of all that comes of it."""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the escaping agent."""
    folder = tmp_path / f"{ALIVE}-{tmp_path.name}"
    folder.mkdir()
    for name, value in escaping.install(folder).items():
        monkeypatch.setenv(name, value)
    return folder


def started(client: EvalRouter, provider: Provider, folder: Path, *wanted: dict[str, Any], **more: Any) -> Run:
    """A hosted run with a task for each thing that the agent is to do."""
    client.benchmarks.create(escaping.benchmark(folder / "benchmark", list(wanted)))
    run: Run = client.runs.create(
        benchmark="escapes", model=provider.connect(client), agent=escaping.NAME, hosted=True, max_cost=1, **more
    )
    return run


def test_it_finds_no_way_out(client: EvalRouter, provider: Provider, installed: Path, data_dir: Path) -> None:
    port = int(client._transport.endpoints.current().base_url.rpartition(":")[2])
    kept = [data_dir / "evalrouter.db", data_dir / "secret", Path(__file__), installed / "benchmark" / "rows.jsonl"]
    before = [path.read_bytes()[:16] for path in kept if path.exists()]
    wanted = {
        "do": "look",
        "addresses": [["1.1.1.1", 53], ["127.0.0.1", port], ["127.0.0.1", 22], ["::1", port]],
        "paths": [*map(str, kept), "/tmp/outside"],
        "requests": [
            ["GET", "/v1/wallet"],
            ["POST", "/v1/runs"],
            ["GET", "/openapi.yaml"],
            ["POST", "/v1/leases/lease_00000000000000000000000000/submission"],
            ["POST", "/v1/runs/run_00000000000000000000000000/leases"],
            ["GET", "/gateway/v1/models"],
        ],
    }
    run = started(client, provider, installed, wanted).wait(300)
    (result,) = run.results()
    assert (run.status, result.error) == ("completed", None)
    assert result.output is not None
    found = json.loads(result.output)
    assert found == {
        "called": provider.text,
        "connected": [],
        "resolved": False,
        "written": ["/tmp/outside"],  # its own, which is gone
        "read": ["/tmp/outside"],
        "processes": True,
        "variables": ["EVALROUTER_AGENT_RUN"],
        "answers": {
            "GET /v1/wallet": 404,
            "POST /v1/runs": 404,
            "GET /openapi.yaml": 404,
            "POST /v1/leases/lease_00000000000000000000000000/submission": 401,
            "POST /v1/runs/run_00000000000000000000000000/leases": 404,
            "GET /gateway/v1/models": 200,
        },
        "server": False,
    }
    assert not Path("/tmp/outside").exists()
    assert [path.read_bytes()[:16] for path in kept if path.exists()][: len(before)] == before
    assert (run.data.flags, len(provider.requests)) == ((), 1)
    assert alive(str(installed)) == []


def test_what_it_takes_is_bounded_and_harms_its_own_task_alone(
    client: EvalRouter, provider: Provider, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalrouter_server.runners.hosting.MEMORY_BYTES", 512 * 1024**2)
    monkeypatch.setattr("evalrouter_server.runners.hosting.DISK_BYTES", 256 * 1024**2)
    look: dict[str, Any] = {"do": "look", "addresses": [], "paths": [], "requests": []}
    things: list[dict[str, Any]] = [look, *({"do": each} for each in ("bomb", "memory", "disk", "kill"))]
    run = started(client, provider, installed, *things, concurrency=2).wait(500)
    results = {json.loads(str(each.inputs["messages"][0]["content"]))["do"]: each for each in run.results()}
    assert run.coverage.selected == 5
    assert results["look"].output is not None
    assert json.loads(results["look"].output)["called"] == provider.text
    errors = {name: result.error and result.error.code for name, result in results.items()}
    assert results["bomb"].output == '{"forked": true}' or errors["bomb"] == "agent_memory_limit"
    assert (errors["memory"], errors["kill"]) == ("agent_memory_limit", "host_failed")
    assert results["disk"].output is not None
    assert "No space left" in results["disk"].output
    assert run.status == "partial"
    assert alive(str(installed)) == []


def test_cancelling_ends_it_with_all_that_it_started(client: EvalRouter, provider: Provider, installed: Path) -> None:
    run = started(client, provider, installed, {"do": "hang", "n": 1}, {"do": "hang", "n": 2}, concurrency=2)
    until(lambda: len(provider.requests) == 2)
    assert alive(str(installed)) != []
    assert run.cancel().wait(120).status == "cancelled"
    until(lambda: not alive(str(installed)))
    assert client.wallet.verify().ok


def test_a_machine_without_a_sandbox_refuses(
    client: EvalRouter, provider: Provider, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalrouter_server.sandbox.sandbox.shutil.which", lambda _: None)
    with pytest.raises(ConflictError, match="apt install bubblewrap") as refused:
        started(client, provider, installed, {"do": "look"})
    assert refused.value.code == "sandbox_unavailable"
    monkeypatch.setattr("evalrouter_server.runners.hosting.find_spec", lambda _: None)
    with pytest.raises(ConflictError, match="install evalrouter-sdk") as refused:
        client.runs.create(benchmark="escapes", model="connection:double", agent=escaping.NAME, hosted=True, max_cost=1)
    assert refused.value.code == "hosting_unavailable"
    assert client.wallet.get().held == 0


def test_only_agents_of_the_registry_as_they_are_can_be_hosted(client: EvalRouter, provider: Provider) -> None:
    from evalrouter import agents

    model = provider.connect(client)

    class Own(agents.Agent):
        name = "own"

    changed = agents.registry_agent("opencode", env={"SECRET": "0123456789"})
    for agent in (Own(), "local:python3", "remote:somewhere", changed):
        with pytest.raises(InvalidArgumentError, match="hosted"):
            client.runs.create(benchmark="first-steps", model=model, agent=agent, hosted=True, max_cost=1)


@pytest.mark.soak
def test_a_host_that_has_gone_silent_is_ended_and_its_task_given_up_in_the_end(
    client: EvalRouter, provider: Provider, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalrouter_server.delivery.LEASE_TIME", timedelta(seconds=6))
    monkeypatch.setattr("evalrouter_server.engine.hosted_work.SECONDS_BETWEEN_CHECKS", 1.0)
    run = started(client, provider, installed, {"do": "stop"}).wait(500)
    (result,) = run.results()
    assert result.error is not None
    assert result.error.code == "client_lost"
    until(lambda: not alive(str(installed)))
