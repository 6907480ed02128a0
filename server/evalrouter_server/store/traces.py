"""Traces and their spans: found, read as trees, deleted."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, select

from evalrouter_server.problems import Problem
from evalrouter_server.store.bulk import among
from evalrouter_server.store.pages import BY_SPAN_ID, BY_UUID_DESCENDING, Page, decode_cursor, encode_cursor, fetch_page
from evalrouter_server.store.rows import fetch_one, select_rows
from evalrouter_server.store.tables import trace_batches, trace_spans, traces
from evalrouter_server.traces.tree import Node, Placed, in_tree_order

SECOND_NS = 1_000_000_000

PURGED_AT_ONCE = 200
"""Traces that one write deletes, so that none is long."""


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A trace as stored.

    Attributes:
        name: The root's.
        status: The root's: `ok`, `error` or `unset`.
        has_root: Whether a span without a parent is there.
        origins: Sorted, with commas.
        tokens: Sums over model and embedding spans, as JSON.
        cost_usd: Sum of what the source reports, as a decimal.
        sealed_at: When a seal was first met that had this many spans.
    """

    id: str
    workspace_id: str
    connection_id: str
    source_trace_id: str
    name: str | None
    status: str
    has_root: bool
    observed: bool
    origins: str
    started_ns: int
    ended_ns: int | None
    span_count: int
    error_span_count: int
    late_span_count: int
    tokens: str
    cost_usd: str | None
    sealed_at: datetime | None
    sealed_span_count: int | None
    received_at: datetime
    expires_at: datetime

    @property
    def is_complete(self) -> bool:
        """Whether it was sealed and has exactly the sealed spans."""
        return self.sealed_at is not None and self.sealed_span_count == self.span_count


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A span as stored.

    Attributes:
        late: Whether it arrived after a seal.
        document: The contract's `TraceSpan` as JSON, as far as it is kept.
    """

    span_id: str
    late: bool
    document: str


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which traces are meant; None: any.

    Attributes:
        name: A part of the root's name, in whatever case.
    """

    name: str | None = None
    status: str | None = None
    connection_id: str | None = None
    started_from: datetime | None = None
    started_before: datetime | None = None


def list_page(
    connection: Connection, workspace_id: str, wanted: TraceFilter, *, cursor: str | None, limit: int
) -> Page[TraceRow]:
    """A page of the workspace's traces, the last to arrive first.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    query = select_rows(TraceRow, traces).where(traces.c.workspace_id == workspace_id)
    if wanted.name is not None:
        query = query.where(traces.c.name_folded.contains(wanted.name.casefold(), autoescape=True))
    if wanted.status is not None:
        query = query.where(traces.c.status == wanted.status)
    if wanted.connection_id is not None:
        query = query.where(traces.c.connection_id == wanted.connection_id)
    if wanted.started_from is not None:
        query = query.where(traces.c.started_ns >= nanoseconds(wanted.started_from))
    if wanted.started_before is not None:
        query = query.where(traces.c.started_ns < nanoseconds(wanted.started_before))
    return fetch_page(
        connection, TraceRow, query, traces.c.id, BY_UUID_DESCENDING, "traces", cursor=cursor, limit=limit
    )


def get(connection: Connection, workspace_id: str, trace_id: str) -> TraceRow | None:
    """A trace of the workspace, or None."""
    query = select_rows(TraceRow, traces).where(traces.c.id == trace_id, traces.c.workspace_id == workspace_id)
    return fetch_one(connection, TraceRow, query)


def span_page(connection: Connection, trace_id: str, *, cursor: str | None, limit: int) -> Page[tuple[Placed, SpanRow]]:
    """A page of a trace's spans in the order of the tree.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    places = select(trace_spans.c.span_id, trace_spans.c.parent_span_id, trace_spans.c.started_ns)
    ordered = in_tree_order(Node(*row) for row in connection.execute(places.where(trace_spans.c.trace_id == trace_id)))
    start = 0
    if cursor is not None:
        last = decode_cursor(cursor, "spans", BY_SPAN_ID)
        start = next((number + 1 for number, place in enumerate(ordered) if place.span_id == last), len(ordered))
    wanted = ordered[start : start + limit]
    query = select_rows(SpanRow, trace_spans).where(
        trace_spans.c.trace_id == trace_id, among(connection.dialect.name, trace_spans.c.span_id, "span_ids")
    )
    found = {
        row.span_id: row
        for row in (SpanRow(*each) for each in connection.execute(query, {"span_ids": [p.span_id for p in wanted]}))
    }
    more = start + limit < len(ordered)
    return Page(
        tuple((place, found[place.span_id]) for place in wanted),
        encode_cursor("spans", wanted[-1].span_id) if more else None,
    )


def root_span(connection: Connection, trace_id: str) -> SpanRow | None:
    """A trace's first span without a parent, or None."""
    query = select_rows(SpanRow, trace_spans).where(
        trace_spans.c.trace_id == trace_id, trace_spans.c.parent_span_id.is_(None)
    )
    first = query.order_by(trace_spans.c.started_ns, trace_spans.c.span_id).limit(1)
    return fetch_one(connection, SpanRow, first)


def delete(connection: Connection, workspace_id: str, trace_id: str) -> None:
    """Delete a trace and its spans.

    Raises:
        Problem: `not_found`.
    """
    query = select(traces.c.id).where(traces.c.id == trace_id, traces.c.workspace_id == workspace_id)
    if connection.scalar(query.with_for_update()) is None:
        raise Problem("not_found", f"There is no trace {trace_id} in this workspace.", id=trace_id)
    _delete_all(connection, [trace_id])


def purge(connection: Connection, now: datetime) -> bool:
    """Delete some of the traces whose retention has ended, and forget batches that are as old.

    Returns:
        Whether there may be more.
    """
    query = select(traces.c.id).where(traces.c.expires_at <= now).order_by(traces.c.id).limit(PURGED_AT_ONCE)
    old = connection.scalars(query.with_for_update()).all()
    _delete_all(connection, old)
    connection.execute(trace_batches.delete().where(trace_batches.c.expires_at <= now))
    return len(old) == PURGED_AT_ONCE


def nanoseconds(moment: datetime) -> int:
    """Nanoseconds since 1970; before 1678 and after 2262, beyond 64 bits, the nearest that fits."""
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    exact = (since.days * 86400 + since.seconds) * SECOND_NS + since.microseconds * 1000
    return max(-(2**63), min(exact, 2**63 - 1))


def _delete_all(connection: Connection, trace_ids: Any) -> None:
    ids = {"trace_ids": list(trace_ids)}
    for table, column in ((trace_spans, trace_spans.c.trace_id), (traces, traces.c.id)):
        connection.execute(table.delete().where(among(connection.dialect.name, column, "trace_ids")), ids)
