from collections.abc import Iterator

import httpx
import pytest
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.bootstrap import make_workspace
from evalrouter_server.store import keys
from sqlalchemy import Connection

from tests.databases import database, database_kind, database_url, templates
from tests.server.conftest import Service, Workspace, service
from tests.traces.sender import Sender

__all__ = ["database", "database_kind", "database_url", "service", "templates"]


def make_owner(service: Service, *, traces_enabled: bool = True) -> tuple[str, str]:
    """A fresh workspace's ID and its owner's key."""
    workspace_id = new_id("ws")

    def make(connection: Connection) -> str:
        make_workspace(connection, workspace_id, "test", traces_enabled=traces_enabled)
        return keys.create(connection, workspace_id, "owner", keys.SCOPES).secret

    return workspace_id, service.write(make)


@pytest.fixture
def workspace(service: Service) -> Iterator[Workspace]:
    workspace_id, secret = make_owner(service)
    with service.client(secret) as client:
        yield Workspace(workspace_id, secret, service, client)


@pytest.fixture
def sender(workspace: Workspace) -> Iterator[Sender]:
    with open_sender(workspace) as made:
        yield made


def open_sender(workspace: Workspace, name: str = "agents", **settings: object) -> Sender:
    """A sender over a new trace connection."""
    answer = workspace.client.post("/v1/connections", json={"name": name, "kind": "trace", **settings})
    assert answer.status_code == 201, answer.text
    made = answer.json()
    client: httpx.Client = workspace.service.client(made["secret"])
    return Sender(made["id"], made["secret"], client)


@pytest.fixture
def other(service: Service) -> Iterator[Workspace]:
    workspace_id, secret = make_owner(service)
    with service.client(secret) as client:
        yield Workspace(workspace_id, secret, service, client)
