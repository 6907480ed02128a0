"""Workspaces and their switches."""

from dataclasses import dataclass

from sqlalchemy import Connection

from evalrouter_server.store.rows import fetch_one, select_rows
from evalrouter_server.store.tables import workspaces


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """A workspace as shown.

    Attributes:
        traces_enabled: Whether the Traces switch is on.
    """

    id: str
    name: str
    traces_enabled: bool


def get(connection: Connection, workspace_id: str) -> WorkspaceRow:
    """A workspace that is there."""
    query = select_rows(WorkspaceRow, workspaces).where(workspaces.c.id == workspace_id)
    row = fetch_one(connection, WorkspaceRow, query)
    assert row is not None
    return row


def switch_traces(connection: Connection, workspace_id: str, enabled: bool) -> WorkspaceRow:
    """Turn the Traces switch."""
    connection.execute(workspaces.update().where(workspaces.c.id == workspace_id).values(traces_enabled=enabled))
    return get(connection, workspace_id)
