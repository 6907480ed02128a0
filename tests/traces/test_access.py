"""A trace connection's key can send to its connection and nothing else; the workspace has a switch."""

import pytest
from evalrouter_server.problems import Problem
from evalrouter_server.traces.limits import RequestRates

from tests.server.conftest import Service, Workspace
from tests.traces.conftest import make_owner, open_sender
from tests.traces.sender import Sender, batch, span


def test_the_key_is_shown_once_and_opens_nothing_else(workspace: Workspace, sender: Sender) -> None:
    shown = workspace.client.get(f"/v1/connections/{sender.id}").json()
    assert sender.secret.startswith("er_tr_")
    assert (shown["kind"], shown["secret"], shown["model_id"]) == ("trace", None, None)
    assert sender.secret not in workspace.client.get("/v1/connections").text
    for path in (
        "/v1/whoami",
        "/v1/traces",
        "/v1/runs",
        "/v1/wallet",
        "/v1/connections",
        f"/v1/connections/{sender.id}",
    ):
        assert sender.client.get(path).status_code == 403, path
    assert sender.client.post("/v1/keys", json={"name": "more"}).status_code == 403
    assert sender.client.get("/gateway/v1/models").status_code == 401


def test_another_connections_path_is_not_found_and_an_api_key_is_no_sender(
    workspace: Workspace, sender: Sender
) -> None:
    with open_sender(workspace, "others") as other:
        answer = sender.client.post(f"{other.path}/batches", json=batch("b1", span(1)))
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    answer = workspace.client.post(f"{sender.path}/batches", json=batch("b1", span(1)))
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


def test_a_key_is_bound_to_its_workspace(sender: Sender, other: Workspace) -> None:
    headers = {"EvalRouter-Workspace": other.id}
    assert sender.client.get(sender.path, headers=headers).status_code == 401
    taken = sender.take("b1", span(1))
    trace_id = taken["traces"][0]["server_trace_id"]
    assert other.client.get(f"/v1/traces/{trace_id}").status_code == 404
    assert other.client.get(f"/v1/traces/{trace_id}/spans").status_code == 404
    assert other.client.delete(f"/v1/traces/{trace_id}").status_code == 404
    assert other.client.post(f"/v1/connections/{sender.id}/rotate").status_code == 404


def test_rotating_and_revoking(workspace: Workspace, sender: Sender) -> None:
    rotated = workspace.client.post(f"/v1/connections/{sender.id}/rotate").json()
    assert sender.send("b1", span(1)).status_code == 401, "the old key stops at once"
    with workspace.service.client(rotated["secret"]) as client:
        fresh = Sender(sender.id, rotated["secret"], client)
        assert fresh.take("b1", span(1))["inserted"] == 1
        revoked = workspace.client.post(f"/v1/connections/{sender.id}/revoke").json()
        assert revoked["trace"]["key_revoked_at"] is not None
        assert fresh.send("b2", span(2, 1)).status_code == 401
    assert workspace.client.post(f"/v1/connections/{sender.id}/rotate").json()["trace"]["key_revoked_at"] is None


def test_a_deleted_connection_takes_nothing_and_keeps_its_traces(workspace: Workspace, sender: Sender) -> None:
    sender.take("b1", span(1))
    assert workspace.client.delete(f"/v1/connections/{sender.id}").status_code == 204
    assert sender.send("b2", span(2, 1)).status_code == 401
    assert len(workspace.client.get("/v1/traces").json()["items"]) == 1


def test_the_switch(workspace: Workspace, sender: Sender) -> None:
    sender.take("b1", span(1))
    turned = workspace.client.patch("/v1/workspace", json={"traces_enabled": False})
    assert turned.json()["traces_enabled"] is False
    new = {"name": "more", "kind": "trace"}
    for answer in (
        sender.send("b2", span(2, 1)),
        workspace.client.get("/v1/traces"),
        workspace.client.post("/v1/connections", json=new),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "traces_not_enabled")
    workspace.client.patch("/v1/workspace", json={"traces_enabled": True})
    assert sender.take("b2", span(2, 1))["inserted"] == 1


def test_a_served_workspace_starts_with_the_switch_off_and_an_embedded_one_with_it_on(service: Service) -> None:
    with service.client(service.endpoint.api_key) as client:
        assert client.get("/v1/workspace").json()["traces_enabled"] is True
    _, secret = make_owner(service, traces_enabled=False)
    with service.client(secret) as client:
        assert client.get("/v1/workspace").json()["traces_enabled"] is False


def test_requests_are_bounded_by_the_minute() -> None:
    now = [30.0]
    rates = RequestRates(2, lambda: now[0])
    rates.admit("one")
    rates.admit("one")
    rates.admit("other")
    with pytest.raises(Problem) as refused:
        rates.admit("one")
    assert (refused.value.code, refused.value.details["retry_after_seconds"]) == ("rate_limited", 30)
    now[0] = 60.0
    rates.admit("one")
