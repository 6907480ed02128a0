"""Delivery keys of runs with an agent, and their leases: who may work on which task until when, and what came of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.secrets import hash_secret, new_secret
from evalrouter_server.store import keys
from evalrouter_server.store.rows import fetch_all, fetch_one, select_rows
from evalrouter_server.store.tables import delivery_keys, leases
from evalrouter_server.store.tasks import Claim

HELD = ("open", "submitted")
"""The statuses of a lease whose client works on its task."""


@dataclass(frozen=True, slots=True)
class DeliveryKeyRow:
    """A key that may only deliver one run's tasks."""

    id: str
    run_id: str
    created_at: datetime
    seen_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewDeliveryKey:
    """A delivery key that was just made, with its secret, which is not kept."""

    key: DeliveryKeyRow
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """A lease as stored.

    Attributes:
        fence: Of the claim on the task.
        status: `open`, `submitted` (both held by the client), `done`, `graded`, `failed`, `returned` or `ended`.
        settled: Whether nothing more will come of it; what is done or failed is until its result is recorded.
        reason: Why it ended where the client did not end it.
        stopped_by: Why its model calls were refused for the whole run, as a code and a text.
        output: The answer.
        error: Code, message and details of a failure.
        expires_at: When it goes back unless it is renewed.
        deadline: When the time for the task is over.
    """

    id: str
    run_id: str
    task_id: str
    position: int
    item_id: str
    repeat: int
    fence: int
    delivery_key_id: str
    gateway_key_id: str
    status: str
    settled: bool
    reason: str | None
    stopped_by: str | None
    output: str | None
    error: dict[str, str | None] | None
    note_count: int
    created_at: datetime
    expires_at: datetime
    deadline: datetime
    ended_at: datetime | None

    @property
    def is_held(self) -> bool:
        """Whether its client works on the task."""
        return self.status in HELD

    @property
    def claim(self) -> Claim:
        """The claim on the task that the lease stands for."""
        return Claim(
            self.task_id, self.run_id, self.position, self.item_id, self.repeat, self.delivery_key_id, self.fence
        )


def create_key(connection: Connection, run_id: str) -> NewDeliveryKey:
    """Make a key that may only deliver a run's tasks."""
    secret, now = new_secret("er_dk_"), utc_now()
    key = DeliveryKeyRow(new_id("dkey"), run_id, now, now, None)
    values = {"id": key.id, "run_id": run_id, "created_at": now, "seen_at": now}
    connection.execute(delivery_keys.insert(), values | {"hash": hash_secret(secret)})
    return NewDeliveryKey(key, secret)


def authenticate(connection: Connection, secret: str) -> DeliveryKeyRow | None:
    """The delivery key that has this secret and is not revoked, or None."""
    query = select_rows(DeliveryKeyRow, delivery_keys).where(
        delivery_keys.c.hash == hash_secret(secret), delivery_keys.c.revoked_at.is_(None)
    )
    return fetch_one(connection, DeliveryKeyRow, query)


def seen(connection: Connection, key_id: str, at: datetime) -> None:
    """Note that a key's client is there."""
    connection.execute(delivery_keys.update().where(delivery_keys.c.id == key_id).values(seen_at=at))


def revoke_key(connection: Connection, key_id: str, at: datetime) -> None:
    """Revoke one key."""
    query = delivery_keys.update().where(delivery_keys.c.id == key_id, delivery_keys.c.revoked_at.is_(None))
    connection.execute(query.values(revoked_at=at, seen_at=at))


def revoke_keys(connection: Connection, run_id: str, at: datetime) -> None:
    """Revoke all of a run's delivery keys, as when it ends."""
    query = delivery_keys.update().where(delivery_keys.c.run_id == run_id, delivery_keys.c.revoked_at.is_(None))
    connection.execute(query.values(revoked_at=at))


def keys_of(connection: Connection, run_id: str) -> list[DeliveryKeyRow]:
    """A run's delivery keys, revoked ones too."""
    return fetch_all(
        connection, DeliveryKeyRow, select_rows(DeliveryKeyRow, delivery_keys).where(delivery_keys.c.run_id == run_id)
    )


def live_key_ids(connection: Connection) -> list[str]:
    """The delivery keys of all runs that are not revoked: they own claims on tasks."""
    return list(connection.scalars(select(delivery_keys.c.id).where(delivery_keys.c.revoked_at.is_(None))))


def insert(connection: Connection, rows: Sequence[LeaseRow]) -> None:
    """Store new leases."""
    if rows:
        connection.execute(
            leases.insert(), [{name: getattr(row, name) for name in LeaseRow.__dataclass_fields__} for row in rows]
        )


def get(connection: Connection, run_id: str, lease_id: str, *, lock: bool = False) -> LeaseRow | None:
    """A lease of the run, or None; with `lock` nobody else changes it until the transaction ends."""
    query = select_rows(LeaseRow, leases).where(leases.c.id == lease_id, leases.c.run_id == run_id)
    return fetch_one(connection, LeaseRow, query.with_for_update() if lock else query)


def unsettled(connection: Connection, run_id: str) -> list[LeaseRow]:
    """A run's leases of which something may still come, oldest first."""
    query = select_rows(LeaseRow, leases).where(leases.c.run_id == run_id, leases.c.settled.is_(False))
    return fetch_all(connection, LeaseRow, query.order_by(leases.c.id))


def of_ids(connection: Connection, run_id: str, ids: Collection[str]) -> list[LeaseRow]:
    """Those of a run's leases that have these IDs."""
    return fetch_all(
        connection, LeaseRow, select_rows(LeaseRow, leases).where(leases.c.run_id == run_id, leases.c.id.in_(ids))
    )


def change(connection: Connection, lease_id: str, *, expected: Collection[str], **values: Any) -> bool:
    """Change a lease that is not settled and has one of these statuses.

    Returns:
        Whether it had.
    """
    statement = leases.update().where(
        leases.c.id == lease_id, leases.c.status.in_(expected), leases.c.settled.is_(False)
    )
    return connection.execute(statement.values(values)).rowcount == 1


def end(connection: Connection, lease: LeaseRow, status: str, at: datetime, **values: Any) -> bool:
    """End a held lease and its gateway key.

    Returns:
        Whether it was still held.
    """
    ended = change(connection, lease.id, expected=HELD, status=status, ended_at=at, **values)
    keys.revoke_gateway_key(connection, lease.gateway_key_id)
    return ended


def end_held(connection: Connection, run_id: str, reason: str, at: datetime) -> None:
    """End every held lease of a run, as when it is cancelled; what becomes of the tasks is the caller's."""
    query = leases.update().where(leases.c.run_id == run_id, leases.c.status.in_(HELD), leases.c.settled.is_(False))
    connection.execute(query.values(status="ended", reason=reason, settled=True, ended_at=at))


def settle_all(connection: Connection, run_id: str) -> None:
    """Let nothing more come of a run's leases, as when it ends."""
    connection.execute(leases.update().where(leases.c.run_id == run_id).values(settled=True))


def times_lost(connection: Connection, task_id: str) -> int:
    """How often the client that worked on a task was lost."""
    query = select(func.count()).select_from(leases)
    return int(connection.scalar(query.where(leases.c.task_id == task_id, leases.c.reason == "expired")) or 0)


def stop(connection: Connection, gateway_key_id: str, because: str, until: datetime) -> None:
    """Note that a lease's model calls are refused for the whole run, and give its client a last while.

    Args:
        connection: Within a transaction.
        gateway_key_id: The lease's gateway key.
        because: Why, as a code and a text.
        until: When the lease ends at the latest.
    """
    query = leases.update().where(leases.c.gateway_key_id == gateway_key_id, leases.c.stopped_by.is_(None))
    connection.execute(query.values(stopped_by=because, deadline=until))


def stopped_because(connection: Connection, run_id: str) -> str | None:
    """Why a run's model calls are refused for good, or until somebody has put something right; None where they are not.

    A refusal that somebody can put right counts until its lease is settled.
    """
    query = select(leases.c.stopped_by).where(leases.c.run_id == run_id, leases.c.stopped_by.is_not(None))
    query = query.where(leases.c.settled.is_(False) | leases.c.stopped_by.not_like(f"{PAUSING}%"))
    return connection.scalar(query.order_by(leases.c.id).limit(1))


PAUSING = "provider_refused_key"
"""The code of a refusal that somebody can put right."""
