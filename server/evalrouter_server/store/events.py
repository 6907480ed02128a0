"""A run's events, numbered without a gap under the run's row, so that whoever resumes after a number misses nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select

from evalrouter_server.store.bulk import insert_rows
from evalrouter_server.store.rows import fetch_all, select_rows
from evalrouter_server.store.tables import events, runs

_NEXT_SEQ = (
    runs.update()
    .where(runs.c.id == bindparam("of_run"))
    .values(last_seq=runs.c.last_seq + bindparam("more"))
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


@dataclass(frozen=True, slots=True)
class NewEvent:
    """Something that is to be told of a run.

    Attributes:
        type: One of the contract's event types, such as `task.graded`.
        data: What there is to say, JSON-ready.
        at: When.
    """

    type: str
    data: dict[str, Any]
    at: datetime


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
    return append_all(connection, run_id, [NewEvent(type, data, at)])[0]


def append_all(connection: Connection, run_id: str, told: Sequence[NewEvent]) -> range:
    """Add events of a run in the transaction of the changes that they tell of.

    Args:
        connection: Within that transaction.
        run_id: The run.
        told: The events, in order.

    Returns:
        Their numbers.

    Raises:
        LookupError: There is no such run.
    """
    last = connection.execute(_NEXT_SEQ, {"of_run": run_id, "more": len(told)}).scalar_one_or_none()
    if last is None:
        raise LookupError(f"there is no run {run_id}")
    numbers = range(last - len(told) + 1, last + 1)
    rows = [(run_id, seq, event.type, event.data, event.at) for seq, event in zip(numbers, told, strict=True)]
    insert_rows(connection, events, ("run_id", "seq", "type", "data", "at"), rows)
    return numbers


def after(connection: Connection, run_id: str, seq: int, limit: int, *, of_tasks: bool = True) -> list[EventRow]:
    """Events after a number, in order; begin with 0.

    Args:
        connection: Within a transaction.
        run_id: The run.
        seq: The number of the last event that is known.
        limit: The most to read.
        of_tasks: Whether to include the events of single tasks.
    """
    query = select_rows(EventRow, events).where(events.c.run_id == run_id, events.c.seq > seq)
    if not of_tasks:
        query = query.where(events.c.type.startswith("run."))
    return fetch_all(connection, EventRow, query.order_by(events.c.seq).limit(limit))


def last_seq(connection: Connection, run_id: str) -> int:
    """The newest event's number; 0 where there is none."""
    return int(connection.scalar(select(runs.c.last_seq).where(runs.c.id == run_id)) or 0)
