"""A run of LangSmith as this package knows it, read from rows that nobody has checked."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn
from uuid import UUID

from attrs import field, frozen

LARGEST_COUNTER = 2**53 - 1
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CONTENT = ("name", "inputs", "outputs", "error", "tags", "events", "extra", "metadata")
"""Fields that are read only where content is captured."""


@frozen
class Run:
    """A run.

    Attributes:
        run_id: A UUID.
        trace_id: The root's UUID.
        parent_id: None for the root.
        run_type: In lower case, whatever it is.
        started_ns: Nanoseconds since 1970.
        ended_ns: Nanoseconds since 1970; None while it is open.
        status: `success`, `error`, `pending` or whatever else, in lower case.
        tokens: Counters by our names.
        cost_usd: What LangSmith reports.
        content: What the source says beyond that, by field; empty in rows that were read without content.
    """

    run_id: UUID
    trace_id: UUID
    parent_id: UUID | None
    run_type: str
    started_ns: int
    ended_ns: int | None
    status: str
    tokens: Mapping[str, int]
    cost_usd: Decimal | None
    content: Mapping[str, Any] = field(factory=dict, repr=False)


@frozen
class Malformed:
    """A row that is no run.

    Attributes:
        reason: Which field is wrong; never its value.
        trace_id: The trace that it names, if it does.
    """

    reason: str
    trace_id: UUID | None = None


class _BadField(Exception):
    """A field's value is not what it should be; the argument is its name."""


def read_v1(row: Any, project_id: str, *, with_content: bool) -> Run | Malformed:
    """A row of the first API.

    Args:
        row: Any JSON value.
        project_id: The project that was asked for: rows of others are malformed.
        with_content: Whether to keep content.
    """
    return _read(row, "session_id", project_id, with_content, lambda run: _optional_uuid(run, "parent_run_id"))


def read_v2(row: Any, project_id: str, *, with_content: bool) -> Run | Malformed:
    """A row of the second API; see `read_v1`."""
    return _read(row, "project_id", project_id, with_content, _last_parent)


def _read(row: Any, project_field: str, project_id: str, with_content: bool, parent: Any) -> Run | Malformed:
    if not isinstance(row, dict):
        return Malformed("the row is no object")
    try:
        trace_id = _uuid(row, "trace_id")
    except _BadField:
        return Malformed("trace_id")
    try:
        if _uuid(row, project_field) != UUID(project_id):
            return Malformed("it is of another project")
        content = {name: row[name] for name in CONTENT if row.get(name) is not None} if with_content else {}
        return Run(
            run_id=_uuid(row, "id"),
            trace_id=trace_id,
            parent_id=parent(row),
            run_type=_word(row, "run_type"),
            started_ns=_moment(row, "start_time"),
            ended_ns=None if row.get("end_time") is None else _moment(row, "end_time"),
            status=_word(row, "status"),
            tokens=_tokens(row),
            cost_usd=_cost(row.get("total_cost")),
            content=content,
        )
    except _BadField as field:
        return Malformed(str(field), trace_id)


def nanoseconds(moment: datetime) -> int:
    """Nanoseconds since 1970; a time without an offset is one of UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - EPOCH) // timedelta(microseconds=1) * 1000


def moment(nanoseconds: int) -> str:
    """The time as both APIs take it."""
    return (EPOCH + timedelta(microseconds=nanoseconds // 1000)).isoformat()


def _uuid(row: Mapping[str, Any], name: str) -> UUID:
    value = row.get(name)
    try:
        return UUID(value) if isinstance(value, str) else _bad(name)
    except ValueError:
        return _bad(name)


def _optional_uuid(row: Mapping[str, Any], name: str) -> UUID | None:
    return None if row.get(name) is None else _uuid(row, name)


def _last_parent(row: Mapping[str, Any]) -> UUID | None:
    """The last of the ancestors; none for a root."""
    parents = row.get("parent_run_ids")
    if parents is not None and not isinstance(parents, list):
        return _bad("parent_run_ids")
    if not parents:
        return None if row.get("id") == row.get("trace_id") else _bad("parent_run_ids")
    return _uuid({"parent_run_ids": parents[-1]}, "parent_run_ids")


def _moment(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name)
    try:
        found = nanoseconds(datetime.fromisoformat(value)) if isinstance(value, str) else -1
    except (ValueError, OverflowError):
        found = -1
    return found if 0 <= found < 2**63 else _bad(name)


def _word(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    return value.lower() if isinstance(value, str) else _bad(name)


def _tokens(row: Mapping[str, Any]) -> dict[str, int]:
    prompt, completion = _details(row, "prompt_token_details"), _details(row, "completion_token_details")
    reported = {
        "input": row.get("prompt_tokens"),
        "output": row.get("completion_tokens"),
        "total": row.get("total_tokens"),
        "cache_read": prompt.get("cache_read"),
        "cache_write": prompt.get("cache_write", prompt.get("cache_creation")),
        "reasoning": completion.get("reasoning"),
    }
    return {name: count for name, count in reported.items() if type(count) is int and 0 <= count <= LARGEST_COUNTER}


def _details(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    details = row.get(name)
    raw = details.get("raw", details) if isinstance(details, dict) else None
    return raw if isinstance(raw, dict) else {}


def _cost(value: Any) -> Decimal | None:
    """USD with at most 12 decimals; None where what is reported is no amount of money."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        amount = Decimal(str(value)).quantize(Decimal("1e-12"))
    except InvalidOperation:
        return None
    return amount if 0 <= amount < 10**9 else None


def _bad(name: str) -> NoReturn:
    raise _BadField(name)
