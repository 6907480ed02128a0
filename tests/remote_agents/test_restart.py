"""A server that stops in the middle, and one that is cancelled while it is away: no task is sent twice."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from evalrouter_server.embedded import EmbeddedServer

from tests.remote_agents.agent import Agent, Held, Work
from tests.server.test_embedded import client_of, wait_until


def started(client: httpx.Client, agent: Agent, count: int = 2) -> str:
    body = {"name": "mine", "kind": "a2a", "card_url": agent.url}
    connection = client.post("/v1/connections", json=body).json()
    benchmark = client.get("/v1/benchmarks", params={"match": "first-steps"}).json()["items"][0]
    spec = {
        "benchmark_id": benchmark["id"],
        "agent": {"kind": "remote", "connection_id": connection["id"]},
        "coverage": {"mode": "sample", "sample_count": count},
    }
    answer = client.post("/v1/runs", json={"source": "spec", "spec": spec})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def read(client: httpx.Client, run_id: str) -> dict[str, Any]:
    run: dict[str, Any] = client.get(f"/v1/runs/{run_id}").json()
    return run


def ended(client: httpx.Client, run_id: str) -> dict[str, Any]:
    wait_until(lambda: read(client, run_id)["ended_at"] is not None, 60)
    return read(client, run_id)


def events(client: httpx.Client, run_id: str) -> list[str]:
    return [event["type"] for event in client.get(f"/v1/runs/{run_id}/events").json()["items"]]


def named(agent: Agent, count: int) -> Callable[[], bool]:
    """Whether the server has heard the IDs of so many tasks: it asks how they are."""
    return lambda: sum(b"GetTask" in each.body for each in agent.seen) >= count


def test_what_the_agent_has_named_is_followed_on_and_not_sent_again(tmp_path: Path) -> None:
    behave = Held()
    with Agent(behave=behave, streaming=False) as agent:
        server = EmbeddedServer(tmp_path)
        with client_of(server.start()) as client:
            run_id = started(client, agent)
            wait_until(named(agent, 4), 60)
            server.stop()
        assert agent.cancelled == []
        behave.release()
        server = EmbeddedServer(tmp_path)
        try:
            with client_of(server.start()) as client:
                assert read(client, run_id)["status"] == "paused"
                client.post(f"/v1/runs/{run_id}/resume")
                run = ended(client, run_id)
                assert (run["status"], run["coverage"]["graded"]) == ("completed", 2)
                assert len(agent.works) == 2
                assert events(client, run_id).count("task.sent") == 2
        finally:
            server.stop()


def test_what_the_agent_has_not_named_has_failed_and_is_not_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalrouter_server.engine.remote_work.SECONDS_TO_NAME", 0.2)

    async def says_nothing(work: Work) -> None:
        await asyncio.sleep(60)

    with Agent(behave=says_nothing) as agent:
        server = EmbeddedServer(tmp_path)
        with client_of(server.start()) as client:
            run_id = started(client, agent)
            wait_until(lambda: len(agent.works) == 2, 60)
            server.stop()
        server = EmbeddedServer(tmp_path)
        try:
            with client_of(server.start()) as client:
                client.post(f"/v1/runs/{run_id}/resume")
                run = ended(client, run_id)
                assert (run["status"], run["coverage"]["failed"]) == ("failed", 2)
                results = client.get(f"/v1/runs/{run_id}/results").json()["items"]
                assert {result["error"]["code"] for result in results} == {"agent_outcome_unknown"}
                assert len(agent.works) == 2
        finally:
            server.stop()


def test_a_paused_run_that_is_cancelled_tells_the_agent(tmp_path: Path) -> None:
    with Agent(behave=Held(), streaming=False) as agent:
        server = EmbeddedServer(tmp_path)
        with client_of(server.start()) as client:
            run_id = started(client, agent)
            wait_until(named(agent, 4), 60)
            server.stop()
        server = EmbeddedServer(tmp_path)
        try:
            with client_of(server.start()) as client:
                client.post(f"/v1/runs/{run_id}/cancel")
                assert ended(client, run_id)["status"] == "cancelled"
        finally:
            server.stop()
        assert sorted(agent.cancelled) == sorted(str(work.context.task_id) for work in agent.works)
