"""What was sent to remote agents, noted before it is sent, so that a restart does not send a task twice."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from evalrouter_server.store import events
from evalrouter_server.store.rows import fetch_all, fetch_one, select_rows
from evalrouter_server.store.tables import remote_tasks, tasks
from evalrouter_server.store.tasks import Claim


@dataclass(frozen=True, slots=True)
class RemoteTaskRow:
    """A task that was sent to a remote agent, or was about to be.

    Attributes:
        remote_id: The agent's own ID of the task; None: it has told none.
        sent_at: When it was sent.
    """

    task_id: str
    run_id: str
    remote_id: str | None
    sent_at: datetime


def note_sending(connection: Connection, claim: Claim, at: datetime) -> int:
    """Note that a task is about to be sent.

    Args:
        connection: Within a transaction, which ends before anything is sent.
        claim: The claim on the task, which was not sent before.
        at: When.

    Returns:
        The number of the event that says so.
    """
    values = {"task_id": claim.task_id, "run_id": claim.run_id, "sent_at": at}
    connection.execute(remote_tasks.insert().values(values))
    told = {"task_id": claim.task_id, "position": claim.position, "repeat": claim.repeat}
    return events.append(connection, claim.run_id, "task.sent", told, at)


def note_remote_id(connection: Connection, task_id: str, remote_id: str) -> None:
    """Note the agent's own ID of a task."""
    connection.execute(remote_tasks.update().where(remote_tasks.c.task_id == task_id).values(remote_id=remote_id))


def forget(connection: Connection, task_id: str) -> None:
    """Note that the agent did not take a task, so that it may be sent again."""
    connection.execute(remote_tasks.delete().where(remote_tasks.c.task_id == task_id))


def get(connection: Connection, task_id: str) -> RemoteTaskRow | None:
    """What was sent of a task, or None."""
    query = select_rows(RemoteTaskRow, remote_tasks).where(remote_tasks.c.task_id == task_id)
    return fetch_one(connection, RemoteTaskRow, query)


def unfinished(connection: Connection, run_id: str) -> list[RemoteTaskRow]:
    """The tasks of a run on which the agent may still be working."""
    ended = select(tasks.c.id).where(tasks.c.run_id == run_id, tasks.c.status.in_(("graded", "failed")))
    query = select_rows(RemoteTaskRow, remote_tasks).where(
        remote_tasks.c.run_id == run_id, remote_tasks.c.remote_id.is_not(None), remote_tasks.c.task_id.not_in(ended)
    )
    return fetch_all(connection, RemoteTaskRow, query)
