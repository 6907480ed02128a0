"""The delivery of a run's tasks over HTTP: leases, answers, and what a client never gets."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from evalrouter_server import delivery

from tests.databases import KINDS, empty_database
from tests.sandboxes import has_sandbox
from tests.server.conftest import Service, Upstream, Workspace, running_service
from tests.server.test_access import problem
from tests.server.test_runs import create, spec

__all__ = ["has_sandbox"]

AGENT = {"kind": "python", "name": "solver", "digest": "sha256:abc"}


@pytest.fixture(scope="module", params=KINDS)
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service on each kind of database."""
    folder = tmp_path_factory.mktemp("delivery")
    if request.param == "sqlite":
        with running_service(folder) as running:
            yield running
    else:
        with empty_database(request.param, folder) as url, running_service(folder, url) as running:
            yield running


class Client:
    """A client that delivers one run's tasks."""

    def __init__(self, workspace: Workspace, run_id: str) -> None:
        self.run_id = run_id
        made = workspace.client.post(f"/v1/runs/{run_id}/delivery-keys")
        assert made.status_code == 201, made.text
        self.key_id = made.json()["id"]
        self.http = workspace.service.client(made.json()["secret"])

    def lease(self, count: int = 1) -> dict[str, Any]:
        answer = self.http.post(f"/v1/runs/{self.run_id}/leases", json={"count": count})
        assert answer.status_code == 200, answer.text
        batch: dict[str, Any] = answer.json()
        return batch

    def say(self, lease: dict[str, Any], what: str, body: dict[str, Any] | None = None) -> httpx.Response:
        return self.http.post(f"/v1/leases/{lease['id']}/{what}", json=body)

    def answer(self, lease: dict[str, Any], output: str = "4") -> None:
        assert self.say(lease, "submission", {"output": output}).status_code == 200
        assert self.say(lease, "done").status_code == 200

    def call(self, lease: dict[str, Any], **more: Any) -> httpx.Response:
        body = {"model": lease["model"], "messages": lease["inputs"]["messages"], "max_tokens": 50, **more}
        key = {"Authorization": f"Bearer {lease['gateway_key']}"}
        return self.http.post(f"{lease['gateway_base_url']}/chat/completions", json=body, headers=key)

    def release(self) -> httpx.Response:
        return self.http.post(f"/v1/delivery-keys/{self.key_id}/release")


def agent_run(workspace: Workspace, upstream: Upstream, count: int = 4, **more: Any) -> dict[str, Any]:
    asked = {"max_cost_microusd": 1_000_000, "agent": AGENT, **more}
    answer = create(workspace, spec(workspace, workspace.connect(upstream), count, **asked))
    assert answer.status_code == 201, answer.text
    run: dict[str, Any] = answer.json()
    return run


def test_a_run_is_delivered_from_end_to_end(workspace: Workspace, upstream: Upstream) -> None:
    run = agent_run(workspace, upstream)
    assert run["agent"] == {
        **AGENT,
        "version": None,
        "integrity": None,
        "command": None,
        "task_seconds": 1800,
        "hosted": False,
    }
    assert run["maximum_charge_microusd"] == run["cap_microusd"] == 1_000_000
    client = Client(workspace, run["id"])
    batch = client.lease(64)
    assert [lease["index"] for lease in batch["leases"]] == [0, 1, 2, 3]
    assert batch["unfinished"] == 4
    for lease in batch["leases"]:
        reply = client.call(lease)
        assert reply.status_code == 200, reply.text
        client.answer(lease, reply.json()["choices"][0]["message"]["content"])
        assert client.call(lease).status_code == 401
    ended = workspace.wait(run["id"])
    assert (ended["status"], ended["coverage"]["graded"], ended["flags"]) == ("completed", 4, [])
    assert ended["charge_microusd"] == 4 * 23
    results = workspace.client.get(f"/v1/runs/{run['id']}/results").json()["items"]
    assert [result["charge_microusd"] for result in results] == [23] * 4
    assert [result["output"] for result in results] == ["4"] * 4
    assert all(result["model_served"] == "double-1" for result in results)
    calls = workspace.client.get(f"/v1/runs/{run['id']}/calls").json()["items"]
    assert {call["task_id"] for call in calls} == {lease["task_id"] for lease in batch["leases"]}
    problem(client.http.post(f"/v1/runs/{run['id']}/leases", json={"count": 1}), 401, "unauthenticated")
    assert workspace.client.get("/v1/wallet").json()["held_microusd"] == 0
    assert workspace.client.get("/v1/wallet/verification").json()["ok"]


def test_a_quote_says_that_the_cap_is_the_maximum(workspace: Workspace, upstream: Upstream) -> None:
    asked = spec(workspace, workspace.connect(upstream), agent=AGENT)
    available = workspace.client.get("/v1/wallet").json()["available_microusd"]
    quote = workspace.client.post("/v1/quotes", json=asked).json()
    assert quote["maximum_charge_microusd"] == available
    capped = workspace.client.post("/v1/quotes", json={**asked, "max_cost_microusd": 5000}).json()
    assert (capped["maximum_charge_microusd"], capped["within_max_cost"]) == (5000, True)
    lines = {line["label"]: line["detail"] for line in capped["plan"]["lines"]}
    assert lines["Agent"] == "solver (python)"
    assert "the cap itself" in lines["Calls"]
    assert capped["plan"]["agent"]["digest"] == AGENT["digest"]


def test_another_agent_is_another_run(workspace: Workspace, upstream: Upstream) -> None:
    asked = spec(workspace, workspace.connect(upstream), agent=AGENT, max_cost_microusd=1000)
    first = create(workspace, asked)
    longer = create(workspace, {**asked, "agent": {**AGENT, "task_seconds": 60}})
    other = create(workspace, {**asked, "agent": {**AGENT, "digest": "sha256:def"}})
    plain = create(
        workspace, {name: value for name, value in asked.items() if name not in ("agent", "max_cost_microusd")}
    )
    assert (first.status_code, longer.status_code, other.status_code, plain.status_code) == (201, 200, 201, 201)
    assert longer.json()["id"] == first.json()["id"]


def test_an_answer_counts_once(workspace: Workspace, upstream: Upstream) -> None:
    client = Client(workspace, agent_run(workspace, upstream, 2)["id"])
    lease, other = client.lease(2)["leases"]
    problem(client.say(lease, "done"), 409, "not_submitted")
    assert client.say(lease, "submission", {"output": "first"}).status_code == 200
    problem(client.say(lease, "submission", {"output": "second"}), 409, "already_submitted")
    assert client.say(lease, "done").status_code == 200
    refused = problem(client.say(lease, "submission", {"output": "late"}), 409, "lease_ended")
    assert refused["details"]["reason"] in ("done", "graded")
    assert client.say(other, "fail", {"code": "gave_up", "message": "no idea", "details": "log"}).status_code == 200
    run = workspace.wait(client.run_id)
    first, second = workspace.client.get(f"/v1/runs/{run['id']}/results").json()["items"]
    assert first["output"] == "first"
    assert (second["error"], second["details"]) == ({"code": "gave_up", "message": "no idea"}, {"agent": "log"})
    assert (run["status"], run["flags"]) == ("partial", ["unmetered"])


def test_no_answer_of_the_protocol_holds_a_target(workspace: Workspace, upstream: Upstream) -> None:
    client = Client(workspace, agent_run(workspace, upstream, 3)["id"])
    leases = client.lease(3)["leases"]
    said = [json.dumps(leases)]
    for lease in leases:
        said += [client.say(lease, "notes", {"notes": ["thinking"]}).text]
        said += [client.say(lease, "submission", {"output": "xyzzy"}).text, client.say(lease, "done").text]
    run = workspace.wait(client.run_id)
    results = workspace.client.get(f"/v1/runs/{run['id']}/results").json()["items"]
    for result in results:
        assert "target" not in said[0]
        inputs = json.dumps(result["inputs"])
        for value in result["target"].values():
            for text in value if isinstance(value, list) else [value]:
                assert str(text) in inputs or f'"{text}"' not in "".join(said)
    notes = [
        event
        for event in workspace.client.get(f"/v1/runs/{run['id']}/events").json()["items"]
        if event["type"] == "task.note"
    ]
    assert [note["data"]["text"] for note in notes] == ["thinking"] * 3


def test_a_lease_that_is_not_renewed_goes_back_and_takes_nothing_more(
    workspace: Workspace, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(workspace, agent_run(workspace, upstream, 1)["id"])
    monkeypatch.setattr(delivery, "LEASE_TIME", timedelta(seconds=0.5))
    (lost,) = client.lease()["leases"]
    monkeypatch.undo()
    again: list[dict[str, Any]] = []
    while not again:
        again = client.lease()["leases"]
    assert again[0]["task_id"] == lost["task_id"]
    for what, body in (("submission", {"output": "late"}), ("done", None), ("notes", {"notes": ["late"]})):
        refused = problem(client.say(lost, what, body), 409, "lease_ended")
        assert refused["details"]["reason"] == "expired"
    assert client.call(lost).status_code == 401
    client.answer(again[0], "in time")
    assert workspace.wait(client.run_id)["status"] == "completed"
    (result,) = workspace.client.get(f"/v1/runs/{client.run_id}/results").json()["items"]
    assert result["output"] == "in time"


@pytest.mark.parametrize("odd", ["a\\u0000b", "half a pair \\ud800"])
def test_an_answer_that_no_database_takes_is_refused_and_the_lease_goes_on(
    workspace: Workspace, upstream: Upstream, odd: str
) -> None:
    client = Client(workspace, agent_run(workspace, upstream, 2)["id"])
    lease, other = client.lease(2)["leases"]

    def say(to: dict[str, Any], what: str, body: str) -> httpx.Response:
        headers = {"Content-Type": "application/json"}
        return client.http.post(f"/v1/leases/{to['id']}/{what}", content=body.replace("ODD", odd), headers=headers)

    problem(say(lease, "submission", '{"output": "ODD"}'), 422, "invalid_request")
    assert say(lease, "notes", '{"notes": ["ODD"]}').status_code in (200, 422)
    if say(other, "fail", '{"code": "gave_up", "message": "ODD", "details": "ODD"}').status_code != 200:
        assert client.say(other, "fail", {"code": "gave_up", "message": "x"}).status_code == 200
    client.answer(lease, "\x1b[2J \u202e \U0001f600")
    run = workspace.wait(client.run_id)
    assert (run["coverage"]["graded"], run["coverage"]["failed"]) == (1, 1)


def test_a_lease_that_is_renewed_goes_on(workspace: Workspace, upstream: Upstream) -> None:
    client = Client(workspace, agent_run(workspace, upstream, 1)["id"])
    (lease,) = client.lease()["leases"]
    body = {"lease_ids": [lease["id"], "lease_00000000000000000000000000"]}
    renewal = client.http.post(f"/v1/runs/{client.run_id}/leases/renew", json=body).json()
    assert (renewal["ended"], renewal["run_status"]) == ([], "running")
    assert renewal["expires_at"] > lease["expires_at"]
    client.answer(lease)
    renewal = client.http.post(f"/v1/runs/{client.run_id}/leases/renew", json=body).json()
    assert [each["id"] for each in renewal["ended"]] == [lease["id"]]


def test_cancelling_ends_leases_at_once(workspace: Workspace, upstream: Upstream) -> None:
    client = Client(workspace, agent_run(workspace, upstream)["id"])
    done, held = client.lease(2)["leases"]
    client.answer(done)
    assert workspace.client.post(f"/v1/runs/{client.run_id}/cancel").status_code == 200
    assert client.call(held).status_code == 401
    run = workspace.wait(client.run_id)
    assert run["status"] == "cancelled"
    answer = client.say(held, "submission", {"output": "late"})
    assert answer.status_code in (401, 409)
    assert workspace.client.get("/v1/wallet").json()["held_microusd"] == 0


def test_what_a_client_gives_back_is_delivered_again(workspace: Workspace, upstream: Upstream) -> None:
    run = agent_run(workspace, upstream, 2, concurrency=2)
    one, two = Client(workspace, run["id"]), Client(workspace, run["id"])
    first, second = one.lease(2)["leases"]
    assert two.lease(2)["leases"] == []
    assert one.say(first, "return").status_code == 200
    problem(one.say(first, "return"), 409, "lease_ended")
    (again,) = two.lease(2)["leases"]
    assert (again["task_id"], again["gateway_key"] != first["gateway_key"]) == (first["task_id"], True)
    problem(two.say(second, "submission", {"output": "4"}), 404, "not_found")
    assert one.release().status_code == 204
    problem(one.say(second, "submission", {"output": "4"}), 401, "unauthenticated")
    (last,) = two.lease(2)["leases"]
    two.answer(again)
    two.answer(last)
    assert workspace.wait(run["id"])["status"] == "completed"


def test_a_run_that_nobody_delivers_pauses_and_goes_on(workspace: Workspace, upstream: Upstream) -> None:
    run = agent_run(workspace, upstream, 2)
    one = Client(workspace, run["id"])
    lease, _ = one.lease(2)["leases"]
    one.answer(lease)
    assert one.release().status_code == 204
    paused = workspace.wait(run["id"])
    assert paused["status"] == "paused"
    assert paused["status_reason"].startswith("no_client: ")
    two = Client(workspace, run["id"])
    (left,) = two.lease(2)["leases"]
    assert left["task_id"] != lease["task_id"]
    two.answer(left)
    ended = workspace.wait(run["id"])
    assert (ended["status"], ended["coverage"]["graded"]) == ("completed", 2)


def test_a_budget_that_is_used_up_ends_the_run_and_fails_no_task(workspace: Workspace, upstream: Upstream) -> None:
    run = agent_run(workspace, upstream, 4, max_cost_microusd=2000, concurrency=4)
    client = Client(workspace, run["id"])
    first, second = client.lease(2)["leases"]
    assert client.call(first, max_tokens=20).status_code == 200
    assert client.call(second, max_tokens=5000).status_code == 402
    client.answer(second, "the budget is exhausted")
    assert client.lease(2)["leases"] == []
    client.answer(first)
    ended = workspace.wait(run["id"])
    assert ended["status"] == "partial"
    assert ended["status_reason"].startswith("budget_exhausted")
    assert (ended["coverage"]["graded"], ended["coverage"]["failed"], ended["coverage"]["missing"]) == (1, 0, 3)


def test_a_key_opens_only_its_own_run(workspace: Workspace, upstream: Upstream) -> None:
    asked = spec(workspace, workspace.connect(upstream), 2, agent=AGENT, max_cost_microusd=1000)
    one = Client(workspace, create(workspace, asked).json()["id"])
    two = Client(workspace, create(workspace, {**asked, "name": "two"}).json()["id"])
    (lease,) = one.lease()["leases"]
    problem(two.say(lease, "submission", {"output": "4"}), 404, "not_found")
    problem(two.http.post(f"/v1/runs/{one.run_id}/leases", json={"count": 1}), 404, "not_found")
    for path in ("/v1/runs", f"/v1/runs/{one.run_id}", f"/v1/runs/{one.run_id}/results", "/v1/whoami"):
        problem(one.http.get(path), 401, "unauthenticated")
    problem(workspace.client.post(f"/v1/runs/{one.run_id}/leases", json={"count": 1}), 401, "unauthenticated")


def test_a_run_without_an_agent_has_nothing_to_deliver(workspace: Workspace, upstream: Upstream) -> None:
    run = create(workspace, spec(workspace, workspace.connect(upstream))).json()
    problem(workspace.client.post(f"/v1/runs/{run['id']}/delivery-keys"), 409, "no_agent")


@pytest.mark.parametrize(
    "agent",
    [
        {"kind": "other", "name": "x", "digest": "x"},
        {"kind": "python", "name": ""},
        {"kind": "local", "name": "x", "digest": "y"},
    ],
)
def test_an_agent_is_described_in_full(workspace: Workspace, upstream: Upstream, agent: dict[str, Any]) -> None:
    problem(create(workspace, spec(workspace, workspace.connect(upstream), agent=agent)), 422, "invalid_request")


def test_changed_files_are_taken_where_the_task_came_with_files_alone(
    workspace: Workspace, upstream: Upstream, has_sandbox: None
) -> None:
    run = agent_run(workspace, upstream, 1)
    client = Client(workspace, run["id"])
    (question,) = client.lease()["leases"]
    files = [{"path": "a.py", "text": "a"}]
    problem(client.say(question, "submission", {"output": "4", "files": files}), 422, "invalid_request")
    client.answer(question)
    body = {
        "benchmark_id": workspace.benchmark("small-repairs"),
        "model_id": run["model"]["id"],
        "coverage": {"mode": "sample", "sample_count": 1, "seed": 1},
        "max_cost_microusd": 1_000_000,
    }
    problem(workspace.client.post("/v1/quotes", json=body), 409, "agent_needed")
    client = Client(workspace, create(workspace, {**body, "agent": AGENT}).json()["id"])
    (lease,) = client.lease()["leases"]
    assert set(lease["inputs"]) == {"name", "task", "files", "messages"}
    twice = {"output": "", "files": files * 2}
    many = {"output": "", "files": [{"path": f"{number}", "text": "x" * 250_000} for number in range(4)]}
    for refused in (twice, many):
        problem(client.say(lease, "submission", refused), 422, "invalid_request")
    said = {"output": "done", "files": [*files, {"path": "b.py", "text": None}], "left_out": ["c: why"]}
    assert client.say(lease, "submission", said).status_code == 200
    assert client.say(lease, "done").status_code == 200
    assert workspace.wait(client.run_id)["status"] == "completed"
    (result,) = workspace.client.get(f"/v1/runs/{client.run_id}/results").json()["items"]
    kept = {"answer": "done", "files": {"a.py": "a", "b.py": None}, "left_out": ["c: why"]}
    assert (json.loads(result["output"]), result["extracted"]) == (kept, "a.py, b.py")
    assert (result["correct"], result["details"]["left_out"]) == (False, ["c: why"])
