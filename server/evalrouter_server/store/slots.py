"""Slots: the right of a process to work on a run with so many lanes, given within the limits on all machines.

A slot owns the claims of its lanes. Once its row is gone, its lanes can claim nothing more, and what they had claimed
has gone back: that is how a process that was taken for dead and wakes up changes nothing.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, func, select, text

from evalrouter_server.ids import new_id
from evalrouter_server.store import runs, settings
from evalrouter_server.store.cluster_tables import instances, slots
from evalrouter_server.store.tables import tasks

ADMISSION_LOCK = 7_301_998_266_190_713
"""The number that is locked while a slot is given, so that no two add up to more than a limit."""

LIMITS = "limits"
"""The name of the setting that holds the limits."""

EVERY_OTHER = "*"
"""The name of the limit of each provider that has none of its own."""

type Refusal = Literal["run_limit", "workspace_limit", "provider_limit"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The most lanes at a time on all machines together.

    Attributes:
        workspace: Of one workspace; None: no limit.
        providers: Of a provider, by its name or a connection's ID; `*` is the limit of each other one.
    """

    workspace: int | None = None
    providers: Mapping[str, int] = field(default_factory=dict)

    def of_provider(self, name: str) -> int | None:
        """A provider's limit; None: it has none."""
        return self.providers.get(name, self.providers.get(EVERY_OTHER))


def write_limits(connection: Connection, limits: Limits) -> None:
    """Set the limits, which hold for every process."""
    settings.put(connection, LIMITS, json.dumps({"workspace": limits.workspace, "providers": dict(limits.providers)}))


def read_limits(connection: Connection) -> Limits:
    """The limits as the server that was started last has set them."""
    text = settings.read(connection, LIMITS)
    return Limits() if text is None else Limits(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot that was given.

    Attributes:
        id: Owns the claims.
        lanes: How many tasks it may work on at a time.
    """

    id: str
    run_id: str
    lanes: int


def admit(
    connection: Connection, run: runs.RunRow, instance_id: str, lanes: int, limits: Limits, *, alone: bool = False
) -> Slot | Refusal:
    """Give a slot, with as many lanes as the limits leave.

    Args:
        connection: Within a transaction of its own.
        run: The run.
        instance_id: The process, which has not ended.
        lanes: The lanes that it would like.
        limits: The limits beside the run's own.
        alone: Whether it must be the run's only slot.

    Returns:
        The slot, or which limit leaves nothing.

    Raises:
        LookupError: The process was ended.
    """
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": ADMISSION_LOCK})
    alive = select(instances.c.id).where(instances.c.id == instance_id, instances.c.ended_at.is_(None))
    if connection.scalar(alive.with_for_update(read=True, key_share=True)) is None:
        raise LookupError(f"{instance_id} was ended")
    provider = provider_of(run)
    free: dict[Refusal, int | None] = {
        "run_limit": run.concurrency - _lanes(connection, slots.c.run_id == run.id),
        "workspace_limit": _left(limits.workspace, connection, slots.c.workspace_id == run.workspace_id),
        "provider_limit": _left(limits.of_provider(provider), connection, slots.c.provider == provider),
    }
    if alone and free["run_limit"] != run.concurrency:
        return "run_limit"
    for refusal, left in free.items():
        if left is not None and left <= 0:
            return refusal
    granted = min(lanes, *(left for left in free.values() if left is not None))
    slot = Slot(new_id("slot"), run.id, granted)
    connection.execute(
        slots.insert().values(
            id=slot.id,
            run_id=run.id,
            instance_id=instance_id,
            workspace_id=run.workspace_id,
            provider=provider,
            lanes=granted,
            started_at=func.clock_timestamp(),
        )
    )
    return slot


def release(connection: Connection, ids: Collection[str]) -> int:
    """End slots: what their lanes have still claimed goes back.

    Returns:
        How many tasks went back.
    """
    found = list(
        connection.scalars(select(slots.c.id).where(slots.c.id.in_(ids)).order_by(slots.c.id).with_for_update())
    )
    back = tasks.update().where(tasks.c.status == "claimed", tasks.c.owner.in_(found))
    count = connection.execute(back.values(status="pending", owner=None)).rowcount
    connection.execute(slots.delete().where(slots.c.id.in_(found)))
    return count


def ids_of_instance(connection: Connection, instance_id: str) -> list[str]:
    """The slots that a process has."""
    return list(connection.scalars(select(slots.c.id).where(slots.c.instance_id == instance_id)))


def ids_of_run(connection: Connection, run_id: str) -> list[str]:
    """The slots that work on a run, on all machines."""
    return list(connection.scalars(select(slots.c.id).where(slots.c.run_id == run_id)))


def provider_of(run: runs.RunRow) -> str:
    """Whose limit a run's lanes count towards: that of its connection, an endpoint of its own, or of its provider.

    A remote agent without a model of ours is a provider of its own, by its digest.
    """
    if run.connection_id is not None:
        return run.connection_id
    return str(run.model["provider"] if run.model is not None else (run.agent or {})["digest"])


def _left(limit: int | None, connection: Connection, condition: ColumnElement[bool]) -> int | None:
    return None if limit is None else limit - _lanes(connection, condition)


def _lanes(connection: Connection, condition: ColumnElement[bool]) -> int:
    total: Any = connection.scalar(select(func.coalesce(func.sum(slots.c.lanes), 0)).where(condition))
    return int(total)
