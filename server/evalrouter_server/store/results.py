"""Results of tasks: one for each task that was graded or failed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, func, select

from evalrouter_server.quoting.price import Usage
from evalrouter_server.store.bulk import insert_rows
from evalrouter_server.store.pages import BY_POSITION, Page, fetch_page
from evalrouter_server.store.rows import fetch_all, select_rows
from evalrouter_server.store.tables import results

ITEMS_AT_A_TIME = 500
"""Items that one query asks for."""


@dataclass(frozen=True, slots=True)
class NewResult:
    """What came of a task.

    Attributes:
        status: `graded`, or `failed` where it could not be finished.
        inputs: What the model was asked.
        target: The right answer.
        ended_at: When.
        details: What the grader notes beside its verdict, JSON-ready.
        charge_microusd: What its calls were charged, in micro-USD.
        latency_seconds: From the first try to the last byte.
        error: Code and message of a failure.
    """

    status: Literal["graded", "failed"]
    inputs: dict[str, Any]
    target: dict[str, Any]
    ended_at: datetime
    group: str | None = None
    output: str | None = None
    score: float | None = None
    correct: bool | None = None
    extracted: str | None = None
    rule: str | None = None
    details: dict[str, Any] | None = None
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    charge_microusd: int = 0
    latency_seconds: float | None = None
    model_served: str | None = None
    error: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A result as stored."""

    task_id: str
    run_id: str
    position: int
    item_id: str
    repeat: int
    group: str | None
    status: str
    inputs: dict[str, Any]
    output: str | None
    target: dict[str, Any]
    score: float | None
    correct: bool | None
    extracted: str | None
    rule: str | None
    details: dict[str, Any] | None
    finish_reason: str | None
    usage: dict[str, int]
    charge_microusd: int
    latency_seconds: float | None
    model_served: str | None
    error: dict[str, str] | None
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class Score:
    """What metrics are made of: one graded task."""

    item_id: str
    repeat: int
    group: str | None
    score: float
    correct: bool | None


@dataclass(frozen=True, slots=True)
class Measure:
    """The figures of one task, without its texts."""

    item_id: str
    status: str
    score: float | None
    correct: bool | None
    charge_microusd: int
    latency_seconds: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a task came to, to be shown beside another run's."""

    task_id: str
    item_id: str
    group: str | None
    inputs: dict[str, Any]
    target: dict[str, Any]
    extracted: str | None
    output_start: str | None


_PLACE = ("task_id", "run_id", "position", "item_id", "repeat")
_TOLD = tuple(entry.name for entry in fields(NewResult))


def insert_results(connection: Connection, placed: Sequence[tuple[tuple[str, str, int, str, int], NewResult]]) -> None:
    """Insert tasks' results; `tasks.record` does so under the tasks' fences.

    Args:
        connection: Within a transaction.
        placed: For each result the task, its run, its position, the benchmark's item and the repeat.
    """
    rows = [
        (*place, *(getattr(result, name) if name != "usage" else result.usage.by_kind() for name in _TOLD))
        for place, result in placed
    ]
    insert_rows(connection, results, (*_PLACE, *_TOLD), rows)


def list_page(connection: Connection, run_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[ResultRow]:
    """A page of a run's results, in the order of the plan.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    query = select_rows(ResultRow, results).where(results.c.run_id == run_id)
    return fetch_page(
        connection, ResultRow, query, results.c.position, BY_POSITION, "results", cursor=cursor, limit=limit
    )


def after(connection: Connection, run_id: str, position: int, limit: int) -> list[ResultRow]:
    """Results after a position, in the order of the plan, as an export reads them; begin with -1."""
    query = select_rows(ResultRow, results).where(results.c.run_id == run_id, results.c.position > position)
    return fetch_all(connection, ResultRow, query.order_by(results.c.position).limit(limit))


def scores(connection: Connection, run_id: str) -> Iterator[Score]:
    """The scores of a run's graded tasks, in the order of the plan."""
    columns = (results.c.item_id, results.c.repeat, results.c.group, results.c.score, results.c.correct)
    query = select(*columns).where(results.c.run_id == run_id, results.c.status == "graded")
    for row in connection.execute(query.order_by(results.c.position)):
        yield Score(*row)


def first_error(connection: Connection, run_id: str) -> str | None:
    """Code and message of the run's first failed task, in the order of the plan; None where none failed."""
    query = select(results.c.error).where(results.c.run_id == run_id, results.c.status == "failed")
    error = connection.scalar(query.order_by(results.c.position).limit(1))
    return None if error is None else f"{error['code']}: {error['message']}"


def measures(connection: Connection, run_id: str) -> Iterator[Measure]:
    """The figures of a run's tasks, in the order of the plan."""
    columns = (results.c[entry.name] for entry in fields(Measure))
    for row in connection.execute(select(*columns).where(results.c.run_id == run_id).order_by(results.c.position)):
        yield Measure(*row)


def answers(connection: Connection, run_id: str, item_ids: Sequence[str], shown: int) -> Iterator[Answer]:
    """What a run's graded tasks on some items came to, in the order of the plan.

    Args:
        connection: Within a transaction.
        run_id: The run.
        item_ids: The items.
        shown: Characters of each output.
    """
    place = (results.c.task_id, results.c.item_id, results.c.group)
    texts = (results.c.inputs, results.c.target, results.c.extracted, func.substr(results.c.output, 1, shown))
    query = select(*place, *texts).where(
        results.c.run_id == run_id,
        results.c.status == "graded",
        results.c.item_id.in_(bindparam("items", expanding=True)),
    )
    for start in range(0, len(item_ids), ITEMS_AT_A_TIME):
        chosen = item_ids[start : start + ITEMS_AT_A_TIME]
        for row in connection.execute(query.order_by(results.c.position), {"items": list(chosen)}):
            yield Answer(*row)
