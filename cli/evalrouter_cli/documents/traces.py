"""Documents of agents' traces."""

from typing import TYPE_CHECKING

from evalrouter_cli.documents.values import Document, amount, time

if TYPE_CHECKING:
    from evalrouter import TokenCounts, Trace, TraceSpan


def trace(value: "Trace") -> Document:
    """A trace without its spans."""
    return {
        "id": value.id,
        "connection_id": value.connection_id,
        "source_trace_id": value.source_trace_id,
        "name": value.name,
        "status": value.status,
        "coverage": value.coverage,
        "origins": list(value.origins),
        "started_at": time(value.started_at),
        "ended_at": time(value.ended_at),
        "duration_seconds": value.duration_seconds,
        "span_count": value.span_count,
        "error_span_count": value.error_span_count,
        "late_span_count": value.late_span_count,
        "tokens": _tokens(value.tokens),
        "cost_usd": amount(value.cost),
        "sealed_at": time(value.sealed_at),
        "complete": value.complete,
        "received_at": time(value.received_at),
        "expires_at": time(value.expires_at),
    }


def span(value: "TraceSpan") -> Document:
    """A span in its place of the tree."""
    return {
        "span_id": value.span_id,
        "parent_span_id": value.parent_span_id,
        "depth": value.depth,
        "parent_missing": value.parent_missing,
        "name": value.name,
        "kind": value.kind,
        "status": value.status,
        "started_at": time(value.started_at),
        "ended_at": time(value.ended_at),
        "duration_seconds": value.duration_seconds,
        "tokens": _tokens(value.tokens),
        "cost_usd": amount(value.cost),
        "attributes": value.attributes,
        "input": value.input,
        "output": value.output,
        "error": value.error,
        "origin": value.origin,
        "coverage": value.coverage,
        "late": value.late,
    }


def _tokens(value: "TokenCounts") -> Document:
    return {
        "input": value.input,
        "output": value.output,
        "cache_read": value.cache_read,
        "cache_write": value.cache_write,
        "reasoning": value.reasoning,
        "total": value.total,
    }
