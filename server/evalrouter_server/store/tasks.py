"""Tasks: claimed under a fence, given back, or ended together with their result."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, exists, func, select

from evalrouter_server.ids import new_id
from evalrouter_server.store.bulk import among, update_rows
from evalrouter_server.store.cluster_tables import slots
from evalrouter_server.store.results import NewResult, insert_results
from evalrouter_server.store.runs import UNENDED
from evalrouter_server.store.tables import runs, tasks

CLAIMABLE = ("running",)
"""The statuses of a run whose tasks may be claimed."""


# Every task passes through these statements; building them anew costs more than running them.
_PENDING = (
    select(tasks.c.id, tasks.c.position, tasks.c.item_id, tasks.c.repeat, tasks.c.fence)
    .where(
        tasks.c.run_id == bindparam("of_run"),
        tasks.c.status == "pending",
        select(runs.c.id)
        .where(runs.c.id == bindparam("of_run"), runs.c.status.in_(CLAIMABLE), runs.c.closing_reason.is_(None))
        .exists(),
    )
    .order_by(tasks.c.position)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True, of=tasks)
)
_SLOT = select(slots.c.id).where(slots.c.id == bindparam("slot")).with_for_update(read=True, key_share=True)
_COUNT = {
    status: runs.update().where(runs.c.id == bindparam("of_run")).values({counter.name: counter + bindparam("more")})
    for status, counter in (("graded", runs.c.graded), ("failed", runs.c.failed))
}


@cache
def _claimed(dialect_name: str) -> Select[tuple[str, int]]:
    named = among(dialect_name, tasks.c.id, "task_ids")
    return select(tasks.c.id, tasks.c.fence).where(named, tasks.c.status == "claimed").with_for_update(of=tasks)


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task of a new run.

    Attributes:
        item_id: The benchmark's item.
        repeat: Which try of it, from 0.
    """

    item_id: str
    repeat: int


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on a task; it holds as long as nobody else has claimed the task since.

    Attributes:
        task_id: The task.
        run_id: Its run.
        position: Its place in the plan, from 0.
        item_id: The benchmark's item.
        repeat: Which try of it, from 0.
        owner: The process instance, slot or delivery key that has the claim.
        fence: Grows with every claim; what an older claim writes is refused.
    """

    task_id: str
    run_id: str
    position: int
    item_id: str
    repeat: int
    owner: str
    fence: int


@dataclass(frozen=True, slots=True)
class TaskCounts:
    """How many tasks of a run are where."""

    pending: int = 0
    claimed: int = 0
    graded: int = 0
    failed: int = 0
    dropped: int = 0

    @property
    def unfinished(self) -> int:
        """Tasks that may still be worked on."""
        return self.pending + self.claimed


def insert_tasks(connection: Connection, run_id: str, planned: Sequence[PlannedTask]) -> None:
    """Add a new run's tasks, in the order of the plan.

    Args:
        connection: Within the transaction that inserts the run.
        run_id: The run.
        planned: Its tasks.
    """
    rows = [
        {
            "id": new_id("task"),
            "run_id": run_id,
            "position": position,
            "item_id": task.item_id,
            "repeat": task.repeat,
            "status": "pending",
            "fence": 0,
        }
        for position, task in enumerate(planned)
    ]
    if rows:
        connection.execute(tasks.insert(), rows)


def claim(connection: Connection, run_id: str, owner: str, now: datetime, *, limit: int) -> list[Claim]:
    """Claim pending tasks of a running run, in the order of the plan.

    Args:
        connection: Within a transaction.
        run_id: The run.
        owner: The process instance or slot that will work on them; a slot that is gone gets nothing.
        now: When.
        limit: The most to claim.
    """
    if owner.startswith("slot_") and connection.scalar(_SLOT, {"slot": owner}) is None:
        return []
    claims = [
        Claim(row.id, run_id, row.position, row.item_id, row.repeat, owner, row.fence + 1)
        for row in connection.execute(_PENDING, {"of_run": run_id, "most": limit})
    ]
    taken = [("claimed", owner, entry.fence, now, entry.task_id) for entry in claims]
    update_rows(connection, tasks, ("id",), ("status", "owner", "fence", "claimed_at"), taken)
    return claims


def give_back(connection: Connection, held: Claim) -> bool:
    """Make a claimed task pending again.

    Returns:
        Whether the claim still held.
    """
    return bool(_end_claims(connection, [(held, "pending")]))


def record(connection: Connection, done: Sequence[tuple[Claim, NewResult]]) -> frozenset[Claim]:
    """End tasks with their results, and count them on their runs.

    Args:
        connection: Within a transaction.
        done: The claims that the work was done under, each with what came of it.

    Returns:
        The claims that still held; of the others nothing was written.
    """
    held = _end_claims(connection, [(claim, result.status) for claim, result in done])
    ended = [(claim, result) for claim, result in done if claim in held]
    insert_results(
        connection, [((c.task_id, c.run_id, c.position, c.item_id, c.repeat), result) for c, result in ended]
    )
    counted = Counter((claim.run_id, result.status) for claim, result in ended)
    for (run_id, status), number in sorted(counted.items()):
        connection.execute(_COUNT[status], {"of_run": run_id, "more": number})
    return held


def give_back_orphans(connection: Connection, live_owners: Collection[str], run_id: str | None = None) -> int:
    """Make the tasks pending again that processes which are gone had claimed.

    Args:
        connection: Within a transaction.
        live_owners: The process instances that still work.
        run_id: Only tasks of this run.

    Returns:
        How many were given back.
    """
    statement = tasks.update().where(tasks.c.status == "claimed", tasks.c.owner.not_in(live_owners))
    if run_id is not None:
        statement = statement.where(tasks.c.run_id == run_id)
    return connection.execute(statement.values(status="pending", owner=None)).rowcount


def give_back_of_nobody(connection: Connection) -> int:
    """Make the tasks of runs that have not ended pending again whose slot or process is gone.

    Returns:
        How many were given back.
    """
    return connection.execute(tasks.update().where(_of_nobody()).values(status="pending", owner=None)).rowcount


def has_claims_of_nobody(connection: Connection) -> bool:
    """Whether `give_back_of_nobody` would give a task back."""
    return bool(connection.scalar(select(exists().where(_of_nobody()))))


def _of_nobody() -> ColumnElement[bool]:
    unended = select(runs.c.id).where(runs.c.status.in_(UNENDED))
    by_process = tasks.c.owner.like("slot!_%", escape="!") | tasks.c.owner.like("inst!_%", escape="!")
    return and_(
        tasks.c.run_id.in_(unended),
        tasks.c.status == "claimed",
        by_process,
        ~exists().where(slots.c.id == tasks.c.owner),
    )


def are_any(connection: Connection, run_id: str, status: str) -> bool:
    """Whether a run has a task in this status."""
    return bool(connection.scalar(select(exists().where(tasks.c.run_id == run_id, tasks.c.status == status))))


def drop_pending(connection: Connection, run_id: str) -> int:
    """Give up the tasks of a run that nobody has claimed, as when it was cancelled or its budget is exhausted.

    Returns:
        How many were dropped; they count as missing.
    """
    statement = tasks.update().where(tasks.c.run_id == run_id, tasks.c.status == "pending")
    return connection.execute(statement.values(status="dropped")).rowcount


def has_pending(connection: Connection, run_id: str) -> bool:
    """Whether a run has a task that nobody works on."""
    query = select(tasks.c.id).where(tasks.c.run_id == run_id, tasks.c.status == "pending").limit(1)
    return connection.execute(query).first() is not None


def counts(connection: Connection, run_id: str) -> TaskCounts:
    """How many tasks of a run are where."""
    query = (
        select(tasks.c.status, func.count().label("number")).where(tasks.c.run_id == run_id).group_by(tasks.c.status)
    )
    return TaskCounts(**{row.status: row.number for row in connection.execute(query)})


def _end_claims(connection: Connection, endings: Sequence[tuple[Claim, str]]) -> frozenset[Claim]:
    """Give the claimed tasks a status; returns the claims that still held, of which alone it was done."""
    claimed = _claimed(connection.dialect.name)
    fences = {row.id: row.fence for row in connection.execute(claimed, {"task_ids": [c.task_id for c, _ in endings]})}
    held = {claim: status for claim, status in endings if fences.get(claim.task_id) == claim.fence}
    ended = [(status, None, claim.task_id) for claim, status in held.items()]
    update_rows(connection, tasks, ("id",), ("status", "owner"), ended)
    return frozenset(held)
