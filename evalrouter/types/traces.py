"""Traces of agents: a trace, its spans, their counters."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from attrs import frozen


@frozen
class TokenCounts:
    """Tokens as the source reports them, None where it reports none. They are no charge.

    Attributes:
        input: Input tokens.
        output: Output tokens.
        cache_read: Input tokens that were read from a cache.
        cache_write: Input tokens that were written to a cache.
        reasoning: Output tokens that were reasoning.
        total: The source's own total.
    """

    input: int | None
    output: int | None
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None
    total: int | None


@frozen
class Trace:
    """A tree of spans, without them.

    Attributes:
        id: The server's ID, a UUID.
        connection_id: The trace connection that it came in over.
        source_trace_id: Its ID where it was recorded.
        name: The root's name.
        status: The root's: `ok`, `error` or `unset`, which means that nobody said and is never success.
        coverage: `recorded`, or `observed` where any span was seen from outside.
        origins: What recorded it: `capture`, `attach`, `otlp`, `langsmith`.
        started_at: The earliest start.
        ended_at: The latest end.
        duration_seconds: Seconds between them.
        span_count: Spans that the server holds.
        error_span_count: Those of them with the status `error`.
        late_span_count: Those of them that arrived after a seal.
        tokens: Sums over its model and embedding spans.
        cost: USD that the source reports; observed, not charged.
        sealed_at: When it was sealed.
        complete: Whether the server holds exactly the sealed spans.
        received_at: When its last span arrived.
        expires_at: When it is deleted.
    """

    id: str
    connection_id: str
    source_trace_id: str
    name: str | None
    status: str
    coverage: str
    origins: tuple[str, ...]
    started_at: datetime
    ended_at: datetime | None
    duration_seconds: float | None
    span_count: int
    error_span_count: int
    late_span_count: int
    tokens: TokenCounts
    cost: Decimal | None
    sealed_at: datetime | None
    complete: bool
    received_at: datetime
    expires_at: datetime


@frozen
class TraceSpan:
    """One finished piece of an agent's work, in its place of the tree.

    Attributes:
        span_id: Its ID in the trace.
        parent_span_id: Its parent's; None for a root.
        depth: 0 for a root.
        parent_missing: Whether it names a parent that the server does not hold.
        name: Its name.
        kind: `agent`, `model`, `tool`, `retrieval`, `embedding`, `chain`, `unknown` or another.
        status: `ok`, `error` or `unset`, which is never success.
        started_at: Its start.
        ended_at: Its end; None for what never ended.
        duration_seconds: Seconds between them.
        tokens: Its counters.
        cost: USD that the source reports; observed, not charged.
        attributes: Its attributes.
        input: What went in; None where none is stored.
        output: What came out; None where none is stored.
        error: What went wrong; None where none is stored.
        origin: What recorded it.
        coverage: `recorded`, or `observed` for what was seen from outside.
        late: Whether it arrived after a seal.
    """

    span_id: str
    parent_span_id: str | None
    depth: int
    parent_missing: bool
    name: str | None
    kind: str
    status: str
    started_at: datetime
    ended_at: datetime | None
    duration_seconds: float | None
    tokens: TokenCounts
    cost: Decimal | None
    attributes: dict[str, Any]
    input: Any
    output: Any
    error: Any
    origin: str
    coverage: str
    late: bool
