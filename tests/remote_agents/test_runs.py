"""Runs with a remote agent from end to end: the seed's call, its quote, its money, its failures and its cancel."""

import json
from pathlib import Path
from typing import Any

import pytest
from a2a.helpers import new_text_part
from evalrouter_server.store import connections

from evalrouter import AsyncEvalRouter, EvalRouter, agents
from evalrouter.errors import ConflictError, InvalidArgumentError, NotFoundError, StatusError
from tests.e2e.provider import Provider
from tests.own_benchmarks.test_judge import judged_benchmark
from tests.remote_agents.agent import Agent, Held, Version, Work
from tests.server.conftest import Workspace

KEY = "key-that-nobody-sees-42"
FOUR: Any = {"mode": "sample", "sample_count": 4, "seed": 1}


def connect(client: EvalRouter, agent: Agent, name: str = "my-a2a-agent", **more: Any) -> None:
    client.connections.create_a2a(name, card_url=agent.url, **more)


@pytest.mark.parametrize("version", ["1.0", "0.3"])
def test_a_run_needs_a_benchmark_and_the_connections_name(client: EvalRouter, version: Version) -> None:
    with Agent(version=version, key=("authorization", f"Bearer {KEY}")) as agent:
        connect(client, agent, key=KEY)
        run = client.runs.create(benchmark="first-steps", agent="remote:my-a2a-agent", coverage=FOUR, wait=True)
        assert (run.status, run.coverage.graded, run.flags) == ("completed", 4, ("external_cost",))
        assert run.model is None
        assert run.cost == run.cap == run.maximum_charge == 0
        assert run.agent is not None
        assert (run.agent.kind, run.agent.name, run.agent.version) == ("remote", "my-a2a-agent", "1.2.3")
        assert "external cost" in run._repr_html_()
        results = list(run.results())
        assert [result.output for result in results] == ["The answer is 4"] * 4
        asked = sorted(result.inputs["messages"][-1]["content"] for result in results)
        assert sorted(agent.texts) == asked
        assert {work.message_id for work in agent.works} == {result.task_id for result in results}
        again = client.runs.create(benchmark="first-steps", agent="remote:my-a2a-agent", coverage=FOUR)
        assert (again.id, again.reused, len(agent.works)) == (run.id, True, 4)


def test_nothing_that_is_right_and_no_key_is_sent_or_shown(
    client: EvalRouter, agent: Agent, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    agent.key = ("authorization", f"Bearer {KEY}")
    connect(client, agent, key=KEY)
    run = client.runs.create(benchmark="first-steps", agent="remote:my-a2a-agent", coverage=FOUR, wait=True)
    bodies = b"".join(each.body for each in agent.seen)
    for result in run.results():
        assert json.dumps(dict(result.target)).encode() not in bodies
    assert KEY.encode() not in bodies
    shown = [run.export(tmp_path / f"run.{form}", format=form).read_text() for form in ("json", "html")]
    shown += [repr(client.connections.get("my-a2a-agent")), repr(list(run.events()))]
    assert not any(KEY in text for text in shown)
    assert [
        record.name
        for record in caplog.records
        if KEY in record.getMessage() and not record.name.startswith("a2a.server")
    ] == []
    assert "external cost" in shown[1]


def test_a_quote_says_that_the_cost_is_outside_the_meter(client: EvalRouter, agent: Agent) -> None:
    connect(client, agent)
    evaluation = agents.quote(
        benchmark="first-steps", agent=agents.remote_agent("my-a2a-agent", timeout=60), coverage=FOUR, client=client
    )
    quote = evaluation.quote
    assert quote.maximum_charge == quote.plan.call_count == 0
    assert (quote.plan.model is None, quote.plan.price is None) == (True, True)
    assert quote.plan.concurrency.admitted == 4
    assert "External cost: what the agent spends is outside the meter" in quote.explain()
    assert "my-a2a-agent 1.2.3 (remote, A2A 1.0 over JSONRPC)" in quote.explain()
    assert client.wallet.get().held == 0
    run = evaluation.start()
    assert evaluation.start().id == run.id
    assert run.wait().status == "completed"
    assert not run.is_delivered_here
    assert client.runs.create(quote_id=quote.id, agent="remote:my-a2a-agent").id == run.id


async def test_the_async_client_has_the_same_call(workspace: Workspace, agent: Agent) -> None:
    async with AsyncEvalRouter(base_url=workspace.service.endpoint.base_url, api_key=workspace.secret) as client:
        made = await client.connections.create_a2a("theirs", card_url=f"{agent.url}/.well-known/agent-card.json")
        assert (made.kind, made.agent, made.has_key) == ("a2a", "remote:theirs", False)
        run = await client.runs.create(benchmark="first-steps", agent="remote:theirs", coverage=FOUR, wait=True)
        assert run.status == "completed"


def test_a_judge_is_paid_for_and_nothing_else(
    client: EvalRouter, agent: Agent, provider: Provider, tmp_path: Path
) -> None:
    provider.text = '{"reason": "It is polite.", "score": 0.75}'
    provider.connect(client, "judge")
    judged_benchmark(client, tmp_path)
    connect(client, agent)
    quote = client.runs.create(benchmark="greetings", agent="remote:my-a2a-agent", dry_run=True)
    assert quote.maximum_charge > 0
    assert {line.label for line in quote.plan.lines} >= {"External cost", "Judge", "Lost tries"}
    assert sum(line.amount for line in quote.plan.lines[:-1] if line.amount is not None) == quote.maximum_charge
    run = client.runs.create(
        benchmark="greetings", agent="remote:my-a2a-agent", max_cost=quote.maximum_charge, wait=True
    )
    assert (run.status, run.score) == ("completed", 0.75)
    calls = list(run.calls())
    assert {call.purpose for call in calls} == {"judge"}
    assert run.cost == sum(call.charge for call in calls) > 0


def test_what_does_not_go_together_is_refused(client: EvalRouter, workspace: Workspace, agent: Agent) -> None:
    connect(client, agent)
    workspace.client.post("/v1/connections", json={"name": "agents", "kind": "trace"})
    with pytest.raises(InvalidArgumentError, match="brings its own"):
        client.runs.create(benchmark="first-steps", model="gpt-5", agent="remote:my-a2a-agent")
    with pytest.raises(InvalidArgumentError, match="model= is missing"):
        client.runs.create(benchmark="first-steps")
    with pytest.raises(NotFoundError):
        client.runs.create(benchmark="first-steps", agent="remote:nobody")
    with pytest.raises(InvalidArgumentError, match="timeout="):
        agents.remote_agent("my-a2a-agent", timeout=0)
    for wrong in ({"card_url": "http://user:pass@host/"}, {"key": "a", "key_env": "B"}, {"key_header": "Host"}):
        body = {"name": "wrong", "kind": "a2a", "card_url": agent.url, **wrong}
        assert workspace.client.post("/v1/connections", json=body).status_code == 422
    benchmark_id, connection = workspace.benchmark(), client.connections.get("my-a2a-agent")
    remote = {"kind": "remote", "connection_id": connection.id}
    for spec in ({}, {"agent": {"kind": "python", "name": "a", "digest": "d"}}, {"model_id": "model_" + "0" * 26}):
        agent_too = {"agent": remote} if "model_id" in spec else {}
        asked = workspace.client.post("/v1/quotes", json={"benchmark_id": benchmark_id, **spec, **agent_too})
        assert (asked.status_code, asked.json()["code"]) == (422, "invalid_request")


def test_another_workspaces_agent_is_not_found(
    client: EvalRouter, agent: Agent, workspace: Workspace, other_workspace: Workspace
) -> None:
    connect(client, agent)
    spec = {
        "benchmark_id": other_workspace.benchmark(),
        "agent": {"kind": "remote", "connection_id": client.connections.get("my-a2a-agent").id},
    }
    assert other_workspace.client.post("/v1/quotes", json=spec).status_code == 404
    assert agent.seen == []


def test_a_run_without_a_model_has_no_keys_for_one(client: EvalRouter, agent: Agent, workspace: Workspace) -> None:
    agent.behave = held = Held()
    connect(client, agent)
    run = client.runs.create(benchmark="first-steps", agent="remote:my-a2a-agent", coverage=FOUR)
    with pytest.raises(ConflictError, match="brings its own"):
        run.gateway_key()
    refused = workspace.client.post(f"/v1/runs/{run.id}/delivery-keys")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_agent")
    with pytest.raises(ConflictError):
        client.connections.delete("my-a2a-agent")
    held.release()
    assert run.wait().status == "completed"
    client.connections.delete("my-a2a-agent")


@pytest.mark.parametrize("streaming", [True, False], ids=["streamed", "polled"])
def test_a_cancelled_run_tells_the_agent(client: EvalRouter, streaming: bool) -> None:
    with Agent(behave=Held(), streaming=streaming) as agent:
        connect(client, agent)
        run = client.runs.create(benchmark="first-steps", agent="remote:my-a2a-agent", coverage=FOUR)
        behave = agent.behave
        assert isinstance(behave, Held)
        assert behave.began.wait(60)
        run.cancel()
        assert run.wait(60).status == "cancelled"
        assert agent.cancelled
        assert set(agent.cancelled) <= {work.context.task_id for work in agent.works}


def test_a_task_has_its_time(client: EvalRouter, agent: Agent) -> None:
    agent.behave = Held()
    connect(client, agent)
    chosen = agents.remote_agent("my-a2a-agent", timeout=1)
    run = client.runs.create(
        benchmark="first-steps", agent=chosen, coverage={"mode": "sample", "sample_count": 2, "seed": 1}, wait=True
    )
    assert (run.status, run.score) == ("failed", None)
    errors = [result.error for result in run.results()]
    assert [error.code for error in errors if error is not None] == ["agent_timeout"] * 2
    assert set(agent.cancelled) == {work.context.task_id for work in agent.works}


def test_a_failed_task_keeps_what_the_agent_said_and_the_others_go_on(client: EvalRouter, agent: Agent) -> None:
    async def rejects_the_first(work: Work) -> None:
        if len(agent.works) > 1:
            await work.finish("4")
            return
        updater = await work.open()
        await updater.reject(updater.new_agent_message([new_text_part("Not for me.")]))

    agent.behave = rejects_the_first
    connect(client, agent)
    run = client.runs.create(
        benchmark="first-steps", agent="remote:my-a2a-agent", coverage=FOUR, concurrency=1, wait=True
    )
    assert (run.status, run.coverage.graded, run.coverage.failed) == ("partial", 3, 1)
    (failed,) = [result for result in run.results() if result.error is not None]
    assert failed.error is not None
    assert (failed.error.code, dict(failed.details or {})) == ("agent_rejected", {"agent": "Not for me."})


def test_an_agent_that_is_away_pauses_the_run_and_nothing_is_lost(client: EvalRouter, agent: Agent) -> None:
    agent.key = ("authorization", f"Bearer {KEY}")
    connect(client, agent, name="keyless", key_env="NO_SUCH_VARIABLE_OF_OURS")
    with pytest.raises(StatusError, match="cannot be used") as refused:
        client.runs.create(benchmark="first-steps", agent="remote:keyless", coverage=FOUR)
    assert refused.value.code == "agent_unavailable"
    connect(client, agent, key="another")
    run = client.runs.create(benchmark="first-steps", agent="remote:my-a2a-agent", coverage=FOUR)
    assert [event.type for event in run.events()][-1] == "run.paused"
    run.refresh()
    assert run.status == "paused"
    assert (run.status_reason or "").startswith("agent_refused_key")
    assert agent.works == []
    agent.key = ("authorization", "Bearer another")
    assert run.resume().wait(60).status == "completed"
    assert len(agent.works) == 4


def test_a_connections_key_is_forgotten_with_it(client: EvalRouter, agent: Agent, workspace: Workspace) -> None:
    connect(client, agent, key=KEY)
    made = client.connections.get("my-a2a-agent")
    assert made.has_key
    client.connections.delete(made.id)
    row = workspace.service.write(lambda connection: connections.load_agent(connection, made.id))
    assert row is not None
    assert row.key_encrypted is None
