"""Traces, their spans, and the switch of their workspace."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

from evalrouter_api import models as wire
from evalrouter_api.api.traces import delete_trace, get_trace, list_trace_spans, list_traces
from evalrouter_api.api.workspace import get_workspace, update_workspace
from evalrouter_api.types import UNSET

from evalrouter import types
from evalrouter.convert.request import Request, nothing
from evalrouter.errors import InvalidArgumentError
from evalrouter.pages import Page, Position

STATUSES = tuple(status.value for status in wire.SpanStatusValue)


def trace(found: wire.Trace) -> types.Trace:
    """A trace."""
    return types.Trace(
        id=found.id,
        connection_id=found.connection_id,
        source_trace_id=found.source_trace_id,
        name=found.name,
        status=found.status,
        coverage=found.coverage,
        origins=tuple(found.origins),
        started_at=found.started_at,
        ended_at=found.ended_at,
        duration_seconds=found.duration_seconds,
        span_count=found.span_count,
        error_span_count=found.error_span_count,
        late_span_count=found.late_span_count,
        tokens=_tokens(found.tokens),
        cost=_cost(found.cost_usd),
        sealed_at=found.sealed_at,
        complete=found.complete,
        received_at=found.received_at,
        expires_at=found.expires_at,
    )


def span(found: wire.Span) -> types.TraceSpan:
    """A span in its place of the tree."""
    return types.TraceSpan(
        span_id=found.span_id,
        parent_span_id=found.parent_span_id,
        depth=found.depth,
        parent_missing=found.parent_missing,
        name=found.name,
        kind=found.kind,
        status=found.status,
        started_at=found.started_at,
        ended_at=found.ended_at,
        duration_seconds=found.duration_seconds,
        tokens=_tokens(found.tokens),
        cost=_cost(found.cost_usd),
        attributes=found.attributes.to_dict(),
        input=found.input_,
        output=found.output,
        error=found.error,
        origin=found.origin,
        coverage=found.coverage,
        late=found.late,
    )


def traces_page(
    *,
    name: str | None,
    status: str | None,
    connection_id: str | None,
    started_from: datetime | None,
    started_before: datetime | None,
) -> Callable[[Position], Request[Page[types.Trace]]]:
    """The request for a page of the traces that fit.

    Raises:
        InvalidArgumentError: The status is none, or a time has no offset.
    """
    if status is not None and status not in STATUSES:
        raise InvalidArgumentError(f"status={status!r} is not valid: pass one of {', '.join(STATUSES)}.")
    for label, moment in (("started_from", started_from), ("started_before", started_before)):
        if moment is not None and moment.tzinfo is None:
            raise InvalidArgumentError(f"{label}={moment!r} has no offset: pass an aware time, such as one in UTC.")

    def request(position: Position) -> Request[Page[types.Trace]]:
        arguments = list_traces.get_kwargs(
            name=name or UNSET,
            status=UNSET if status is None else wire.SpanStatusValue(status),
            connection_id=connection_id or UNSET,
            started_from=started_from or UNSET,
            started_before=started_before or UNSET,
            cursor=position.cursor or UNSET,
            limit=position.page_size,
        )
        return Request(arguments, list_traces.parse_response, _traces)

    return request


def one(trace_id: str) -> Request[types.Trace]:
    """A trace."""
    return Request(get_trace.get_kwargs(trace_id), get_trace.parse_response, trace)


def spans_page(trace_id: str) -> Callable[[Position], Request[Page[types.TraceSpan]]]:
    """The request for a page of a trace's spans."""

    def request(position: Position) -> Request[Page[types.TraceSpan]]:
        arguments = list_trace_spans.get_kwargs(trace_id, cursor=position.cursor or UNSET, limit=position.page_size)
        return Request(arguments, list_trace_spans.parse_response, _spans)

    return request


def delete(trace_id: str) -> Request[None]:
    """The deletion of a trace."""
    return Request(delete_trace.get_kwargs(trace_id), delete_trace.parse_response, nothing)


def switch() -> Request[bool]:
    """Whether Traces are switched on."""
    return Request(get_workspace.get_kwargs(), get_workspace.parse_response, _switch)


def turn_switch(enabled: bool) -> Request[bool]:
    """The turning of the Traces switch."""
    body = wire.WorkspaceUpdate(traces_enabled=enabled)
    return Request(update_workspace.get_kwargs(body=body), update_workspace.parse_response, _switch)


def _switch(found: wire.Workspace) -> bool:
    return found.traces_enabled


def _traces(page: wire.TracePage) -> Page[types.Trace]:
    return Page([trace(item) for item in page.items], page.next_cursor)


def _spans(page: wire.SpanPage) -> Page[types.TraceSpan]:
    return Page([span(item) for item in page.items], page.next_cursor)


def _tokens(found: wire.ObservedTokens) -> types.TokenCounts:
    return types.TokenCounts(
        input=found.input_,
        output=found.output,
        cache_read=found.cache_read,
        cache_write=found.cache_write,
        reasoning=found.reasoning,
        total=found.total,
    )


def _cost(amount: str | None) -> Decimal | None:
    return None if amount is None else Decimal(amount)
