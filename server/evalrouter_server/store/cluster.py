"""What keeps the work of several processes going: which runs need somebody, and what dead processes leave."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, and_, exists, or_, select

from evalrouter_server.store import instances, slots
from evalrouter_server.store.instances import InstanceRow
from evalrouter_server.store.tables import runs, tasks


@dataclass(frozen=True, slots=True)
class Need:
    """A run that somebody must work on, or end.

    Attributes:
        has_pending: Whether tasks of it can be claimed.
        is_alone: Whether one process at a time looks after it.
    """

    run_id: str
    concurrency: int
    has_pending: bool
    is_alone: bool


def needs(connection: Connection, run_id: str | None = None) -> list[Need]:
    """The runs that have tasks to claim, or that can end.

    Args:
        connection: Any connection.
        run_id: Only this run.
    """

    def has(status: str) -> object:
        return exists().where(tasks.c.run_id == runs.c.id, tasks.c.status == status)

    open_to_claims = and_(runs.c.status.in_(("queued", "running")), runs.c.closing_reason.is_(None))
    query = select(
        runs.c.id,
        runs.c.concurrency,
        and_(open_to_claims, has("pending")),  # type: ignore[arg-type]
        has("claimed"),  # type: ignore[call-overload]
        runs.c.agent.is_not(None),
    ).where(or_(runs.c.status.in_(("queued", "running", "cancelling"))))
    if run_id is not None:
        query = query.where(runs.c.id == run_id)
    return [
        Need(found, concurrency, bool(pending), bool(alone))
        for found, concurrency, pending, claimed, alone in connection.execute(query.order_by(runs.c.id))
        if pending or alone or not claimed
    ]


def end_dead(connection: Connection, dead: InstanceRow, gone_after: timedelta) -> bool:
    """End a process that is dead, and give back what its slots had claimed.

    Returns:
        Whether it was dead, and this has ended it.
    """
    if not instances.end_if_dead(connection, dead.id, dead.lock_number, gone_after):
        return False
    slots.release(connection, slots.ids_of_instance(connection, dead.id))
    return True
