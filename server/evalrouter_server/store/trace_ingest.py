"""Spans come in, each once; traces are sealed.

A batch is taken whole or not at all. What two processes do at once is put in order by the batch's row and then by the
rows of its traces, which are locked in the order of their IDs.
"""

import json
import os
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, select

from evalrouter_server.problems import Problem
from evalrouter_server.store.bulk import among, insert_rows, update_rows
from evalrouter_server.store.connections import TraceConnectionRow
from evalrouter_server.store.rows import fetch_one, insert_unless_there, select_rows
from evalrouter_server.store.tables import trace_batches, trace_spans, traces
from evalrouter_server.store.traces import TraceRow
from evalrouter_server.traces.digests import trace_digest
from evalrouter_server.traces.limits import TRACE_SPANS
from evalrouter_server.traces.spans import SpanRecord, shown_status
from evalrouter_server.traces.totals import Totals

SPAN_COLUMNS = ("trace_id", "span_id", "parent_span_id", "started_ns", "digest", "late", "document")

CHANGING = (
    *("name", "name_folded", "status", "has_root", "observed", "origins", "started_ns", "ended_ns", "span_count"),
    *("error_span_count", "tokens", "cost_usd", "late_span_count", "received_at", "expires_at"),
)
"""What new spans change in the row of a trace."""

NAMED = 10
"""Spans that a refusal names."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Spans that were sent together.

    Attributes:
        batch_id: Names it in its connection.
        digest: What its ID stands for.
        spans: Its spans in the order sent.
        refuses_conflicts: Whether a span that is there with other content refuses the batch; else it is left out.
    """

    batch_id: str
    digest: str
    spans: Sequence[SpanRecord]
    refuses_conflicts: bool = True


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a batch.

    Attributes:
        inserted: Spans that were new.
        duplicates: Spans that were there with the same content.
        conflicts: IDs of spans that are there with other content.
        late: New spans of traces that had been sealed.
        content_dropped: New spans whose content was left out.
        replayed: Whether the batch had been taken before.
        trace_ids: The traces that are held, by their IDs where they were recorded.
    """

    inserted: int
    duplicates: int
    conflicts: tuple[str, ...]
    late: int
    content_dropped: int
    replayed: bool
    trace_ids: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Held:
    """What is held of a trace.

    Attributes:
        trace: Its row; None while nothing is held.
        digest: Of the spans that are held.
        complete: Whether it is sealed with exactly those.
    """

    trace: TraceRow | None
    digest: str | None
    complete: bool


def ingest(connection: Connection, sender: TraceConnectionRow, batch: Batch, at: datetime) -> Taken:
    """Take a batch.

    Args:
        connection: Within a transaction.
        sender: The connection that it comes over.
        batch: The batch.
        at: Now.

    Raises:
        Problem: `batch_conflict`, `span_conflict` or `trace_too_large`.
    """
    expires_at = at + timedelta(days=sender.retention_days)
    name = {"connection_id": sender.id, "batch_id": batch.batch_id}
    sources = sorted({span.source_trace_id for span in batch.spans})
    if not insert_unless_there(connection, trace_batches, {**name, "digest": batch.digest, "expires_at": expires_at}):
        _check_same(connection, sender, batch)
        held = {row.source_trace_id: row.id for row in _find(connection, sender.id, sources)}
        return Taken(0, len(batch.spans), (), 0, 0, True, held)
    rows = _lock_or_make(connection, sender, batch.spans, sources, at)
    new, duplicates, conflicts = _sort_out(connection, rows, batch)
    stored: list[tuple[Any, ...]] = []
    for source, spans in new.items():
        row = rows[source]
        if row.span_count + len(spans) > TRACE_SPANS:
            raise _too_many(source, row.span_count, len(spans))
        is_late = row.sealed_at is not None
        stored += [(row.id, s.span_id, s.parent_span_id, s.started_ns, s.digest, is_late, s.document) for s in spans]
    insert_rows(connection, trace_spans, SPAN_COLUMNS, stored)
    changed = []
    late_count = 0
    for source, spans in new.items():
        row = rows[source]
        late = len(spans) if row.sealed_at is not None else 0
        late_count += late
        grown = _head_of_fragment(connection, row.id, _totals(row).with_spans(spans))
        changed.append((*_columns(grown), row.late_span_count + late, at, expires_at, row.id))
    update_rows(connection, traces, ("id",), CHANGING, changed)
    return Taken(
        inserted=len(stored),
        duplicates=duplicates,
        conflicts=conflicts,
        late=late_count,
        content_dropped=sum(span.content_dropped for spans in new.values() for span in spans),
        replayed=False,
        trace_ids={source: row.id for source, row in rows.items() if row.span_count or source in new},
    )


def seal(
    connection: Connection, sender: TraceConnectionRow, source_trace_id: str, span_count: int, digest: str, at: datetime
) -> Held:
    """Seal a trace where exactly the stated spans are held; else change nothing.

    Args:
        connection: Within a transaction.
        sender: The connection that it came in over.
        source_trace_id: Its ID where it was recorded.
        span_count: How many spans it has.
        digest: What `traces.digests.trace_digest` says of them.
        at: Now.
    """
    held = read_held(connection, sender.id, source_trace_id, for_update=True)
    if held.trace is None or held.trace.span_count != span_count or held.digest != digest:
        return replace(held, complete=False)
    if held.complete:
        return held
    sealed = replace(held.trace, sealed_at=at, sealed_span_count=span_count)
    values = {"sealed_at": at, "sealed_span_count": span_count}
    connection.execute(traces.update().where(traces.c.id == sealed.id).values(values))
    return Held(sealed, digest, True)


def read_held(connection: Connection, connection_id: str, source_trace_id: str, *, for_update: bool = False) -> Held:
    """What is held of a trace.

    Args:
        connection: Any connection.
        connection_id: The trace connection that it came in over.
        source_trace_id: Its ID where it was recorded.
        for_update: Whether to lock its row.
    """
    query = select_rows(TraceRow, traces).where(
        traces.c.connection_id == connection_id, traces.c.source_trace_id == source_trace_id
    )
    row = fetch_one(connection, TraceRow, query.with_for_update() if for_update else query)
    if row is None:
        return Held(None, None, False)
    spans = select(trace_spans.c.span_id, trace_spans.c.digest).where(trace_spans.c.trace_id == row.id)
    digest = trace_digest((span_id, digest) for span_id, digest in connection.execute(spans))
    return Held(row, digest, row.is_complete)


def new_trace_id() -> str:
    """A UUID of version 7 (RFC 9562): a millisecond and 74 random bits, so that it sorts by when it was made."""
    number = time.time_ns() // 1_000_000 << 80 | int.from_bytes(os.urandom(10))
    number = number & ~(0xF << 76) & ~(0x3 << 62) | 0x7 << 76 | 0x2 << 62
    return str(uuid.UUID(int=number))


def _check_same(connection: Connection, sender: TraceConnectionRow, batch: Batch) -> None:
    query = select(trace_batches.c.digest).where(
        trace_batches.c.connection_id == sender.id, trace_batches.c.batch_id == batch.batch_id
    )
    if connection.scalar(query) != batch.digest:
        raise Problem(
            "batch_conflict",
            f"The batch {batch.batch_id} was taken with other spans: send these under an ID of their own.",
            batch_id=batch.batch_id,
        )


def _find(
    connection: Connection, connection_id: str, sources: Sequence[str], *, for_update: bool = False
) -> list[TraceRow]:
    query = (
        select_rows(TraceRow, traces)
        .where(
            traces.c.connection_id == connection_id,
            among(connection.dialect.name, traces.c.source_trace_id, "sources"),
        )
        .order_by(traces.c.source_trace_id)
    )
    rows = connection.execute(query.with_for_update() if for_update else query, {"sources": sources})
    return [TraceRow(*row) for row in rows]


def _lock_or_make(
    connection: Connection,
    sender: TraceConnectionRow,
    spans: Sequence[SpanRecord],
    sources: Sequence[str],
    at: datetime,
) -> dict[str, TraceRow]:
    """The rows of the batch's traces; those of traces without a span yet are empty."""
    there = {row.source_trace_id: row for row in _find(connection, sender.id, sources, for_update=True)}
    missing = [source for source in sources if source not in there]
    if not missing:
        return there
    first_start: dict[str, int] = {}
    for span in spans:
        first_start[span.source_trace_id] = min(span.started_ns, first_start.get(span.source_trace_id, span.started_ns))
    for source in missing:
        row = TraceRow(
            id=new_trace_id(),
            workspace_id=sender.workspace_id,
            connection_id=sender.id,
            source_trace_id=source,
            name=None,
            status="unset",
            has_root=False,
            observed=False,
            origins="",
            started_ns=first_start[source],
            ended_ns=None,
            span_count=0,
            error_span_count=0,
            late_span_count=0,
            tokens="{}",
            cost_usd=None,
            sealed_at=None,
            sealed_span_count=None,
            received_at=at,
            expires_at=at + timedelta(days=sender.retention_days),
        )
        insert_unless_there(connection, traces, asdict(row))
    return {row.source_trace_id: row for row in _find(connection, sender.id, sources, for_update=True)}


def _sort_out(
    connection: Connection, rows: Mapping[str, TraceRow], batch: Batch
) -> tuple[dict[str, list[SpanRecord]], int, tuple[str, ...]]:
    """The batch's new spans by trace, the number of those that are there, and those that are there otherwise.

    Raises:
        Problem: `span_conflict`, where the batch refuses them.
    """
    dialect = connection.dialect.name
    query = select(trace_spans.c.trace_id, trace_spans.c.span_id, trace_spans.c.digest).where(
        among(dialect, trace_spans.c.trace_id, "trace_ids"), among(dialect, trace_spans.c.span_id, "span_ids")
    )
    filled = [row.id for row in rows.values() if row.span_count]
    given = {"trace_ids": filled, "span_ids": [span.span_id for span in batch.spans]}
    known = {(trace, span): digest for trace, span, digest in connection.execute(query, given)} if filled else {}
    new: dict[str, list[SpanRecord]] = {}
    duplicates = 0
    conflicts: list[str] = []
    for span in batch.spans:
        key = rows[span.source_trace_id].id, span.span_id
        digest = known.get(key)
        if digest is None:
            known[key] = span.digest
            new.setdefault(span.source_trace_id, []).append(span)
        elif digest == span.digest:
            duplicates += 1
        else:
            conflicts.append(span.span_id)
    if conflicts and batch.refuses_conflicts:
        raise Problem(
            "span_conflict",
            f"{len(conflicts)} spans are there with other content, the first of them {conflicts[0]}: a span is sent "
            "once, when it has ended. Nothing of the batch was stored.",
            spans=conflicts[:NAMED],
        )
    return new, duplicates, tuple(conflicts)


def _head_of_fragment(connection: Connection, trace_id: str, totals: Totals) -> Totals:
    """The totals; where no span is without a parent, named by the first whose parent is not there."""
    if totals.has_root:
        return totals
    parents = trace_spans.alias()
    there = select(parents.c.span_id).where(
        parents.c.trace_id == trace_id, parents.c.span_id == trace_spans.c.parent_span_id
    )
    query = (
        select(trace_spans.c.document)
        .where(trace_spans.c.trace_id == trace_id, ~there.exists())
        .order_by(trace_spans.c.started_ns, trace_spans.c.span_id)
        .limit(1)
    )
    document = connection.scalar(query)
    if document is None:
        return totals
    span = json.loads(document)
    return replace(totals, name=span["name"], status=shown_status(span))


def _totals(row: TraceRow) -> Totals:
    return Totals(
        name=row.name,
        status=row.status,
        has_root=row.has_root,
        observed=row.observed,
        origins=frozenset(filter(None, row.origins.split(","))),
        started_ns=row.started_ns,
        ended_ns=row.ended_ns,
        span_count=row.span_count,
        error_span_count=row.error_span_count,
        tokens=json.loads(row.tokens),
        cost_usd=None if row.cost_usd is None else Decimal(row.cost_usd),
    )


def _columns(totals: Totals) -> tuple[Any, ...]:
    """The values of `CHANGING`, as far as they are totals."""
    return (
        totals.name,
        None if totals.name is None else totals.name.casefold(),
        totals.status,
        totals.has_root,
        totals.observed,
        ",".join(sorted(totals.origins)),
        totals.started_ns,
        totals.ended_ns,
        totals.span_count,
        totals.error_span_count,
        json.dumps(totals.tokens),
        None if totals.cost_usd is None else f"{totals.cost_usd:f}",
    )


def _too_many(source: str, held: int, more: int) -> Problem:
    return Problem(
        "trace_too_large",
        f"The trace {source} has {held:,} spans and would get {more:,} more: a trace may have {TRACE_SPANS:,}. Start "
        "another trace.",
        trace_id=source,
        limit_spans=TRACE_SPANS,
    )
