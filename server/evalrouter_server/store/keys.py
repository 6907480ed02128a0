"""API keys, of which only hashes are kept, and the keys of gateways."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import Connection, select

from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.problems import Problem
from evalrouter_server.secrets import hash_secret, new_secret, shown_prefix
from evalrouter_server.store.pages import BY_ID_DESCENDING, Page, fetch_page
from evalrouter_server.store.rows import fetch_all, fetch_one, select_rows
from evalrouter_server.store.tables import api_keys, gateway_keys, workspaces

SCOPES = ("read", "run", "admin")
"""`read` sees, `run` spends, `admin` manages connections, keys and the wallet."""

DEFAULT_SCOPES = ("read", "run")


@dataclass(frozen=True, slots=True)
class KeyRow:
    """An API key, without its secret."""

    id: str
    workspace_id: str
    name: str
    prefix: str
    scopes: list[str]
    ceiling_microusd: int | None
    committed_microusd: int
    created_at: datetime
    revoked_at: datetime | None

    @property
    def remaining_microusd(self) -> int | None:
        """Micro-USD that the key may still commit; None without a ceiling."""
        return None if self.ceiling_microusd is None else self.ceiling_microusd - self.committed_microusd


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made, with its secret, which is not kept."""

    key: KeyRow
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class GatewayKeyRow:
    """A key that may only call one run's model."""

    id: str
    run_id: str
    task_id: str | None
    created_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewGatewayKey:
    """A gateway key that was just made, with its secret, which is not kept."""

    key: GatewayKeyRow
    secret: str = field(repr=False)


def create(
    connection: Connection,
    workspace_id: str,
    name: str,
    scopes: Iterable[str] = DEFAULT_SCOPES,
    ceiling_microusd: int | None = None,
) -> NewKey:
    """Make an API key.

    Args:
        connection: Within a transaction.
        workspace_id: The workspace that it opens.
        name: A name for its owner.
        scopes: Some of `SCOPES`.
        ceiling_microusd: The most that what it starts may charge, in micro-USD; None for no ceiling of its own.
    """
    secret = new_secret()
    key = KeyRow(
        id=new_id("key"),
        workspace_id=workspace_id,
        name=name,
        prefix=shown_prefix(secret),
        scopes=[scope for scope in SCOPES if scope in set(scopes)],
        ceiling_microusd=ceiling_microusd,
        committed_microusd=0,
        created_at=utc_now(),
        revoked_at=None,
    )
    values = {name: getattr(key, name) for name in KeyRow.__dataclass_fields__}
    connection.execute(api_keys.insert(), values | {"hash": hash_secret(secret)})
    return NewKey(key, secret)


def authenticate(connection: Connection, secret: str) -> KeyRow | None:
    """The key that has this secret and is not revoked, or None."""
    query = select_rows(KeyRow, api_keys).where(api_keys.c.hash == hash_secret(secret), api_keys.c.revoked_at.is_(None))
    return fetch_one(connection, KeyRow, query)


def get(connection: Connection, workspace_id: str, key_id: str) -> KeyRow | None:
    """A key of the workspace, or None."""
    query = select_rows(KeyRow, api_keys).where(api_keys.c.id == key_id, api_keys.c.workspace_id == workspace_id)
    return fetch_one(connection, KeyRow, query)


def list_page(connection: Connection, workspace_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[KeyRow]:
    """A page of the workspace's keys, newest first.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    query = select_rows(KeyRow, api_keys).where(api_keys.c.workspace_id == workspace_id)
    return fetch_page(connection, KeyRow, query, api_keys.c.id, BY_ID_DESCENDING, "keys", cursor=cursor, limit=limit)


def set_ceiling(connection: Connection, workspace_id: str, key_id: str, ceiling_microusd: int | None) -> KeyRow:
    """Change a key's ceiling.

    Args:
        connection: Within a transaction.
        workspace_id: The key's workspace.
        key_id: The key.
        ceiling_microusd: Micro-USD; None lifts the ceiling.

    Raises:
        Problem: `not_found`, or `ceiling_below_committed` (details: ceiling, committed).
    """
    key = _locked(connection, workspace_id, key_id)
    if ceiling_microusd is not None and ceiling_microusd < key.committed_microusd:
        raise Problem(
            "ceiling_below_committed",
            f"the ceiling of {ceiling_microusd} micro-USD is below the {key.committed_microusd} micro-USD that the key "
            "has already committed: choose a higher one, or wait until its runs have ended",
            ceiling_microusd=ceiling_microusd,
            committed_microusd=key.committed_microusd,
        )
    connection.execute(api_keys.update().where(api_keys.c.id == key_id).values(ceiling_microusd=ceiling_microusd))
    return replace(key, ceiling_microusd=ceiling_microusd)


def revoke(connection: Connection, workspace_id: str, key_id: str) -> KeyRow:
    """Revoke a key; runs that it started go on. Revoking it again changes nothing.

    Raises:
        Problem: `not_found`, or `in_use` for the last key that may manage keys.
    """
    connection.execute(select(workspaces.c.id).where(workspaces.c.id == workspace_id).with_for_update(key_share=True))
    key = _locked(connection, workspace_id, key_id)
    if key.revoked_at is not None:
        return key
    query = select_rows(KeyRow, api_keys).where(
        api_keys.c.workspace_id == workspace_id, api_keys.c.revoked_at.is_(None), api_keys.c.id != key_id
    )
    if "admin" in key.scopes and not any("admin" in other.scopes for other in fetch_all(connection, KeyRow, query)):
        raise Problem(
            "in_use", f"key {key_id} is the last one that may manage keys: make another with the admin scope first"
        )
    now = utc_now()
    connection.execute(api_keys.update().where(api_keys.c.id == key_id).values(revoked_at=now))
    return replace(key, revoked_at=now)


def create_gateway_key(connection: Connection, run_id: str, task_id: str | None = None) -> NewGatewayKey:
    """Make a key that may only call a run's model.

    Args:
        connection: Within a transaction.
        run_id: The run that pays.
        task_id: The task that its calls belong to; None where they cannot be attributed.
    """
    secret = new_secret("er_gw_")
    key = GatewayKeyRow(new_id("gwkey"), run_id, task_id, utc_now(), None)
    values = {"id": key.id, "run_id": run_id, "task_id": task_id, "created_at": key.created_at}
    connection.execute(gateway_keys.insert(), values | {"hash": hash_secret(secret)})
    return NewGatewayKey(key, secret)


def authenticate_gateway(connection: Connection, secret: str) -> GatewayKeyRow | None:
    """The gateway key that has this secret and is not revoked, or None."""
    query = select_rows(GatewayKeyRow, gateway_keys).where(
        gateway_keys.c.hash == hash_secret(secret), gateway_keys.c.revoked_at.is_(None)
    )
    return fetch_one(connection, GatewayKeyRow, query)


def revoke_gateway_keys(connection: Connection, run_id: str) -> int:
    """Revoke a run's gateway keys, as when it ends.

    Returns:
        How many were revoked.
    """
    query = gateway_keys.update().where(gateway_keys.c.run_id == run_id, gateway_keys.c.revoked_at.is_(None))
    return connection.execute(query.values(revoked_at=utc_now())).rowcount


def revoke_gateway_keys_of_tasks(connection: Connection, run_id: str) -> None:
    """Revoke those of a run's gateway keys that belong to one task each, as when the run pauses."""
    query = gateway_keys.update().where(
        gateway_keys.c.run_id == run_id, gateway_keys.c.task_id.is_not(None), gateway_keys.c.revoked_at.is_(None)
    )
    connection.execute(query.values(revoked_at=utc_now()))


def revoke_gateway_key(connection: Connection, key_id: str) -> None:
    """Revoke one gateway key, as when the work that it was made for is over."""
    query = gateway_keys.update().where(gateway_keys.c.id == key_id, gateway_keys.c.revoked_at.is_(None))
    connection.execute(query.values(revoked_at=utc_now()))


def _locked(connection: Connection, workspace_id: str, key_id: str) -> KeyRow:
    query = select_rows(KeyRow, api_keys).where(api_keys.c.id == key_id, api_keys.c.workspace_id == workspace_id)
    key = fetch_one(connection, KeyRow, query.with_for_update(key_share=True))
    if key is None:
        raise Problem("not_found", f"there is no key {key_id} in this workspace", id=key_id)
    return key
