"""Connections: to models of one's own, to remote agents, and for agents that send traces.

A deleted one stays for the runs that used it, and for the traces that came in over it.
"""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection

from evalrouter_server.problems import Problem
from evalrouter_server.secrets import hash_secret, shown_prefix
from evalrouter_server.store.pages import BY_ID_DESCENDING, Page, fetch_page
from evalrouter_server.store.rows import fetch_all, fetch_one, insert_unless_there, select_rows
from evalrouter_server.store.runs import count_for_connection
from evalrouter_server.store.tables import connections

MODEL = "model"
TRACE = "trace"
A2A = "a2a"


@dataclass(frozen=True, slots=True)
class EndpointRow:
    """A connection to a model endpoint as stored.

    Attributes:
        price: A `quoting.price.Price`, dumped.
        key_encrypted: The endpoint's key in the `SecretBox`, or None.
        key_env: The environment variable that holds it, or None.
    """

    id: str
    workspace_id: str
    name: str
    kind: str
    base_url: str
    upstream_model: str
    model_id: str
    price: dict[str, Any]
    key_encrypted: bytes | None
    key_env: str | None
    created_at: datetime
    deleted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TraceConnectionRow:
    """A connection that takes traces, as stored.

    Attributes:
        ingest_key_hash: The hash of its key; None once it was deleted.
        ingest_key_prefix: The key's first characters.
        ingest_key_revoked_at: When the key was revoked; None while it is good.
        stores_content: Whether inputs, outputs and error texts are stored.
        retention_days: Days after its last span that a trace is kept.
    """

    id: str
    workspace_id: str
    name: str
    kind: str
    ingest_key_hash: str | None
    ingest_key_prefix: str
    ingest_key_revoked_at: datetime | None
    stores_content: bool
    retention_days: int
    created_at: datetime
    deleted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class AgentConnectionRow:
    """A connection to a remote agent, as stored.

    Attributes:
        card_url: Its card, or the address below which the card is.
        key_header: The header that carries its key; None: as the card says.
        origins: Origins beside the card's at which it may be called.
        key_encrypted: Its key in the `SecretBox`, or None.
        key_env: The environment variable that holds it, or None.
    """

    id: str
    workspace_id: str
    name: str
    kind: str
    card_url: str
    key_header: str | None
    origins: list[str]
    key_encrypted: bytes | None
    key_env: str | None
    created_at: datetime
    deleted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """A connection of any kind as it is shown; what is another kind's is None."""

    id: str
    name: str
    kind: str
    base_url: str | None
    upstream_model: str | None
    model_id: str | None
    price: dict[str, Any] | None
    key_encrypted: bytes | None
    key_env: str | None
    ingest_key_prefix: str | None
    ingest_key_revoked_at: datetime | None
    stores_content: bool | None
    retention_days: int | None
    card_url: str | None
    key_header: str | None
    origins: list[str] | None
    created_at: datetime


def insert(connection: Connection, row: EndpointRow | TraceConnectionRow | AgentConnectionRow) -> None:
    """Store a new connection; its name, without case, is unique among those that are not deleted.

    Raises:
        Problem: `name_taken`: the workspace has one with this name, in whatever case.
    """
    if not insert_unless_there(connection, connections, asdict(row) | {"name_folded": row.name.casefold()}):
        raise Problem(
            "name_taken", f"there is a connection named {row.name!r}: choose another name or delete it", name=row.name
        )


def get(connection: Connection, workspace_id: str, connection_id: str) -> ConnectionRow | None:
    """A connection of the workspace that is not deleted, or None."""
    query = select_rows(ConnectionRow, connections).where(*_live(workspace_id), connections.c.id == connection_id)
    return fetch_one(connection, ConnectionRow, query)


def load(connection: Connection, connection_id: str) -> EndpointRow | None:
    """A connection to a model endpoint of any workspace, deleted ones too, or None."""
    query = select_rows(EndpointRow, connections).where(connections.c.id == connection_id, _IS_MODEL)
    return fetch_one(connection, EndpointRow, query)


def load_agent(connection: Connection, connection_id: str) -> AgentConnectionRow | None:
    """A connection to a remote agent of any workspace, deleted ones too, or None."""
    query = select_rows(AgentConnectionRow, connections).where(
        connections.c.id == connection_id, connections.c.kind == A2A
    )
    return fetch_one(connection, AgentConnectionRow, query)


def list_all(connection: Connection, workspace_id: str) -> list[EndpointRow]:
    """The workspace's connections to model endpoints that are not deleted, oldest first."""
    query = select_rows(EndpointRow, connections).where(*_live(workspace_id), _IS_MODEL)
    return fetch_all(connection, EndpointRow, query.order_by(connections.c.id))


def list_page(
    connection: Connection, workspace_id: str, *, match: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[ConnectionRow]:
    """A page of the workspace's connections that are not deleted, newest first.

    Args:
        connection: Any database connection.
        workspace_id: The workspace.
        match: Only the one with this ID or name; an exact name comes before one in another case.
        cursor: The `next_cursor` of the page before.
        limit: The most rows.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    query = select_rows(ConnectionRow, connections).where(*_live(workspace_id))
    if match is not None:
        query = query.where((connections.c.id == match) | (connections.c.name_folded == match.casefold()))
    return fetch_page(
        connection,
        ConnectionRow,
        query,
        connections.c.id,
        BY_ID_DESCENDING,
        "connections",
        cursor=cursor,
        limit=limit,
    )


def delete(connection: Connection, workspace_id: str, connection_id: str, at: datetime) -> None:
    """Delete a connection and forget its key.

    Raises:
        Problem: `not_found`, or `in_use` while a run that has not ended uses it.
    """
    _lock(connection, workspace_id, connection_id)
    if users := count_for_connection(connection, connection_id):
        raise Problem("in_use", f"connection {connection_id} is used by {users} runs that have not ended: cancel those")
    forgotten = {"deleted_at": at, "key_encrypted": None, "ingest_key_hash": None}
    connection.execute(connections.update().where(connections.c.id == connection_id).values(forgotten))


def find_by_ingest_key(connection: Connection, secret: str) -> TraceConnectionRow | None:
    """The trace connection whose key this is, if the key is not revoked, or None."""
    query = select_rows(TraceConnectionRow, connections).where(
        connections.c.ingest_key_hash == hash_secret(secret), connections.c.ingest_key_revoked_at.is_(None)
    )
    return fetch_one(connection, TraceConnectionRow, query)


def set_ingest_key(connection: Connection, workspace_id: str, connection_id: str, secret: str) -> ConnectionRow:
    """Give a trace connection a new key in place of its old one.

    Raises:
        Problem: `not_found`, also for a connection of another kind.
    """
    _lock(connection, workspace_id, connection_id, TRACE)
    key = {
        "ingest_key_hash": hash_secret(secret),
        "ingest_key_prefix": shown_prefix(secret),
        "ingest_key_revoked_at": None,
    }
    connection.execute(connections.update().where(connections.c.id == connection_id).values(key))
    return _reread(connection, workspace_id, connection_id)


def revoke_ingest_key(connection: Connection, workspace_id: str, connection_id: str, at: datetime) -> ConnectionRow:
    """Revoke a trace connection's key; one that is revoked stays so.

    Raises:
        Problem: `not_found`, also for a connection of another kind.
    """
    row = _lock(connection, workspace_id, connection_id, TRACE)
    if row.ingest_key_revoked_at is None:
        revoked = {"ingest_key_revoked_at": at}
        connection.execute(connections.update().where(connections.c.id == connection_id).values(revoked))
    return _reread(connection, workspace_id, connection_id)


def _lock(connection: Connection, workspace_id: str, connection_id: str, kind: str | None = None) -> ConnectionRow:
    query = select_rows(ConnectionRow, connections).where(*_live(workspace_id), connections.c.id == connection_id)
    row = fetch_one(connection, ConnectionRow, query.with_for_update(key_share=True))
    if row is None or kind not in (None, row.kind):
        what = "connection" if kind is None else f"{kind} connection"
        raise Problem("not_found", f"There is no {what} {connection_id} in this workspace.", id=connection_id)
    return row


def _reread(connection: Connection, workspace_id: str, connection_id: str) -> ConnectionRow:
    row = get(connection, workspace_id, connection_id)
    assert row is not None
    return row


def _live(workspace_id: str) -> tuple[ColumnElement[bool], ...]:
    return connections.c.workspace_id == workspace_id, connections.c.deleted_at.is_(None)


_IS_MODEL = connections.c.kind == MODEL
