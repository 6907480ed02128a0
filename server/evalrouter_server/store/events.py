"""A run's events, numbered without a gap under the run's row, so that whoever resumes after a number misses nothing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select

from evalrouter_server.store.rows import fetch_all, select_rows
from evalrouter_server.store.tables import events, runs

_NEXT_SEQ = (
    runs.update()
    .where(runs.c.id == bindparam("of_run"))
    .values(last_seq=runs.c.last_seq + 1)
    .returning(runs.c.last_seq)
)
"""Built once: every task ends with an event."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """Something that happened to a run."""

    run_id: str
    seq: int
    type: str
    at: datetime
    data: dict[str, Any]


def append(connection: Connection, run_id: str, type: str, data: dict[str, Any], at: datetime) -> int:
    """Add an event in the transaction of the change that it tells of.

    Args:
        connection: Within that transaction.
        run_id: The run.
        type: One of the contract's event types, such as `task.graded`.
        data: What there is to say, JSON-ready.
        at: When.

    Returns:
        Its number, one more than that of the event before.

    Raises:
        LookupError: There is no such run.
    """
    seq = connection.execute(_NEXT_SEQ, {"of_run": run_id}).scalar_one_or_none()
    if seq is None:
        raise LookupError(f"there is no run {run_id}")
    connection.execute(events.insert(), {"run_id": run_id, "seq": seq, "type": type, "data": data, "at": at})
    return int(seq)


def after(connection: Connection, run_id: str, seq: int, limit: int) -> list[EventRow]:
    """Events after a number, in order; begin with 0."""
    query = select_rows(EventRow, events).where(events.c.run_id == run_id, events.c.seq > seq)
    return fetch_all(connection, EventRow, query.order_by(events.c.seq).limit(limit))


def last_seq(connection: Connection, run_id: str) -> int:
    """The newest event's number; 0 where there is none."""
    return int(connection.scalar(select(runs.c.last_seq).where(runs.c.id == run_id)) or 0)
