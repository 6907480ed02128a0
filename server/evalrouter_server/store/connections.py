"""Connections to models of one's own. A deleted one stays for the runs that used it."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from evalrouter_server.problems import Problem
from evalrouter_server.store.pages import BY_ID_DESCENDING, Page, fetch_page
from evalrouter_server.store.rows import fetch_all, fetch_one, insert_unless_there, select_rows
from evalrouter_server.store.runs import count_for_connection
from evalrouter_server.store.tables import connections


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """A connection as stored.

    Attributes:
        name_folded: The name without case, which is unique among those that are not deleted.
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


def insert(connection: Connection, row: ConnectionRow) -> None:
    """Store a new connection.

    Raises:
        Problem: `name_taken`: the workspace has one with this name, in whatever case.
    """
    if not insert_unless_there(connection, connections, asdict(row) | {"name_folded": row.name.casefold()}):
        raise Problem(
            "name_taken", f"there is a connection named {row.name!r}: choose another name or delete it", name=row.name
        )


def get(connection: Connection, workspace_id: str, connection_id: str) -> ConnectionRow | None:
    """A connection of the workspace that is not deleted, or None."""
    query = _live(workspace_id).where(connections.c.id == connection_id)
    return fetch_one(connection, ConnectionRow, query)


def load(connection: Connection, connection_id: str) -> ConnectionRow | None:
    """A connection of any workspace, deleted ones too, or None."""
    query = select_rows(ConnectionRow, connections).where(connections.c.id == connection_id)
    return fetch_one(connection, ConnectionRow, query)


def list_all(connection: Connection, workspace_id: str) -> list[ConnectionRow]:
    """The workspace's connections that are not deleted, oldest first."""
    return fetch_all(connection, ConnectionRow, _live(workspace_id).order_by(connections.c.id))


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
    query = _live(workspace_id)
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
    query = _live(workspace_id).where(connections.c.id == connection_id).with_for_update(key_share=True)
    if fetch_one(connection, ConnectionRow, query) is None:
        raise Problem("not_found", f"there is no connection {connection_id} in this workspace", id=connection_id)
    if users := count_for_connection(connection, connection_id):
        raise Problem("in_use", f"connection {connection_id} is used by {users} runs that have not ended: cancel those")
    connection.execute(
        connections.update().where(connections.c.id == connection_id).values(deleted_at=at, key_encrypted=None)
    )


def _live(workspace_id: str) -> Any:
    return select_rows(ConnectionRow, connections).where(
        connections.c.workspace_id == workspace_id, connections.c.deleted_at.is_(None)
    )
