"""The wallet and the keys."""

from tests.server.conftest import Workspace
from tests.server.test_access import problem


def test_a_new_workspace_has_its_allowance(workspace: Workspace) -> None:
    wallet = workspace.client.get("/v1/wallet").json()
    assert wallet == {"balance_microusd": 20_000_000, "held_microusd": 0, "available_microusd": 20_000_000}


def test_a_top_up_is_posted_in_double_entry(workspace: Workspace) -> None:
    body = {"amount_microusd": 1_500_000, "note": "more"}
    wallet = workspace.client.post("/v1/wallet/top-ups", json=body).json()
    assert wallet["available_microusd"] == 21_500_000
    entries = workspace.client.get("/v1/wallet/entries").json()["items"]
    newest = [entry for entry in entries if entry["note"] == "more"]
    assert {entry["account"] for entry in newest} == {"funding", "wallet"}
    assert sum(entry["amount_microusd"] for entry in newest) == 0
    verification = workspace.client.get("/v1/wallet/verification").json()
    assert verification["ok"] is True
    assert verification["differences"] == []


def test_entries_come_by_the_page(workspace: Workspace) -> None:
    for _ in range(3):
        workspace.client.post("/v1/wallet/top-ups", json={"amount_microusd": 1})
    seen: list[str] = []
    cursor: str | None = None
    while True:
        parameters = {"limit": "3"} | ({} if cursor is None else {"cursor": cursor})
        page = workspace.client.get("/v1/wallet/entries", params=parameters).json()
        assert 1 <= len(page["items"]) <= 3
        seen += [entry["id"] for entry in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 8
    assert seen == sorted(seen, reverse=True)


def test_a_cursor_of_another_list_is_refused(workspace: Workspace) -> None:
    workspace.client.post("/v1/keys", json={"name": "second"})
    cursor = workspace.client.get("/v1/keys", params={"limit": 1}).json()["next_cursor"]
    assert workspace.client.get("/v1/keys", params={"limit": 1, "cursor": cursor}).status_code == 200
    problem(workspace.client.get("/v1/wallet/entries", params={"cursor": cursor}), 422, "invalid_request")
    problem(workspace.client.get("/v1/benchmarks", params={"cursor": cursor}), 422, "invalid_request")
    problem(workspace.client.get("/v1/keys", params={"cursor": "abc"}), 422, "invalid_request")


def test_a_key_is_shown_once(workspace: Workspace) -> None:
    made = workspace.client.post("/v1/keys", json={"name": "ci", "ceiling_microusd": 30_000_000}).json()
    assert made["secret"].startswith("er_")
    assert made["key"]["scopes"] == ["read", "run"]
    assert made["key"]["remaining_microusd"] == 30_000_000
    read = workspace.client.get(f"/v1/keys/{made['key']['id']}")
    assert read.json() == made["key"]
    assert made["secret"] not in read.text


def test_a_ceiling_is_changed_and_lifted(workspace: Workspace) -> None:
    key_id = workspace.client.post("/v1/keys", json={"name": "ci"}).json()["key"]["id"]
    path = f"/v1/keys/{key_id}"
    assert workspace.client.patch(path, json={"ceiling_microusd": 5}).json()["remaining_microusd"] == 5
    assert workspace.client.patch(path, json={"ceiling_microusd": None}).json()["ceiling_microusd"] is None
    problem(workspace.client.patch(path, json={}), 422, "invalid_request")


def test_the_last_managing_key_stays(workspace: Workspace) -> None:
    key_id = workspace.client.get("/v1/whoami").json()["key_id"]
    problem(workspace.client.delete(f"/v1/keys/{key_id}"), 409, "in_use")
