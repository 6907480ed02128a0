"""Wrapped work: a span that is a context manager, sync and async, and a decorator.

Which span is current lives in one context variable, so that asyncio tasks inherit it and threads do not. Nothing here
raises into the application, except for misuse of the calls themselves.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from decimal import Decimal
from functools import lru_cache, wraps
from types import TracebackType
from typing import Any, Literal, Protocol, Self, cast

from opentelemetry.context import Context
from opentelemetry.sdk.trace import Span as LibrarySpan
from opentelemetry.trace import Tracer

from evalrouter.errors import InvalidArgumentError
from evalrouter.money import Usd, parse_price
from evalrouter.tracing.batches import SpanText
from evalrouter.tracing.content import snapshot
from evalrouter.tracing.provider import NO_CONTEXT, context_of
from evalrouter.tracing.traces import Trace, Traces
from evalrouter.tracing.wrapping import wrap

type Kind = Literal["agent", "model", "tool", "retrieval", "embedding", "chain"]

LONGEST_NAME = 500
MOST_ATTRIBUTES = 128
LARGEST_COUNTER = 2**53 - 1

_current: ContextVar["CapturedSpan | None"] = ContextVar("evalrouter_current_span", default=None)


class Recorder(Protocol):
    """What spans need of their instance.

    Attributes:
        traces: Its traces.
        tracer: The isolated provider's tracer.
        captures_content: Whether inputs, outputs and errors are kept.
    """

    traces: Traces
    tracer: Tracer
    captures_content: bool


class CapturedSpan:
    """A piece of work of an agent; `with` and `async with` time it, and as a decorator it times each call.

    Attributes:
        name: Its name.
        kind: What kind of work it is.
        trace_id: The trace's ID, 32 hex digits; None before it starts and where it is not recorded.
        span_id: Its own ID, 16 hex digits, or None likewise.
    """

    __slots__ = (
        "_attributes",
        "_content",
        "_has_ended",
        "_is_leaked",
        "_parent",
        "_parent_id",
        "_previous",
        "_recorder",
        "_span",
        "_status",
        "_tokens",
        "_trace",
        "context",
        "kind",
        "name",
        "span_id",
        "trace_id",
    )

    def __init__(self, recorder: Recorder, kind: Kind, name: str, attributes: Mapping[str, Any] | None = None) -> None:
        if not isinstance(name, str) or not name:
            raise InvalidArgumentError(f"{kind} name {name!r} is not valid: pass a text.")
        self._recorder = recorder
        self.kind = kind
        self.name = name
        self.trace_id: str | None = None
        self.span_id: str | None = None
        self.context: Context | None = None
        self._span: LibrarySpan | None = None
        self._trace: Trace | None = None
        self._parent: CapturedSpan | None = None
        self._parent_id = ""
        self._previous: CapturedSpan | None = None
        self._is_leaked = False
        self._has_ended = False
        self._status = "ok"
        self._content: dict[str, str] = {}
        self._tokens: dict[str, int] | None = None
        self._attributes: dict[str, Any] | None = None
        if attributes:
            self.attributes(attributes)

    def input(self, value: Any) -> None:
        """Keeps what goes in, as it is now; without effect where the instance captures no content.

        Args:
            value: Anything; see `evalrouter.tracing.content.snapshot` for how it is read.
        """
        self._keep("input", value)

    def output(self, value: Any) -> None:
        """Keeps what comes out, as it is now; without effect where the instance captures no content.

        Args:
            value: Anything.
        """
        self._keep("output", value)

    def error(self, error: BaseException | str) -> None:
        """Marks the work as failed; its text is kept only where the instance captures content.

        Args:
            error: The exception, or a text. An exception that leaves the block is noted without this.
        """
        self._status = "error"
        self._keep("error", error)

    def attribute(self, name: str, value: Any) -> None:
        """Sets a fact about the work. Attributes are sent even where no content is captured: mind what you put there.

        Args:
            name: Its name.
            value: Any JSON value.

        Raises:
            InvalidArgumentError: The name is empty or no text, or there are 128 attributes already.
        """
        if not isinstance(name, str) or not name:
            raise InvalidArgumentError(f"attribute name {name!r} is not valid: pass a text.")
        attributes = self._attributes = self._attributes if self._attributes is not None else {}
        if name not in attributes and len(attributes) >= MOST_ATTRIBUTES:
            raise InvalidArgumentError(f"attribute {name!r} is one too many: a span has at most {MOST_ATTRIBUTES}.")
        attributes[name] = value

    def attributes(self, values: Mapping[str, Any]) -> None:
        """Sets several attributes.

        Args:
            values: By name.

        Raises:
            InvalidArgumentError: See `attribute`.
        """
        for name, value in values.items():
            self.attribute(name, value)

    def usage(
        self,
        *,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        cache_read_tokens: int | None = None,
        cache_write_tokens: int | None = None,
        reasoning_tokens: int | None = None,
        total_tokens: int | None = None,
    ) -> None:
        """Sets token counts as the model reports them; None leaves one as it is.

        Args:
            input_tokens: Tokens of the prompt.
            output_tokens: Tokens of the answer.
            cache_read_tokens: Prompt tokens that a cache held.
            cache_write_tokens: Prompt tokens that went into a cache.
            reasoning_tokens: Tokens of thinking.
            total_tokens: All of them, where that is reported.

        Raises:
            InvalidArgumentError: A count is not a whole number from 0 to 2**53 - 1.
        """
        counts = {
            "input": input_tokens,
            "output": output_tokens,
            "cache_read": cache_read_tokens,
            "cache_write": cache_write_tokens,
            "reasoning": reasoning_tokens,
            "total": total_tokens,
        }
        given = {name: count for name, count in counts.items() if count is not None}
        for name, count in given.items():
            if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= LARGEST_COUNTER:
                raise InvalidArgumentError(f"{name} tokens {count!r} are not valid: pass a whole number of at least 0.")
        self._tokens = (self._tokens or {}) | given

    def cost(self, usd: Usd) -> None:
        """Sets what the work cost, as you know it; EvalRouter charges nothing for it.

        Args:
            usd: USD, at least 0, with at most 12 decimals.

        Raises:
            InvalidArgumentError: It is anything else.
        """
        amount: Decimal = parse_price(usd, "usd")
        self._set("cost_usd", f'"{amount:f}"')

    @property
    def is_recorded(self) -> bool:
        """Whether it is being recorded."""
        return self._trace is not None and not self._has_ended

    def __enter__(self) -> Self:
        self.start()
        self._previous = _current.get()
        _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._restore()
        self.end(error)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)

    def __call__[F: Callable[..., Any]](self, function: F) -> F:
        """Decorates a function, a coroutine function or a generator of either sort: each call is a span of its own.

        Args:
            function: What to time; its arguments are the input and what it returns or yields is the output.
        """
        return cast(F, wrap(function, self._again, self._recorder.captures_content))

    def start(self) -> None:
        """Begins the span under the current one; `with` does it.

        Raises:
            InvalidArgumentError: It has been started before.
        """
        if self._span is not None or self._has_ended:
            raise InvalidArgumentError(f"The span {self.name!r} has been used: make a new one for each piece of work.")
        try:
            self._start()
        except Exception:
            trace, self._trace = self._trace, None
            if trace is None:
                self._recorder.traces.failed_exports += 1
            else:
                self._recorder.traces.close_span(trace, None)

    def end(self, error: BaseException | None = None) -> None:
        """Ends the span; `with` does it, and ending it again does nothing.

        Args:
            error: What went wrong, if anything. A generator that is closed early has not failed.
        """
        if self._has_ended:
            return
        self._has_ended = True
        trace, span = self._trace, self._span
        if trace is None or span is None:
            return
        try:
            if error is not None and not isinstance(error, GeneratorExit):
                self.error(error)
            span.end()
            record: SpanText | None = self._record(trace, span)
        except Exception:
            record = None
        self._recorder.traces.close_span(trace, record)
        self._forget()

    def _start(self) -> None:
        recorder = self._recorder
        inherited = _inherited(recorder)
        if inherited is None:
            self._trace = recorder.traces.open_root(self._make_root)
        elif (trace := inherited._trace) is None:
            recorder.traces.failed_exports += 1
        elif recorder.traces.open_child(trace):
            self._trace = trace
            parent = inherited if not inherited._has_ended else inherited._parent
            while parent is not None and parent._has_ended:
                parent = parent._parent
            self._parent = parent
            self._parent_id = parent.span_id or "" if parent is not None else trace.root_id
            self._make(parent.context if parent is not None else trace.anchor)
        if self._trace is not None:
            self.trace_id = self._trace.trace_id

    def _make_root(self) -> tuple[str, str, Context]:
        context = self._make(NO_CONTEXT).get_span_context()
        assert self.span_id is not None
        assert self.context is not None
        return format(context.trace_id, "032x"), self.span_id, self.context

    def _make(self, context: Context | None) -> LibrarySpan:
        span = self._span = cast(LibrarySpan, self._recorder.tracer.start_span(self.kind, context))
        self.span_id = format(span.get_span_context().span_id, "016x")
        self.context = context_of(span)
        return span

    def _record(self, trace: Trace, span: LibrarySpan) -> SpanText:
        start, end = span.start_time or 0, span.end_time or 0
        parent = f'"{self._parent_id}"' if self._parent_id else "null"
        if self._tokens:
            self._set("tokens", snapshot(self._tokens))
        if self._attributes:
            self._set("attributes", snapshot(self._attributes))
        content = "".join([f',"{field}":{text}' for field, text in self._content.items()])
        assert self.span_id
        return SpanText(
            self.span_id,
            f'{{"trace_id":"{trace.trace_id}","span_id":"{self.span_id}","parent_span_id":{parent},'
            f'"name":{_name(self.name)},"kind":"{self.kind}","status":"{self._status}","start_unix_nano":{start},'
            f'"end_unix_nano":{max(start, end)}{content}}}',
        )

    def _keep(self, field: str, value: Any) -> None:
        if value is not None and self._recorder.captures_content and self._span is not None:
            self._set(field, snapshot(value))

    def _set(self, field: str, text: str) -> None:
        self._content[field] = text

    def _forget(self) -> None:
        """Lets go of what an ended span needs no more, so that chains of tasks hold no chains of spans."""
        self._content = {}
        self._attributes = self._tokens = self._span = None
        while self._parent is not None and self._parent._has_ended:
            self._parent = self._parent._parent
        while self._previous is not None and self._previous._has_ended:
            self._previous = self._previous._previous

    def _restore(self) -> None:
        """Makes the span before it current again, where this one is; elsewhere it is remembered as left behind."""
        if _current.get() is self or self._is_root_below(_current.get()):
            _current.set(self._previous)
        else:
            self._is_leaked = True

    def _is_root_below(self, span: "CapturedSpan | None") -> bool:
        if self._parent is not None:
            return False
        while span is not None and span is not self:
            span = span._previous
        return span is self

    def _again(self) -> "CapturedSpan":
        return CapturedSpan(self._recorder, self.kind, self.name, self._attributes)


def make_current(span: CapturedSpan | None) -> CapturedSpan | None:
    """Makes a span current here and returns the one before."""
    before = _current.get()
    _current.set(span)
    return before


def carried[**P, T](function: Callable[P, T]) -> Callable[P, T]:
    """A function that runs under the span that is current now, wherever it is called."""
    span = _current.get()

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        before = make_current(span)
        try:
            return function(*args, **kwargs)
        finally:
            make_current(before)

    return run


def _inherited(recorder: Recorder) -> CapturedSpan | None:
    """The nearest current span of an instance; one that was left behind, or that a fork left to the parent, is none."""
    span = _current.get()
    while span is not None and (span._recorder is not recorder or span._is_leaked or _is_foreign(span)):
        span = span._previous
    return span


def _is_foreign(span: CapturedSpan) -> bool:
    return span._trace is not None and span._trace.is_foreign


@lru_cache(maxsize=1024)
def _name(name: Any) -> str:
    """A name as JSON: bounded, and without secrets that show by their shape."""
    return snapshot(name[:LONGEST_NAME])
