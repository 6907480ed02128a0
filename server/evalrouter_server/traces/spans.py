"""A span as it comes in, and what of it is kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evalrouter_server.problems import Problem
from evalrouter_server.traces.digests import canonical, content_digest
from evalrouter_server.traces.limits import SPAN_BYTES

CONTENT = ("input", "output", "error")
"""The fields that are stored only where the connection stores content."""

COUNTERS = ("input", "output", "cache_read", "cache_write", "reasoning", "total")

COUNTED_KINDS = frozenset({"model", "embedding"})
"""Kinds whose tokens a trace sums up: others repeat what their children report."""


DEEPEST = 100
"""Levels of a span's JSON."""


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """A span to be stored.

    Attributes:
        source_trace_id: The trace's ID where it was recorded.
        started_ns: Nanoseconds since 1970.
        ended_ns: Nanoseconds since 1970; None: it never ended.
        tokens: The counters that the source reports.
        cost_usd: What the source reports.
        digest: Of the span as it was sent.
        document: What is kept, as JSON in ASCII.
        content_dropped: Whether content was left out.
    """

    source_trace_id: str
    span_id: str
    parent_span_id: str | None
    name: str | None
    kind: str
    status: str
    started_ns: int
    ended_ns: int | None
    tokens: Mapping[str, int]
    cost_usd: Decimal | None
    origin: str
    observed: bool
    digest: str
    document: str
    content_dropped: bool


def read_span(sent: Mapping[str, Any], *, stores_content: bool) -> SpanRecord:
    """A valid span of the contract as a record.

    Args:
        sent: The contract's `TraceSpan`, as it was sent.
        stores_content: Whether its content is kept.

    Raises:
        Problem: `request_too_large`: the span has more than `SPAN_BYTES`; `invalid_request`: it is nested too deeply.
    """
    document = canonical(sent)
    if document.count("{") + document.count("[") > DEEPEST and _depth_exceeds(sent, DEEPEST):
        raise Problem(
            "invalid_request",
            f"The span {sent['span_id']} is nested more than {DEEPEST} levels deep: send what is deeper as text.",
            span_id=sent["span_id"],
        )
    if len(document) > SPAN_BYTES:
        raise Problem(
            "request_too_large",
            f"The span {sent['span_id']} has {len(document):,} bytes, and a span may have {SPAN_BYTES:,}: shorten its "
            "input, output or attributes.",
            limit_bytes=SPAN_BYTES,
            span_id=sent["span_id"],
        )
    digest = content_digest(document)
    dropped = not stores_content and any(name in sent for name in CONTENT)
    if dropped:
        document = canonical({name: value for name, value in sent.items() if name not in CONTENT})
    cost = sent.get("cost_usd")
    return SpanRecord(
        source_trace_id=sent["trace_id"],
        span_id=sent["span_id"],
        parent_span_id=sent["parent_span_id"],
        name=sent["name"],
        kind=sent["kind"],
        status=shown_status(sent),
        started_ns=sent["start_unix_nano"],
        ended_ns=sent["end_unix_nano"],
        tokens=sent.get("tokens", {}),
        cost_usd=None if cost is None else Decimal(cost),
        origin=sent.get("origin", "capture"),
        observed=sent.get("coverage", "recorded") == "observed",
        digest=digest,
        document=document,
        content_dropped=dropped,
    )


def shown_status(sent: Mapping[str, Any]) -> str:
    """A span's status as it is shown.

    An attachment's `ok` says only that there was no error; its attribute says whether more is known.
    """
    known = sent.get("attributes", {}).get("evalrouter.otel.status")
    return "unset" if sent["status"] == "ok" and known == "unset" else str(sent["status"])


def _depth_exceeds(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(item, dict | list) and (levels <= 1 or _depth_exceeds(item, levels - 1)) for item in inner)
