"""The first start: a workspace, its owner's key and its allowance."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.wallet import top_up
from evalrouter_server.store import keys, settings
from evalrouter_server.store.tables import workspaces

ALLOWANCE = 20_000_000
"""Micro-USD that the wallet of a new workspace starts with."""

FIRST_WORKSPACE = "first_workspace"


@dataclass(frozen=True, slots=True)
class FirstStart:
    """The first workspace.

    Attributes:
        workspace_id: Its ID.
        owner: The owner key and its secret, which is shown once; None where the workspace was there already.
    """

    workspace_id: str
    owner: keys.NewKey | None


def bootstrap(
    connection: Connection,
    *,
    workspace_name: str = "default",
    key_name: str = "owner",
    allowance: int = ALLOWANCE,
    traces_enabled: bool = False,
) -> FirstStart:
    """Make the first workspace with an owner key (all scopes) and its allowance, unless it is there.

    Servers that start at once agree on one: the name of the workspace's ID in `settings` is claimed first.

    Args:
        connection: Within a transaction.
        workspace_name: The workspace's name.
        key_name: The owner key's name.
        allowance: Micro-USD that its wallet starts with.
        traces_enabled: Whether its Traces switch is on.
    """
    workspace_id = new_id("ws")
    if not settings.claim(connection, FIRST_WORKSPACE, workspace_id):
        return FirstStart(settings.read(connection, FIRST_WORKSPACE) or "", None)
    make_workspace(connection, workspace_id, workspace_name, allowance, traces_enabled=traces_enabled)
    owner = keys.create(connection, workspace_id, key_name, keys.SCOPES)
    return FirstStart(workspace_id, owner)


def make_workspace(
    connection: Connection, workspace_id: str, name: str, allowance: int = ALLOWANCE, *, traces_enabled: bool = False
) -> None:
    """Add a workspace whose wallet holds an allowance.

    Args:
        connection: Within a transaction.
        workspace_id: A fresh ID.
        name: The workspace's name.
        allowance: Micro-USD; 0 for none.
        traces_enabled: Whether its Traces switch is on.
    """
    row = {
        "id": workspace_id,
        "name": name,
        "available_microusd": 0,
        "held_microusd": 0,
        "traces_enabled": traces_enabled,
        "created_at": utc_now(),
    }
    connection.execute(workspaces.insert(), row)
    if allowance:
        top_up(connection, workspace_id, allowance, "the allowance of a new workspace")


def workspace_name(connection: Connection, workspace_id: str) -> str | None:
    """A workspace's name, or None where there is no such workspace."""
    name: str | None = connection.scalar(select(workspaces.c.name).where(workspaces.c.id == workspace_id))
    return name
