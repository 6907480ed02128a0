"""Repeating a write."""

import uuid
from datetime import timedelta
from typing import Any

from evalrouter_server.clock import utc_now
from evalrouter_server.store.tables import idempotency
from sqlalchemy import Connection, func, select

from tests.server.conftest import Workspace
from tests.server.test_access import problem


def key() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid.uuid4())}


def test_a_repeated_write_gets_the_stored_answer(workspace: Workspace) -> None:
    headers = key()
    first = workspace.client.post("/v1/keys", json={"name": "once"}, headers=headers)
    again = workspace.client.post("/v1/keys", json={"name": "once"}, headers=headers)
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert len(workspace.client.get("/v1/keys").json()["items"]) == 2


def test_a_repeated_top_up_adds_once(workspace: Workspace) -> None:
    before = workspace.client.get("/v1/wallet").json()["balance_microusd"]
    headers = key()
    for _ in range(3):
        answer = workspace.client.post("/v1/wallet/top-ups", json={"amount_microusd": 5}, headers=headers)
        assert answer.status_code == 201
    assert workspace.client.get("/v1/wallet").json()["balance_microusd"] == before + 5


def test_without_a_key_nothing_is_replayed(workspace: Workspace) -> None:
    for _ in range(2):
        assert workspace.client.post("/v1/wallet/top-ups", json={"amount_microusd": 5}).status_code == 201
    assert workspace.client.get("/v1/wallet").json()["balance_microusd"] == 20_000_010


def test_the_same_key_for_another_request_is_refused(workspace: Workspace) -> None:
    headers = key()
    assert workspace.client.post("/v1/keys", json={"name": "a"}, headers=headers).status_code == 201
    problem(workspace.client.post("/v1/keys", json={"name": "b"}, headers=headers), 409, "idempotency_conflict")
    other_path = workspace.client.post("/v1/wallet/top-ups", json={"amount_microusd": 5}, headers=headers)
    problem(other_path, 409, "idempotency_conflict")


def test_a_refusal_is_not_stored(workspace: Workspace) -> None:
    headers = key()
    key_id = workspace.client.get("/v1/whoami").json()["key_id"]
    problem(workspace.client.delete(f"/v1/keys/{key_id}", headers=headers), 409, "in_use")
    workspace.client.post("/v1/keys", json={"name": "second", "scopes": ["admin"]})
    assert workspace.client.delete(f"/v1/keys/{key_id}", headers=headers).status_code == 204


def test_keys_of_two_workspaces_do_not_meet(workspace: Workspace, other_workspace: Workspace) -> None:
    headers = key()
    mine = workspace.client.post("/v1/keys", json={"name": "a"}, headers=headers)
    other = other_workspace.client.post("/v1/keys", json={"name": "b"}, headers=headers)
    assert (mine.status_code, other.status_code) == (201, 201)
    assert mine.json()["secret"] != other.json()["secret"]


def test_an_answer_is_replayed_for_a_day(workspace: Workspace) -> None:
    headers = key()
    first = workspace.client.post("/v1/keys", json={"name": "once"}, headers=headers).json()
    stored = workspace.service.write(lambda connection: age(connection, headers["Idempotency-Key"]))
    assert stored == 1
    second = workspace.client.post("/v1/keys", json={"name": "once"}, headers=headers).json()
    assert second["secret"] != first["secret"]


def test_a_stored_answer_does_not_show_its_secret(workspace: Workspace) -> None:
    headers = key()
    secret: str = workspace.client.post("/v1/keys", json={"name": "once"}, headers=headers).json()["secret"]

    def bodies(connection: Connection) -> list[Any]:
        return list(connection.scalars(select(idempotency.c.body_encrypted)))

    assert all(secret.encode() not in body for body in workspace.service.write(bodies))


def test_an_idempotency_key_must_be_printable(workspace: Workspace) -> None:
    answer = workspace.client.post("/v1/keys", json={"name": "a"}, headers={"Idempotency-Key": "two words"})
    problem(answer, 422, "invalid_request")


def age(connection: Connection, name: str) -> int:
    old = utc_now() - timedelta(hours=25)
    connection.execute(idempotency.update().where(idempotency.c.key == name).values(created_at=old))
    return int(connection.scalar(select(func.count()).select_from(idempotency).where(idempotency.c.key == name)) or 0)
