"""The processes that work on one PostgreSQL database: they say that they live, and those that do not are ended.

Everything is by the database's clock, so that the machines' own do not matter. A process also holds an advisory lock
as long as its connection lives, by which one that was killed is known at once.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Connection, func, select, text

from evalrouter_server.store.cluster_tables import instances
from evalrouter_server.store.rows import fetch_all, select_rows

SECONDS_BETWEEN_BEATS = 2.0
"""How often a process says that it lives."""

DEAD_AFTER = timedelta(seconds=10)
"""A process that was silent for so long is ended, even while its connection stands: it hangs, or is cut off."""

GONE_AFTER = timedelta(seconds=3)
"""A process whose connection is gone is ended after so long: one that lives connects again before."""

KEPT = timedelta(days=7)
"""How long ended instances are kept."""

type Kind = Literal["server", "worker"]


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """A process as stored."""

    id: str
    kind: Kind
    name: str
    version: str
    lock_number: int
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None


def register(connection: Connection, instance_id: str, kind: Kind, name: str, version: str, lock_number: int) -> None:
    """Add this process; it holds the advisory lock already."""
    now = func.clock_timestamp()
    values = {"id": instance_id, "kind": kind, "name": name, "version": version, "lock_number": lock_number}
    connection.execute(instances.insert().values(**values, started_at=now, seen_at=now))


def beat(connection: Connection, instance_id: str) -> bool:
    """Say that a process lives.

    Returns:
        Whether it had not been ended.
    """
    alive = instances.update().where(instances.c.id == instance_id, instances.c.ended_at.is_(None))
    return connection.execute(alive.values(seen_at=func.clock_timestamp())).rowcount == 1


def end(connection: Connection, instance_id: str) -> None:
    """Note that a process has ended."""
    alive = instances.update().where(instances.c.id == instance_id, instances.c.ended_at.is_(None))
    connection.execute(alive.values(ended_at=func.clock_timestamp()))


def live(connection: Connection) -> list[InstanceRow]:
    """The processes that have not ended, oldest first."""
    query = select_rows(InstanceRow, instances).where(instances.c.ended_at.is_(None))
    return fetch_all(connection, InstanceRow, query.order_by(instances.c.id))


def end_if_dead(connection: Connection, instance_id: str, lock_number: int, gone_after: timedelta = GONE_AFTER) -> bool:
    """End a process that is dead; whoever does so recovers what it had in the same transaction.

    Args:
        connection: Within a transaction.
        instance_id: The process.
        lock_number: Its advisory lock.
        gone_after: How long a process must have been silent whose connection is gone.

    Returns:
        Whether it was ended now; not where somebody else is about to.
    """
    silent_for = func.clock_timestamp() - instances.c.seen_at
    query = select(silent_for).where(instances.c.id == instance_id, instances.c.ended_at.is_(None))
    silence: timedelta | None = connection.scalar(query.with_for_update(skip_locked=True))
    if silence is None or not (silence >= DEAD_AFTER or (silence >= gone_after and _is_free(connection, lock_number))):
        return False
    end(connection, instance_id)
    return True


def purge(connection: Connection) -> int:
    """Remove instances that ended long ago.

    Returns:
        How many.
    """
    return connection.execute(instances.delete().where(instances.c.ended_at < func.now() - KEPT)).rowcount


def _is_free(connection: Connection, lock_number: int) -> bool:
    query = text("SELECT pg_try_advisory_xact_lock(:number)")
    return bool(connection.scalar(query, {"number": lock_number}))
