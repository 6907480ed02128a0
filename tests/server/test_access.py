"""Who is let in, and what each key may do and see."""

from typing import Any

import httpx
import pytest

from tests.server.conftest import Service, Upstream, Workspace

READS = ("/v1/whoami", "/v1/benchmarks", "/v1/models", "/v1/connections", "/v1/runs", "/v1/wallet", "/v1/keys")


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert document["code"] == code
    assert document["request_id"] == answer.headers["EvalRouter-Request-Id"]
    assert document["request_id"].startswith("req_")
    return document


def key_with(workspace: Workspace, *scopes: str) -> httpx.Client:
    made = workspace.client.post("/v1/keys", json={"name": "some", "scopes": list(scopes)})
    assert made.status_code == 201, made.text
    return workspace.service.client(made.json()["secret"])


def test_health_needs_no_key(service: Service) -> None:
    with service.client(None) as client:
        answer = client.get("/v1/health")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    assert answer.headers["EvalRouter-Request-Id"].startswith("req_")


def test_whoami_names_workspace_and_key(workspace: Workspace) -> None:
    identity = workspace.client.get("/v1/whoami").json()
    assert identity["workspace_id"] == workspace.id
    assert identity["workspace_name"] == "test"
    assert identity["scopes"] == ["read", "run", "admin"]
    assert identity["embedded"] is True


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer er_wrong", "Basic eDp5", "er_wrong"])
def test_without_a_valid_key_every_read_is_refused_alike(service: Service, path: str, header: str | None) -> None:
    with service.client(None) as client:
        answer = client.get(path, headers={} if header is None else {"Authorization": header})
    document = problem(answer, 401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert document["details"] == {}


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/quotes", "/v1/keys", "/v1/connections", "/v1/wallet/top-ups"])
@pytest.mark.parametrize("body", [b"", b"{", b"{}", b'{"name": 1}'])
def test_without_a_key_a_write_learns_nothing_about_its_body(service: Service, path: str, body: bytes) -> None:
    with service.client(None) as client:
        answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
    problem(answer, 401, "unauthenticated")


def test_without_a_key_a_bad_parameter_is_not_mentioned(service: Service) -> None:
    with service.client(None) as client:
        problem(client.get("/v1/runs", params={"limit": "x"}), 401, "unauthenticated")
        problem(client.get("/v1/runs/nonsense"), 401, "unauthenticated")


def test_a_named_workspace_must_be_the_keys(workspace: Workspace, other_workspace: Workspace) -> None:
    own = workspace.client.get("/v1/whoami", headers={"EvalRouter-Workspace": workspace.id})
    assert own.status_code == 200
    other = workspace.client.get("/v1/whoami", headers={"EvalRouter-Workspace": other_workspace.id})
    problem(other, 401, "unauthenticated")


def test_a_revoked_key_is_refused(workspace: Workspace) -> None:
    made = workspace.client.post("/v1/keys", json={"name": "short-lived"}).json()
    with workspace.service.client(made["secret"]) as client:
        assert client.get("/v1/whoami").status_code == 200
        assert workspace.client.delete(f"/v1/keys/{made['key']['id']}").status_code == 204
        problem(client.get("/v1/whoami"), 401, "unauthenticated")


def test_a_reading_key_only_reads(workspace: Workspace) -> None:
    with key_with(workspace, "read") as client:
        for path in READS:
            assert client.get(path).status_code == 200, path
        for path, body in (
            ("/v1/keys", {"name": "x"}),
            ("/v1/wallet/top-ups", {"amount_microusd": 1}),
            ("/v1/quotes", {"benchmark_id": workspace.benchmark(), "model_id": "model_" + "0" * 26}),
        ):
            document = problem(client.post(path, json=body), 403, "forbidden")
            assert document["details"]["needed_scope"] in ("run", "admin")


def test_a_running_key_does_not_manage(workspace: Workspace) -> None:
    with key_with(workspace, "run") as client:
        assert client.get("/v1/wallet").status_code == 200
        problem(client.post("/v1/keys", json={"name": "x"}), 403, "forbidden")
        problem(client.post("/v1/wallet/top-ups", json={"amount_microusd": 1}), 403, "forbidden")


def test_an_administering_key_does_not_spend(workspace: Workspace) -> None:
    body = {"benchmark_id": workspace.benchmark(), "model_id": "model_" + "0" * 26}
    with key_with(workspace, "admin") as client:
        assert client.post("/v1/keys", json={"name": "x"}).status_code == 201
        problem(client.post("/v1/quotes", json=body), 403, "forbidden")


def test_what_another_workspace_has_is_not_found(
    workspace: Workspace, other_workspace: Workspace, upstream: Upstream
) -> None:
    model_id = other_workspace.connect(upstream)
    connection_id = other_workspace.client.get("/v1/connections").json()["items"][0]["id"]
    spec = {
        "benchmark_id": other_workspace.benchmark(),
        "model_id": model_id,
        "coverage": {"mode": "sample", "sample_count": 2},
    }
    quote = other_workspace.client.post("/v1/quotes", json=spec).json()
    run = other_workspace.client.post("/v1/runs", json={"source": "quote", "quote_id": quote["id"]}).json()
    key_id = other_workspace.client.get("/v1/keys").json()["items"][0]["id"]
    mine = workspace.client
    for path in (
        f"/v1/models/{model_id}",
        f"/v1/connections/{connection_id}",
        f"/v1/quotes/{quote['id']}",
        f"/v1/keys/{key_id}",
        f"/v1/runs/{run['id']}",
        *(f"/v1/runs/{run['id']}/{part}" for part in ("results", "calls", "events", "events/stream", "export")),
        *(f"/v1/runs/{run['id']}/comparison{part}?with={run['id'][:-1]}0" for part in ("", "/report")),
    ):
        problem(mine.get(path), 404, "not_found")
    for part in ("cancel", "resume", "gateway-keys"):
        problem(mine.post(f"/v1/runs/{run['id']}/{part}"), 404, "not_found")
    problem(mine.delete(f"/v1/keys/{key_id}"), 404, "not_found")
    problem(mine.delete(f"/v1/connections/{connection_id}"), 404, "not_found")
    problem(mine.patch(f"/v1/keys/{key_id}", json={"ceiling_microusd": 1}), 404, "not_found")
    problem(mine.post("/v1/runs", json={"source": "quote", "quote_id": quote["id"]}), 404, "not_found")
    problem(mine.post("/v1/quotes", json=spec), 404, "not_found")
    assert mine.get("/v1/runs").json()["items"] == []
    assert other_workspace.wait(run["id"])["status"] == "completed"


def test_unknown_paths_and_methods_are_problems(workspace: Workspace) -> None:
    problem(workspace.client.get("/v1/nothing"), 404, "not_found")
    problem(workspace.client.get("/v1/runs/"), 404, "not_found")
    answer = workspace.client.put("/v1/runs")
    problem(answer, 405, "method_not_allowed")
    assert set(answer.headers["allow"].split(", ")) == {"GET", "POST"}


def test_a_body_that_is_too_large_is_refused(workspace: Workspace) -> None:
    large = b'{"name": "' + b"x" * (1024 * 1024) + b'"}'
    headers = {"Content-Type": "application/json"}
    problem(workspace.client.post("/v1/keys", content=large, headers=headers), 413, "request_too_large")
    pieces = (large[start : start + 65536] for start in range(0, len(large), 65536))
    problem(workspace.client.post("/v1/keys", content=pieces, headers=headers), 413, "request_too_large")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"", "body"),
        (b"{", "body"),
        (b"[]", "body"),
        (b'{"name": "x", "more": 1}', "body.more"),
        (b'{"name": "x", "ceiling_microusd": "5"}', "body.ceiling_microusd"),
        (b'{"name": "x", "ceiling_microusd": null}', "body.ceiling_microusd"),
        (b'{"name": "x", "ceiling_microusd": true}', "body.ceiling_microusd"),
        (b'{"name": ""}', "body.name"),
        (b'{"name": "nul\\u0000"}', "body.name"),
        (b'{"name": "half\\ud800"}', "body.name"),
    ],
)
def test_an_invalid_body_is_refused_with_its_fields(workspace: Workspace, body: bytes, field: str) -> None:
    answer = workspace.client.post("/v1/keys", content=body, headers={"Content-Type": "application/json"})
    document = problem(answer, 422, "invalid_request")
    assert any(entry["field"].startswith(field) for entry in document["details"]["fields"]), document
