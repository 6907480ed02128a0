"""Listening to a provider that an application's own instrumentation uses: metadata only, whatever else is captured."""

from collections.abc import Iterable, Mapping
from time import time_ns
from types import MappingProxyType
from typing import Any, NamedTuple

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.trace import SpanContext, SpanKind, StatusCode

from evalrouter.tracing.batches import SpanText
from evalrouter.tracing.source_kinds import kind_of, tokens_of
from evalrouter.tracing.traces import MOST_TRACES, Trace, Traces

_SPAN_KINDS = {kind: kind.name.lower() for kind in SpanKind}
_LONGEST_HEARD = 520
_LONGEST_COUNTER = 32
_STATUSES = {StatusCode.UNSET: "unset", StatusCode.OK: "ok", StatusCode.ERROR: "error"}


class Attachment:
    """What an instance hears from one provider.

    Close it to stop hearing; the provider is never touched otherwise.

    Args:
        traces: The instance's traces.
        scope_names: The instrumentation scopes whose spans are taken.
    """

    def __init__(self, traces: Traces, scope_names: Iterable[str]) -> None:
        self._traces = traces
        self._scope_names: frozenset[str] = frozenset()
        self._known: dict[int, Trace] = {}
        self._active: dict[int, Trace] = {}
        self._unsupported = 0
        self._not_before = 0
        self.processor = _Listener(self)
        self.open(scope_names)

    @property
    def scope_names(self) -> frozenset[str]:
        """The instrumentation scopes whose spans are taken."""
        return self._scope_names

    @property
    def trace_ids(self) -> tuple[str, ...]:
        """The traces that it heard of and the instance still keeps, oldest first."""
        with self._traces.lock:
            return tuple(trace.trace_id for trace in self._known.values() if not trace.is_gone)

    @property
    def unsupported_spans(self) -> int:
        """Spans whose kind is unknown or in conflict; their traces cannot be sealed."""
        return self._unsupported

    @property
    def is_open(self) -> bool:
        """Whether it hears anything."""
        return self._is_open

    def open(self, scope_names: Iterable[str]) -> None:
        """Hears, from now on, of these scopes too."""
        self._scope_names |= frozenset(scope_names)
        self._since = time_ns()
        self._is_open = True

    def close(self) -> None:
        """Hears nothing any more. Spans that are under way are lost to their traces."""
        with self._traces.lock:
            self._is_open = False
            left, self._active = self._active, {}
            for trace in left.values():
                self._traces.close_span(trace, None)

    def after_fork(self) -> None:
        """In a forked child: spans that started before it are the parent's."""
        self._known, self._active, self._unsupported = {}, {}, 0
        self._not_before = self._since = time_ns()

    def started(self, span: Span) -> None:
        """Counts a span that has started as active."""
        if not self._hears(span):
            return
        context = span.get_span_context()
        with self._traces.lock:
            trace = self._known.get(context.trace_id)
            if trace is None or trace.is_gone:
                trace = self._trace(context)
            if trace is not None and self._traces.open_child(trace):
                self._active[context.span_id] = trace

    def ended(self, span: ReadableSpan) -> None:
        """Keeps a span that has ended; one that started before the attachment is new."""
        context = span.get_span_context()
        if context is None:
            return
        with self._traces.lock:
            trace = self._active.pop(context.span_id, None)
            if trace is not None:
                self._traces.end(trace)
            elif self._hears(span) and self._not_before <= (span.start_time or 0) < self._since:
                trace = self._trace(context)
            if trace is None:
                return
            attributes = _attributes(span)
            known = kind_of(attributes)
            if known is None:
                self._unsupported += 1
                self._traces.refuse(trace)
            else:
                parent = span.parent
                heard = _Heard(
                    trace.trace_id,
                    context.span_id,
                    None if parent is None else parent.span_id,
                    *known,
                    span.kind,
                    span.status.status_code,
                    span.start_time or 0,
                    span.end_time or 0,
                    tokens_of(known[0], attributes),
                )
                self._traces.keep(trace, heard)

    def count_failure(self) -> None:
        """Counts a span that could not be read."""
        with self._traces.lock:
            self._traces.failed_exports += 1

    def _hears(self, span: ReadableSpan) -> bool:
        scope = span.instrumentation_scope
        return self._is_open and scope is not None and scope.name in self._scope_names

    def _trace(self, context: SpanContext) -> Trace | None:
        trace = self._known.get(context.trace_id)
        if trace is not None and not trace.is_gone:
            return trace
        trace = self._traces.open_observed(format(context.trace_id, "032x"))
        if trace is not None:
            if len(self._known) >= 2 * MOST_TRACES:
                self._known = {number: known for number, known in self._known.items() if not known.is_gone}
            self._known[context.trace_id] = trace
        return trace


def _attributes(span: ReadableSpan) -> Mapping[str, Any]:
    """A span's attributes as a dict: the SDK's own mapping is slow to look into."""
    attributes = span.attributes
    if not attributes:
        return {}
    return attributes.copy() if isinstance(attributes, MappingProxyType) else dict(attributes)


class _Heard(NamedTuple):
    """A span's identity, times, closed words and counters: nothing that anyone wrote, and all of bounded size.

    It becomes text when it is sent, not while the application waits.
    """

    trace_id: str
    span_id: int
    parent_id: int | None
    kind: str
    operation: str
    library_kind: SpanKind
    status: StatusCode
    start: int
    end: int
    tokens: Mapping[str, int]

    @property
    def size(self) -> int:
        """Characters that it has at most as text."""
        return _LONGEST_HEARD + _LONGEST_COUNTER * len(self.tokens)

    def written(self) -> SpanText:
        """It as text; none of it needs to be escaped."""
        span_id = format(self.span_id, "016x")
        parent = "null" if self.parent_id is None else f'"{self.parent_id:016x}"'
        status = _STATUSES[self.status]
        counted = ",".join([f'"{name}":{count}' for name, count in self.tokens.items()])
        return SpanText(
            span_id,
            f'{{"trace_id":"{self.trace_id}","span_id":"{span_id}","parent_span_id":{parent},"name":"{self.operation}",'
            f'"kind":"{self.kind}","status":"{"error" if status == "error" else "ok"}","start_unix_nano":{self.start},'
            f'"end_unix_nano":{max(self.start, self.end)},"origin":"attach","coverage":"observed","attributes":{{'
            f'"evalrouter.otel.kind":"{_SPAN_KINDS[self.library_kind]}","evalrouter.otel.operation":"{self.operation}",'
            f'"evalrouter.otel.status":"{status}"}}{f',"tokens":{{{counted}}}' if counted else ""}}}',
        )


class _Listener(SpanProcessor):
    """Hands what it hears on; it never raises, for that would reach the application and stop other processors."""

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        try:
            self._attachment.started(span)
        except Exception:
            self._attachment.count_failure()

    def on_end(self, span: ReadableSpan) -> None:
        try:
            self._attachment.ended(span)
        except Exception:
            self._attachment.count_failure()

    def shutdown(self) -> None:
        """Spans still come after it, so it changes nothing."""

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Everything is queued already; nothing is sent here."""
        return True
