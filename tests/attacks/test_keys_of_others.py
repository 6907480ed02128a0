"""What one key may not get of another, within one workspace."""

from typing import Any

import httpx

from tests.server.conftest import Workspace


def _make(workspace: Workspace, **fields: Any) -> dict[str, Any]:
    answer = workspace.client.post("/v1/keys", json={"name": "other", **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def test_an_answer_is_replayed_to_the_key_that_asked_only(workspace: Workspace) -> None:
    """The answer of a key's creation holds its secret, which is shown once and to one."""
    other = _make(workspace, scopes=["read", "run", "admin"])

    def ask(client: httpx.Client) -> httpx.Response:
        return client.post("/v1/keys", json={"name": "mine"}, headers={"Idempotency-Key": "of-mine"})

    first = ask(workspace.client).json()
    with workspace.service.client(other["secret"]) as client:
        answer = ask(client)
    assert answer.status_code == 409
    assert answer.json()["code"] == "idempotency_conflict"
    assert first["secret"] not in answer.text
    assert ask(workspace.client).json() == first


def test_a_key_with_a_ceiling_cannot_get_around_it(workspace: Workspace) -> None:
    """Even one that may manage keys: it neither lifts a ceiling nor makes a key that spends beside it."""
    limited = _make(workspace, scopes=["read", "run", "admin"], ceiling_microusd=1_000)
    key_id = limited["key"]["id"]
    with workspace.service.client(limited["secret"]) as client:
        answers = [
            client.patch(f"/v1/keys/{key_id}", json={"ceiling_microusd": None}),
            client.patch(f"/v1/keys/{key_id}", json={"ceiling_microusd": 10**9}),
            client.post("/v1/keys", json={"name": "free", "scopes": ["run"]}),
        ]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(403, "forbidden")] * 3
    assert workspace.client.get(f"/v1/keys/{key_id}").json()["ceiling_microusd"] == 1_000
    assert workspace.client.patch(f"/v1/keys/{key_id}", json={"ceiling_microusd": None}).status_code == 200
