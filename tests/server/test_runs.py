"""Quoting, creating, following and reading runs, with a model endpoint that speaks the real wire."""

import csv
import io
import json
import re
from datetime import timedelta
from typing import Any

import httpx
import pytest
from evalrouter_server.clock import utc_now
from evalrouter_server.store.tables import connections, quotes
from sqlalchemy import Connection

from tests.server.conftest import Upstream, Workspace
from tests.server.test_access import problem


def spec(workspace: Workspace, model_id: str, count: int = 4, **more: Any) -> dict[str, Any]:
    coverage = {"mode": "sample", "sample_count": count, "seed": 7}
    return {"benchmark_id": workspace.benchmark(), "model_id": model_id, "coverage": coverage, **more}


def create(workspace: Workspace, body: dict[str, Any]) -> httpx.Response:
    return workspace.client.post("/v1/runs", json={"source": "spec", "spec": body})


def start(workspace: Workspace, quote_id: str) -> httpx.Response:
    return workspace.client.post("/v1/runs", json={"source": "quote", "quote_id": quote_id})


def test_a_quote_is_a_frozen_plan_and_starts_nothing(workspace: Workspace, upstream: Upstream) -> None:
    body = spec(workspace, workspace.connect(upstream), name="first", metadata={"a": "b"})
    answer = workspace.client.post("/v1/quotes", json=body)
    assert answer.status_code == 201
    quote = answer.json()
    assert quote["within_max_cost"] is True
    assert quote["largest_sample_count"] is None
    assert len(quote["plan"]["item_ids"]) == quote["plan"]["call_count"] == 4
    assert quote["plan"]["lines"][-1]["amount_microusd"] == quote["maximum_charge_microusd"] > 0
    assert (quote["name"], quote["metadata"], quote["run_id"]) == ("first", {"a": "b"}, None)
    assert workspace.client.get(f"/v1/quotes/{quote['id']}").json() == quote
    assert workspace.client.get("/v1/runs").json()["items"] == []
    assert workspace.client.get("/v1/wallet").json()["held_microusd"] == 0
    assert upstream.requests == 0


def test_a_stratified_sample_is_drawn_from_each_group(workspace: Workspace, upstream: Upstream) -> None:
    body = spec(workspace, workspace.connect(upstream), count=9)
    coverage = {**body["coverage"], "stratify": "group"}
    run = workspace.wait(create(workspace, {**body, "coverage": coverage}).json()["id"])
    results = workspace.client.get(f"/v1/runs/{run['id']}/results").json()["items"]
    groups = [result["group"] for result in results]
    assert {group: groups.count(group) for group in groups} == {"facts": 3, "arithmetic": 3, "words": 3}
    assert run["coverage"]["stratify"] == "group"
    assert create(workspace, body).json()["coverage"]["stratify"] is None


def test_a_benchmark_without_groups_cannot_be_stratified(workspace: Workspace, upstream: Upstream) -> None:
    coverage = {"mode": "sample", "sample_count": 2, "stratify": "group"}
    gsm8k = workspace.client.get("/v1/benchmarks", params={"match": "gsm8k"}).json()["items"][0]["id"]
    body = {**spec(workspace, workspace.connect(upstream)), "benchmark_id": gsm8k, "coverage": coverage}
    found = problem(workspace.client.post("/v1/quotes", json=body), 422, "invalid_request")
    assert found["details"]["fields"] == [{"field": "spec.coverage.stratify", "message": "the benchmark has no groups"}]


def test_a_run_from_end_to_end(workspace: Workspace, upstream: Upstream) -> None:
    answer = create(workspace, spec(workspace, workspace.connect(upstream), max_cost_microusd=5_000_000, name="all"))
    assert answer.status_code == 201
    created = answer.json()
    assert created["status"] == "queued"
    assert created["cap_microusd"] == created["maximum_charge_microusd"] < 5_000_000
    run = workspace.wait(created["id"])
    assert run["status"] == "completed"
    assert run["is_sample"] is True
    assert run["is_partial"] is False
    assert run["coverage"]["graded"] == 4
    assert run["score"] is not None
    assert run["charge_microusd"] == 4 * 23
    assert run["models_served"] == ["double-1"]
    wallet = workspace.client.get("/v1/wallet").json()
    assert wallet["held_microusd"] == 0
    assert wallet["balance_microusd"] == 20_000_000 - 4 * 23
    assert workspace.client.get("/v1/wallet/verification").json()["ok"] is True
    assert [entry["id"] for entry in workspace.client.get("/v1/runs").json()["items"]] == [run["id"]]
    assert workspace.client.get("/v1/runs", params={"status": "failed"}).json()["items"] == []


def test_repeats_are_tried_paid_for_and_give_pass_at_k(workspace: Workspace, upstream: Upstream) -> None:
    model = workspace.connect(upstream)
    once = workspace.client.post("/v1/quotes", json=spec(workspace, model)).json()
    thrice = workspace.client.post("/v1/quotes", json=spec(workspace, model, repeats=3)).json()
    assert thrice["plan"]["call_count"] == 3 * once["plan"]["call_count"] == 12
    one_call = once["maximum_charge_microusd"] / (4 + once["plan"]["lost_try_allowance"])
    assert thrice["maximum_charge_microusd"] >= 12 * one_call
    run = workspace.wait(start(workspace, thrice["id"]).json()["id"])
    assert (upstream.requests, run["charge_microusd"]) == (12, 12 * 23)
    assert {row["repeat"] for row in workspace.client.get(f"/v1/runs/{run['id']}/results").json()["items"]} == {0, 1, 2}
    by_name = {metric["name"]: metric for metric in run["metrics"]}
    assert set(by_name) - {"accuracy_across_groups"} == {
        "accuracy", "pass@1", "pass@2", "pass@3", "pass^2", "pass^3"
    }  # fmt: skip
    assert by_name["accuracy"]["n"] == 12
    assert by_name["pass@3"]["n"] == 4
    assert by_name["pass^3"]["value"] == by_name["pass@1"]["value"] == run["score"]
    assert all(group["low"] <= group["score"] <= group["high"] for group in run["groups"] if group["n"])


def test_results_and_calls_come_by_the_page(workspace: Workspace, upstream: Upstream) -> None:
    run = create(workspace, spec(workspace, workspace.connect(upstream), 5)).json()
    workspace.wait(run["id"])
    for part in ("results", "calls"):
        seen: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            parameters = {"limit": "2"} | ({} if cursor is None else {"cursor": cursor})
            page = workspace.client.get(f"/v1/runs/{run['id']}/{part}", params=parameters).json()
            seen += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert len(seen) == 5
        assert sum(row["charge_microusd"] for row in seen) == 5 * 23
    results = workspace.client.get(f"/v1/runs/{run['id']}/results").json()["items"]
    assert [row["index"] for row in results] == [0, 1, 2, 3, 4]
    assert all(row["output"] == "4" and row["status"] == "graded" for row in results)
    calls = workspace.client.get(f"/v1/runs/{run['id']}/calls").json()["items"]
    assert {call["task_id"] for call in calls} == {row["task_id"] for row in results}
    assert all(len(call["tries"]) == 1 and call["status"] == "settled" for call in calls)


def test_an_equal_create_gives_the_first_run(workspace: Workspace, upstream: Upstream) -> None:
    body = spec(workspace, workspace.connect(upstream))
    first = create(workspace, body)
    workspace.wait(first.json()["id"])
    again = create(workspace, {**body, "repeats": 1, "metadata": {}})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["id"] == first.json()["id"]
    assert again.json()["status"] == "completed"
    assert upstream.requests == 4
    other = create(workspace, {**body, "name": "another"})
    assert other.status_code == 201
    workspace.wait(other.json()["id"])


def test_a_callers_key_names_one_run(workspace: Workspace, upstream: Upstream) -> None:
    body = spec(workspace, workspace.connect(upstream))
    mine = {**body, "dedupe_key": "mine"}
    first = create(workspace, mine)
    assert create(workspace, mine).json()["id"] == first.json()["id"]
    problem(create(workspace, {**mine, "name": "x"}), 409, "idempotency_conflict")
    second = create(workspace, {**body, "dedupe_key": "yours"})
    assert second.status_code == 201
    assert second.json()["id"] != first.json()["id"]
    for run in (first, second):
        workspace.wait(run.json()["id"])


def test_a_quote_of_what_was_started_gives_that_run(workspace: Workspace, upstream: Upstream) -> None:
    body = spec(workspace, workspace.connect(upstream))
    first = create(workspace, body).json()
    quote = workspace.client.post("/v1/quotes", json=body).json()
    again = start(workspace, quote["id"])
    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    anew = workspace.client.post("/v1/quotes", json={**body, "dedupe_key": "anew"}).json()
    other = start(workspace, anew["id"])
    assert other.status_code == 201
    assert other.json()["id"] != first["id"]
    for run_id in (first["id"], other.json()["id"]):
        workspace.wait(run_id)


def test_a_quote_starts_one_run(workspace: Workspace, upstream: Upstream) -> None:
    body = spec(workspace, workspace.connect(upstream), name="quoted", metadata={"k": "v"})
    quote = workspace.client.post("/v1/quotes", json=body).json()
    first, again = start(workspace, quote["id"]), start(workspace, quote["id"])
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert first.json()["quote_id"] == quote["id"]
    assert (first.json()["name"], first.json()["metadata"]) == ("quoted", {"k": "v"})
    assert workspace.client.get(f"/v1/quotes/{quote['id']}").json()["run_id"] == first.json()["id"]
    workspace.wait(first.json()["id"])


def test_a_quote_of_what_was_run_before_starts_no_second_run(workspace: Workspace, upstream: Upstream) -> None:
    body = spec(workspace, workspace.connect(upstream))
    first = create(workspace, body)
    quote = workspace.client.post("/v1/quotes", json=body).json()
    again = start(workspace, quote["id"])
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
    other = workspace.client.post("/v1/quotes", json={**body, "dedupe_key": "another"}).json()
    second = start(workspace, other["id"])
    assert (second.status_code, second.json()["id"] != first.json()["id"]) == (201, True)
    assert create(workspace, {**body, "dedupe_key": "another"}).json()["id"] == second.json()["id"]
    for run in (first, second):
        workspace.wait(run.json()["id"])


def test_an_expired_quote_is_refused_by_name(workspace: Workspace, upstream: Upstream) -> None:
    quote = workspace.client.post("/v1/quotes", json=spec(workspace, workspace.connect(upstream))).json()

    def expire(connection: Connection) -> None:
        past = utc_now() - timedelta(seconds=1)
        connection.execute(quotes.update().where(quotes.c.id == quote["id"]).values(expires_at=past))

    workspace.service.write(expire)
    problem(start(workspace, quote["id"]), 409, "quote_expired")
    assert workspace.client.get("/v1/wallet").json()["held_microusd"] == 0


def test_a_quote_whose_price_changed_is_refused_by_name(workspace: Workspace, upstream: Upstream) -> None:
    model_id = workspace.connect(upstream)
    quote = workspace.client.post("/v1/quotes", json=spec(workspace, model_id)).json()

    def raise_price(connection: Connection) -> None:
        row = connection.execute(connections.select().where(connections.c.model_id == model_id)).one()
        price = {**row.price, "input_usd_per_mtok": "2"}
        connection.execute(connections.update().where(connections.c.model_id == model_id).values(price=price))

    workspace.service.write(raise_price)
    document = problem(start(workspace, quote["id"]), 409, "quote_changed")
    assert document["details"]["changed"] == ["price"]


def test_a_run_above_max_cost_is_refused_with_what_fits(workspace: Workspace, upstream: Upstream) -> None:
    body = spec(workspace, workspace.connect(upstream, price="100"), count=50)
    whole = workspace.client.post("/v1/quotes", json=body).json()["maximum_charge_microusd"]
    body["max_cost_microusd"] = whole // 2
    quote = workspace.client.post("/v1/quotes", json=body).json()
    assert quote["within_max_cost"] is False
    assert quote["shortfall_microusd"] == whole - whole // 2
    document = problem(create(workspace, body), 402, "max_cost_too_low")
    details = document["details"]
    assert details["shortfall_microusd"] == quote["shortfall_microusd"]
    assert details["quote"]["plan"] == quote["plan"]
    fits = details["largest_sample_count"]
    assert 0 < fits < 50
    problem(start(workspace, quote["id"]), 402, "max_cost_too_low")
    assert workspace.client.get("/v1/wallet").json()["held_microusd"] == 0
    fitting = {**body, "coverage": {**body["coverage"], "sample_count": fits}}
    assert workspace.client.post("/v1/quotes", json=fitting).json()["within_max_cost"] is True
    beyond = {**body, "coverage": {**body["coverage"], "sample_count": fits + 1}}
    assert workspace.client.post("/v1/quotes", json=beyond).json()["within_max_cost"] is False


def test_without_max_cost_the_wallet_bounds_the_run(workspace: Workspace, upstream: Upstream) -> None:
    upstream.gate.clear()
    run = create(workspace, spec(workspace, workspace.connect(upstream, price="5000"), count=40)).json()
    assert run["maximum_charge_microusd"] > 20_000_000
    assert run["cap_microusd"] == 20_000_000
    assert workspace.client.get("/v1/wallet").json()["available_microusd"] == 0
    document = problem(
        create(workspace, spec(workspace, run["model"]["id"], count=2, name="more")), 402, "insufficient_funds"
    )
    assert document["details"]["holding_runs"][0]["run_id"] == run["id"]
    upstream.gate.set()
    workspace.wait(run["id"])
    assert workspace.client.get("/v1/wallet/verification").json()["ok"] is True


def test_a_keys_ceiling_bounds_what_it_starts(workspace: Workspace, upstream: Upstream) -> None:
    model_id = workspace.connect(upstream, price="100")
    made = workspace.client.post("/v1/keys", json={"name": "ci", "ceiling_microusd": 1}).json()
    body = {"source": "spec", "spec": spec(workspace, model_id)}
    with workspace.service.client(made["secret"]) as client:
        document = problem(client.post("/v1/runs", json=body), 402, "ceiling_exceeded")
        assert document["details"]["remaining_microusd"] == 1
    workspace.client.patch(f"/v1/keys/{made['key']['id']}", json={"ceiling_microusd": 100_000})
    with workspace.service.client(made["secret"]) as client:
        run = client.post("/v1/runs", json=body).json()
    assert run["cap_microusd"] == min(100_000, run["maximum_charge_microusd"])
    workspace.wait(run["id"])
    key = workspace.client.get(f"/v1/keys/{made['key']['id']}").json()
    assert key["committed_microusd"] == 4 * 2300


def test_a_free_model_costs_nothing(workspace: Workspace, upstream: Upstream) -> None:
    body = {"name": "free", "kind": "model", "base_url": upstream.base_url, "upstream_model": "double-1"}
    connection = workspace.client.post("/v1/connections", json={**body, "pricing": {"type": "free"}}).json()
    run = create(workspace, spec(workspace, connection["model_id"], max_cost_microusd=1)).json()
    assert run["cap_microusd"] == 0
    assert workspace.wait(run["id"])["status"] == "completed"
    assert workspace.client.get("/v1/wallet").json()["balance_microusd"] == 20_000_000


def test_an_unpriced_or_uncallable_model_is_refused_by_name(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = workspace.client.get("/v1/models", params={"match": "gpt-5"}).json()["items"]
    assert [model["reference"] for model in found] == ["openai/gpt-5"]
    body = spec(workspace, found[0]["id"])
    assert workspace.client.post("/v1/quotes", json=body).status_code == 201
    document = problem(create(workspace, body), 409, "model_unavailable")
    assert "OPENAI_API_KEY" in document["message"]


def test_unknown_ids_and_too_large_samples_are_refused(workspace: Workspace, upstream: Upstream) -> None:
    model_id = workspace.connect(upstream)
    unknown = spec(workspace, "model_" + "0" * 26)
    problem(workspace.client.post("/v1/quotes", json=unknown), 404, "not_found")
    unknown = {**spec(workspace, model_id), "benchmark_id": "bench_" + "0" * 26}
    problem(create(workspace, unknown), 404, "not_found")
    problem(create(workspace, spec(workspace, model_id, count=121)), 422, "invalid_request")


def test_cancel_is_prompt_and_keeps_what_was_graded(workspace: Workspace, upstream: Upstream) -> None:
    upstream.gate.clear()
    run = create(workspace, spec(workspace, workspace.connect(upstream), count=40, concurrency=2)).json()
    cancelled = workspace.client.post(f"/v1/runs/{run['id']}/cancel")
    assert cancelled.status_code == 200
    assert cancelled.json()["status"] in ("cancelling", "cancelled")
    upstream.gate.set()
    ended = workspace.wait(run["id"])
    assert ended["status"] == "cancelled"
    assert upstream.requests <= 2
    again = workspace.client.post(f"/v1/runs/{run['id']}/cancel")
    assert again.json() == ended
    problem(workspace.client.post(f"/v1/runs/{run['id']}/gateway-keys"), 409, "run_ended")


def test_events_are_numbered_and_resumed(workspace: Workspace, upstream: Upstream) -> None:
    run = create(workspace, spec(workspace, workspace.connect(upstream))).json()
    workspace.wait(run["id"])
    path = f"/v1/runs/{run['id']}/events"
    page = workspace.client.get(path).json()
    seqs = [event["seq"] for event in page["items"]]
    assert seqs == list(range(1, page["last_seq"] + 1))
    assert page["items"][0]["type"] == "run.created"
    assert page["items"][-1]["type"] == "run.ended"
    assert page["run_status"] == "completed"
    assert [event["type"] for event in page["items"]].count("task.graded") == 4
    rest = workspace.client.get(path, params={"after": 2, "limit": 1}).json()
    assert [event["seq"] for event in rest["items"]] == [3]
    streamed = workspace.client.get(f"{path}/stream", headers={"Last-Event-ID": "2"})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    ids = [int(line.removeprefix("id: ")) for line in streamed.text.splitlines() if line.startswith("id: ")]
    assert ids == list(range(3, page["last_seq"] + 1))
    assert workspace.client.get(f"{path}/stream", params={"after": page["last_seq"]}).text == ""


def test_a_stream_follows_a_run_as_it_goes(workspace: Workspace, upstream: Upstream) -> None:
    upstream.gate.clear()
    run = create(workspace, spec(workspace, workspace.connect(upstream))).json()
    seen: list[str] = []
    with workspace.client.stream("GET", f"/v1/runs/{run['id']}/events/stream") as stream:
        for line in stream.iter_lines():
            if line.startswith("event: "):
                seen.append(line.removeprefix("event: "))
                if seen[-1] == "run.started":
                    upstream.gate.set()
    assert seen[0] == "run.created"
    assert seen[-1] == "run.ended"
    assert seen.count("task.graded") == 4


def test_a_gateway_key_calls_the_runs_model(workspace: Workspace, upstream: Upstream) -> None:
    upstream.gate.clear()
    run = create(workspace, spec(workspace, workspace.connect(upstream))).json()
    answer = workspace.client.post(f"/v1/runs/{run['id']}/gateway-keys")
    assert answer.status_code == 201
    key = answer.json()
    assert key["base_url"] == f"{workspace.service.endpoint.base_url}/gateway/v1"
    assert key["secret"] not in workspace.client.get(f"/v1/runs/{run['id']}").text
    with httpx.Client(trust_env=False, headers={"Authorization": f"Bearer {key['secret']}"}) as client:
        models = client.get(f"{key['base_url']}/models").json()
        assert key["model"] in [model["id"] for model in models["data"]]
    upstream.gate.set()
    workspace.wait(run["id"])


def test_exports(workspace: Workspace, upstream: Upstream) -> None:
    upstream.answer = "=HYPERLINK(1)"
    run = create(workspace, spec(workspace, workspace.connect(upstream))).json()
    run = workspace.wait(run["id"])
    path = f"/v1/runs/{run['id']}/export"
    whole = workspace.client.get(path)
    assert whole.headers["content-type"] == "application/json"
    assert whole.json()["run"] == run
    assert whole.json()["results"] == workspace.client.get(f"/v1/runs/{run['id']}/results").json()["items"]
    lines = workspace.client.get(path, params={"format": "jsonl"})
    assert lines.headers["content-type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in lines.text.splitlines()]
    assert len(rows) == 4
    assert all(row["run_id"] == run["id"] and row["is_sample"] is True for row in rows)
    table = workspace.client.get(path, params={"format": "csv"})
    assert table.headers["content-type"].startswith("text/csv")
    cells = list(csv.DictReader(io.StringIO(table.text)))
    assert len(cells) == 4
    assert all(row["output"] == "'=HYPERLINK(1)" and row["is_partial"] == "false" for row in cells)
    problem(workspace.client.get(path, params={"format": "xml"}), 422, "invalid_request")


def test_a_connection_in_use_stays(workspace: Workspace, upstream: Upstream) -> None:
    upstream.gate.clear()
    run = create(workspace, spec(workspace, workspace.connect(upstream))).json()
    connection_id = workspace.client.get("/v1/connections").json()["items"][0]["id"]
    problem(workspace.client.delete(f"/v1/connections/{connection_id}"), 409, "in_use")
    upstream.gate.set()
    workspace.wait(run["id"])
    assert workspace.client.delete(f"/v1/connections/{connection_id}").status_code == 204
    problem(workspace.client.get(f"/v1/connections/{connection_id}"), 404, "not_found")
    assert workspace.client.get(f"/v1/runs/{run['id']}").json()["status"] == "completed"


def test_a_connections_key_is_never_shown(workspace: Workspace) -> None:
    body = {
        "name": "secret-one",
        "kind": "model",
        "base_url": "http://127.0.0.1:9/v1/",
        "upstream_model": "m",
        "pricing": {"type": "per_token", "input_usd_per_mtok": "0.10", "output_usd_per_mtok": "0.40"},
        "key": "sk-very-secret",
    }
    made = workspace.client.post("/v1/connections", json=body)
    assert made.status_code == 201
    assert made.json()["has_key"] is True
    assert made.json()["price"]["input_usd_per_mtok"] == "0.10"
    assert "sk-very-secret" not in made.text
    problem(workspace.client.post("/v1/connections", json={**body, "name": "SECRET-ONE"}), 409, "name_taken")
    problem(workspace.client.post("/v1/connections", json={**body, "key_env": "X"}), 422, "invalid_request")
    found = workspace.client.get("/v1/models", params={"match": "connection:secret-one"}).json()["items"]
    assert [model["id"] for model in found] == [made.json()["model_id"]]
    assert "sk-very-secret" not in workspace.client.get("/v1/connections").text


def test_a_provider_that_exceeds_its_bounds_ends_the_run_with_the_reason(
    workspace: Workspace, upstream: Upstream
) -> None:
    upstream.usage = {"prompt_tokens": 20, "completion_tokens": 10**9, "total_tokens": 10**9 + 20}
    started = create(workspace, {**spec(workspace, workspace.connect(upstream)), "concurrency": 1}).json()
    ended = workspace.wait(started["id"])
    assert ended["status"] == "partial"
    assert ended["status_reason"].startswith("provider_exceeds_bound: ")
    assert "overage" in ended["flags"]
    assert ended["charge_microusd"] <= ended["cap_microusd"]
    assert (ended["coverage"]["graded"], ended["coverage"]["failed"], ended["coverage"]["missing"]) == (1, 0, 3)
    assert upstream.requests == 1


@pytest.mark.parametrize("status", [401, 402])
def test_a_key_that_the_provider_refuses_pauses_the_run_until_it_is_right(
    workspace: Workspace, upstream: Upstream, status: int
) -> None:
    upstream.status = status
    run = create(workspace, spec(workspace, workspace.connect(upstream), 12, concurrency=2)).json()
    paused = workspace.wait(run["id"])
    assert paused["status"] == "paused"
    assert paused["status_reason"].startswith(f"provider_refused_key: the provider answered HTTP {status}")
    assert paused["coverage"]["failed"] == 0
    assert upstream.requests <= 2

    upstream.status = 200
    assert workspace.client.post(f"/v1/runs/{run['id']}/resume").status_code in (200, 202)
    ended = workspace.wait(run["id"])
    assert (ended["status"], ended["coverage"]["graded"], ended["charge_microusd"]) == ("completed", 12, 12 * 23)


def test_a_stream_of_the_run_alone_leaves_out_the_tasks(workspace: Workspace, upstream: Upstream) -> None:
    run = create(workspace, spec(workspace, workspace.connect(upstream), 5)).json()
    path = f"/v1/runs/{run['id']}/events/stream"
    told = re.findall(r"^event: (\S+)", workspace.client.get(path, params={"scope": "run"}).text, re.MULTILINE)
    assert told == ["run.created", "run.started", "run.ended"]
    everything = workspace.client.get(path).text
    assert everything.count("event: task.graded") == 5
    last = re.findall(r"^id: (\d+)", everything, re.MULTILINE)[-1]
    assert "event:" not in workspace.client.get(path, params={"scope": "run", "after": last}).text
    assert workspace.client.get(path, params={"scope": "some"}).status_code == 422
