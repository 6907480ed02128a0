"""Tasks: claimed under a fence, given back, or ended together with their result."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select

from evalrouter_server.ids import new_id
from evalrouter_server.store.results import NewResult, insert_result
from evalrouter_server.store.tables import runs, tasks

CLAIMABLE = ("running",)
"""The statuses of a run whose tasks may be claimed."""


# Every task passes through these statements; building them anew costs more than running them.
_PENDING = (
    select(tasks.c.id, tasks.c.position, tasks.c.item_id, tasks.c.repeat, tasks.c.fence)
    .where(
        tasks.c.run_id == bindparam("of_run"),
        tasks.c.status == "pending",
        select(runs.c.id).where(runs.c.id == bindparam("of_run"), runs.c.status.in_(CLAIMABLE)).exists(),
    )
    .order_by(tasks.c.position)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True, of=tasks)
)
_TAKE = (
    tasks.update()
    .where(tasks.c.id == bindparam("task"))
    .values(status="claimed", owner=bindparam("by"), fence=tasks.c.fence + 1, claimed_at=bindparam("now"))
)
_END_CLAIM = (
    tasks.update()
    .where(tasks.c.id == bindparam("task"), tasks.c.fence == bindparam("held"), tasks.c.status == "claimed")
    .values(status=bindparam("ending"), owner=None)
)
_COUNT = {
    status: runs.update().where(runs.c.id == bindparam("of_run")).values({counter.name: counter + 1})
    for status, counter in (("graded", runs.c.graded), ("failed", runs.c.failed))
}


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
        owner: The process instance that has the claim.
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


def claim_next(connection: Connection, run_id: str, owner: str, now: datetime) -> Claim | None:
    """Claim the first task that is pending; None where there is none, or the run is not running."""
    claims = claim(connection, run_id, owner, now, limit=1)
    return claims[0] if claims else None


def claim(connection: Connection, run_id: str, owner: str, now: datetime, *, limit: int) -> list[Claim]:
    """Claim pending tasks of a running run, in the order of the plan.

    Args:
        connection: Within a transaction.
        run_id: The run.
        owner: The process instance that will work on them.
        now: When.
        limit: The most to claim.
    """
    claims = [
        Claim(row.id, run_id, row.position, row.item_id, row.repeat, owner, row.fence + 1)
        for row in connection.execute(_PENDING, {"of_run": run_id, "most": limit})
    ]
    if claims:
        connection.execute(_TAKE, [{"task": entry.task_id, "by": owner, "now": now} for entry in claims])
    return claims


def give_back(connection: Connection, held: Claim) -> bool:
    """Make a claimed task pending again.

    Returns:
        Whether the claim still held.
    """
    return _end_claim(connection, held, "pending")


def record(connection: Connection, held: Claim, result: NewResult) -> bool:
    """End a task with its result, and count it on the run.

    Args:
        connection: Within a transaction.
        held: The claim that the work was done under.
        result: What came of it.

    Returns:
        Whether the claim still held; if not, nothing was written.
    """
    if not _end_claim(connection, held, result.status):
        return False
    insert_result(connection, held.task_id, held.run_id, held.position, held.item_id, held.repeat, result)
    connection.execute(_COUNT[result.status], {"of_run": held.run_id})
    return True


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


def drop_pending(connection: Connection, run_id: str) -> int:
    """Give up the tasks of a run that nobody has claimed, as when it was cancelled or its budget is exhausted.

    Returns:
        How many were dropped; they count as missing.
    """
    statement = tasks.update().where(tasks.c.run_id == run_id, tasks.c.status == "pending")
    return connection.execute(statement.values(status="dropped")).rowcount


def counts(connection: Connection, run_id: str) -> TaskCounts:
    """How many tasks of a run are where."""
    query = (
        select(tasks.c.status, func.count().label("number")).where(tasks.c.run_id == run_id).group_by(tasks.c.status)
    )
    return TaskCounts(**{row.status: row.number for row in connection.execute(query)})


def _end_claim(connection: Connection, held: Claim, status: str) -> bool:
    found = connection.execute(_END_CLAIM, {"task": held.task_id, "held": held.fence, "ending": status})
    return found.rowcount == 1
