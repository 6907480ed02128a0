"""Traces, spans and receipts as the contract's documents."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from evalrouter_server.contract import models as contract
from evalrouter_server.gateway.json_text import decode
from evalrouter_server.store.trace_ingest import Held
from evalrouter_server.store.traces import SpanRow, TraceRow
from evalrouter_server.traces import limits
from evalrouter_server.traces.spans import COUNTERS, shown_status
from evalrouter_server.traces.tree import Placed

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def limits_document() -> contract.TraceLimits:
    """What every trace connection takes."""
    return contract.TraceLimits(
        span_bytes=limits.SPAN_BYTES,
        batch_bytes=limits.BATCH_BYTES,
        batch_spans=limits.BATCH_SPANS,
        trace_spans=limits.TRACE_SPANS,
        requests_per_minute=limits.REQUESTS_PER_MINUTE,
    )


def receipt_document(source_trace_id: str, held: Held) -> contract.TraceReceipt:
    """What is held of a trace."""
    row = held.trace
    return contract.TraceReceipt(
        trace_id=source_trace_id,
        server_trace_id=None if row is None else row.id,
        complete=held.complete,
        span_count=0 if row is None else row.span_count,
        digest=held.digest,
        sealed_at=None if row is None else row.sealed_at,
        sealed_span_count=None if row is None else row.sealed_span_count,
        late_span_count=0 if row is None else row.late_span_count,
    )


def trace_document(row: TraceRow) -> contract.Trace:
    """A trace without its spans."""
    return contract.Trace(
        id=row.id,
        connection_id=row.connection_id,
        source_trace_id=row.source_trace_id,
        name=row.name,
        status=row.status,
        coverage=_coverage(row.observed),
        origins=row.origins.split(","),
        started_at=_moment(row.started_ns),
        ended_at=None if row.ended_ns is None else _moment(row.ended_ns),
        duration_seconds=_duration(row.started_ns, row.ended_ns),
        span_count=row.span_count,
        error_span_count=row.error_span_count,
        late_span_count=row.late_span_count,
        tokens=_tokens(json.loads(row.tokens)),
        cost_usd=row.cost_usd,
        sealed_at=row.sealed_at,
        complete=row.is_complete,
        received_at=row.received_at,
        expires_at=row.expires_at,
    )


def span_document(place: Placed, row: SpanRow) -> contract.Span:
    """A span in its place of the tree."""
    span: dict[str, Any] = decode(row.document)
    started_ns, ended_ns = span["start_unix_nano"], span["end_unix_nano"]
    return contract.Span(
        span_id=row.span_id,
        parent_span_id=span["parent_span_id"],
        depth=place.depth,
        parent_missing=place.parent_missing,
        name=span["name"],
        kind=span["kind"],
        status=shown_status(span),
        started_at=_moment(started_ns),
        ended_at=None if ended_ns is None else _moment(ended_ns),
        duration_seconds=_duration(started_ns, ended_ns),
        tokens=_tokens(span.get("tokens", {})),
        cost_usd=span.get("cost_usd"),
        attributes=span.get("attributes", {}),
        input=span.get("input"),
        output=span.get("output"),
        error=span.get("error"),
        origin=span.get("origin", "capture"),
        coverage=span.get("coverage", "recorded"),
        late=row.late,
    )


def _coverage(observed: bool) -> str:
    return "observed" if observed else "recorded"


def _tokens(counts: Mapping[str, int]) -> contract.ObservedTokens:
    return contract.ObservedTokens(**{name: counts.get(name) for name in COUNTERS})


def _moment(nanoseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=nanoseconds // 1000)


def _duration(started_ns: int, ended_ns: int | None) -> float | None:
    """Seconds; a clock that was set back in between makes it 0."""
    return None if ended_ns is None else max(0, ended_ns - started_ns) / 1e9
