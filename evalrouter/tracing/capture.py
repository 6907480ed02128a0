"""`TraceCapture`: wraps an agent's work, listens to instrumentation that is there, and delivers when it is told to."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from random import random
from threading import Lock
from types import TracebackType
from typing import Any, Self, overload
from weakref import WeakSet

from opentelemetry.sdk.trace import TracerProvider

from evalrouter.errors import InvalidArgumentError
from evalrouter.retry import Deadline, pause_seconds
from evalrouter.settings import checked_max_retries, checked_timeout
from evalrouter.tracing.attachment import Attachment
from evalrouter.tracing.delivery import Delivery, HttpDelivery, Outcome
from evalrouter.tracing.destination import find_destination
from evalrouter.tracing.provider import isolated_provider, tracer_of
from evalrouter.tracing.spans import CapturedSpan, Kind, carried
from evalrouter.tracing.traces import Trace, Traces

logger = logging.getLogger("evalrouter.tracing")


class TraceCapture:
    """Records what an agent does and sends it to a trace connection, only when `flush`, `seal` or `close` is called.

    The connection is read from EVALROUTER_BASE_URL, EVALROUTER_WORKSPACE_ID, EVALROUTER_TRACE_CONNECTION_ID and
    EVALROUTER_TRACE_KEY. An instance keeps at most 64 traces, 512 active spans and 16 MiB of records that are not
    acknowledged; nothing of it survives the process. As a context manager it calls `close` and ignores its result:
    read the receipts.

    Args:
        capture_content: Whether inputs, outputs and error texts are kept. False leaves names, times, states, counters
            and the attributes that you set, which may hold content: mind what you put there.
        timeout: Seconds that a `flush`, `seal` or `close` takes at most.
        max_retries: Tries after the first in one call, where the server was not reached or did not answer.

    Raises:
        ConfigurationError: A variable is missing or wrong, or OTEL_SDK_DISABLED turns OpenTelemetry off.
    """

    def __init__(
        self,
        capture_content: bool = True,
        *,
        timeout: float = 10.0,
        max_retries: int = 2,
        delivery: Delivery | None = None,
    ) -> None:
        self.captures_content = bool(capture_content)
        self.traces = Traces()
        self._timeout = checked_timeout(timeout)
        self._max_retries = checked_max_retries(max_retries)
        self._delivery = delivery or HttpDelivery(find_destination())
        self._provider = isolated_provider()
        self.tracer = tracer_of(self._provider)
        self._attachments: dict[int, tuple[Any, Attachment]] = {}
        self._sending = Lock()
        self._last_failure: str | None = None
        self._is_closed = False
        _instances.add(self)

    @overload
    def agent(self, name: str, *, attributes: Mapping[str, Any] | None = None) -> CapturedSpan: ...
    @overload
    def agent[F: Callable[..., Any]](self, name: F) -> F: ...
    def agent(self, name: Any, *, attributes: Mapping[str, Any] | None = None) -> Any:
        """A span of an agent at work.

        Args:
            name: Its name; a function instead is decorated under its own name.
            attributes: Facts about it, sent even without content.
        """
        return self._span("agent", name, attributes)

    @overload
    def model(self, name: str, *, attributes: Mapping[str, Any] | None = None) -> CapturedSpan: ...
    @overload
    def model[F: Callable[..., Any]](self, name: F) -> F: ...
    def model(self, name: Any, *, attributes: Mapping[str, Any] | None = None) -> Any:
        """A span of a model's call; see `agent`."""
        return self._span("model", name, attributes)

    @overload
    def tool(self, name: str, *, attributes: Mapping[str, Any] | None = None) -> CapturedSpan: ...
    @overload
    def tool[F: Callable[..., Any]](self, name: F) -> F: ...
    def tool(self, name: Any, *, attributes: Mapping[str, Any] | None = None) -> Any:
        """A span of a tool's call; see `agent`."""
        return self._span("tool", name, attributes)

    @overload
    def retrieval(self, name: str, *, attributes: Mapping[str, Any] | None = None) -> CapturedSpan: ...
    @overload
    def retrieval[F: Callable[..., Any]](self, name: F) -> F: ...
    def retrieval(self, name: Any, *, attributes: Mapping[str, Any] | None = None) -> Any:
        """A span of a look-up of documents; see `agent`."""
        return self._span("retrieval", name, attributes)

    @overload
    def embedding(self, name: str, *, attributes: Mapping[str, Any] | None = None) -> CapturedSpan: ...
    @overload
    def embedding[F: Callable[..., Any]](self, name: F) -> F: ...
    def embedding(self, name: Any, *, attributes: Mapping[str, Any] | None = None) -> Any:
        """A span of a call that embeds; see `agent`."""
        return self._span("embedding", name, attributes)

    @overload
    def chain(self, name: str, *, attributes: Mapping[str, Any] | None = None) -> CapturedSpan: ...
    @overload
    def chain[F: Callable[..., Any]](self, name: F) -> F: ...
    def chain(self, name: Any, *, attributes: Mapping[str, Any] | None = None) -> Any:
        """A span of a step that holds others; see `agent`."""
        return self._span("chain", name, attributes)

    def attach(self, provider: TracerProvider, scope_names: Iterable[str]) -> Attachment:
        """Listens to the provider that existing instrumentation uses. Only metadata is kept of its spans.

        Attaching to the same provider again gives the same attachment, with the new scopes added; no span is taken
        twice.

        Args:
            provider: The OpenTelemetry SDK provider that the framework uses.
            scope_names: The names of the instrumentation scopes whose spans are taken.

        Raises:
            InvalidArgumentError: The provider is none of the SDK's, or there is no scope name.
        """
        names = () if isinstance(scope_names, str) else tuple(scope_names)
        if not names or not all(isinstance(name, str) and name for name in names):
            raise InvalidArgumentError(
                f'scope_names={scope_names!r} is not valid: pass names of scopes, such as ("pydantic-ai",).'
            )
        if self._is_closed:
            raise InvalidArgumentError("This TraceCapture is closed: make a new one.")
        with self.traces.lock:
            _, attachment = self._attachments.get(id(provider), (None, None))
            if attachment is not None:
                attachment.open(names)
                return attachment
            if not callable(getattr(provider, "add_span_processor", None)):
                raise InvalidArgumentError(
                    f"A {type(provider).__name__} has no add_span_processor: pass the opentelemetry.sdk.trace."
                    "TracerProvider that the framework uses. A ProxyTracerProvider means that none has been set yet."
                )
            attachment = Attachment(self.traces, names)
            self._attachments[id(provider)] = (provider, attachment)
            provider.add_span_processor(attachment.processor)
            return attachment

    def carry[**P, T](self, function: Callable[P, T]) -> Callable[P, T]:
        """A function that runs under the span that is current now, in whatever thread: `pool.submit(capture.carry(f))`.

        Args:
            function: What to run.
        """
        return carried(function)

    @property
    def failed_exports(self) -> int:
        """Spans that were not recorded or were lost: no room, late for a trace that is gone, or unreadable."""
        return self.traces.failed_exports

    @property
    def last_failure(self) -> str | None:
        """Why the last request was not accepted; None where it was."""
        return self._last_failure

    def receipt(self, trace_id: str | None) -> dict[str, Any]:
        """What is known of a trace's delivery, without asking the server.

        Args:
            trace_id: The trace's ID, as a span's `trace_id`; None, that of a span which is not recorded, names none.

        Returns:
            `trace_id`, `state`, counts of spans, `server_trace_id` and `complete`. The state is `active` while spans
            are under way, `pending` while records wait, `unknown` where the server may or may not hold them, `accepted`
            once it holds all that are recorded, `failed` where it refused, `dropped` where spans were lost.

        Raises:
            InvalidArgumentError: The instance keeps no such trace, or keeps it no longer. It is a ValueError.
        """
        with self.traces.lock:
            return self._retained(trace_id).receipt()

    def flush(self, timeout: float | None = None) -> bool:
        """Sends what has ended; it seals nothing.

        Args:
            timeout: Seconds that it takes at most; else the instance's.

        Returns:
            Whether the server has acknowledged every record.
        """
        return self._settle(self._deadline(timeout), self._deliver) and self.traces.pending_bytes == 0

    def seal(self, trace_id: str | None, timeout: float | None = None) -> dict[str, Any]:
        """Sends what is left of a trace and asks the server to close it. Join all of its work first.

        Args:
            trace_id: The trace's ID, as a span's `trace_id`; None, that of a span which is not recorded, names none.
            timeout: Seconds that it takes at most; else the instance's.

        Returns:
            The receipt: `accepted` and `complete` where the server holds exactly this trace. A trace with active spans
            is not sealed, nor is one of which spans were lost.

        Raises:
            InvalidArgumentError: The instance keeps no such trace. It is a ValueError.
        """
        trace = self._retained(trace_id)
        self._settle(self._deadline(timeout), self._seal, (trace,))
        with self.traces.lock:
            return trace.receipt()

    def close(self, timeout: float | None = None) -> bool:
        """Sends and seals every trace within one deadline, and shuts down once all are closed.

        Args:
            timeout: Seconds that it takes at most; else the instance's.

        Returns:
            Whether it is shut down. False leaves everything as it was, so that it may be called again.
        """
        if self._is_closed:
            return True
        if not self._settle(self._deadline(timeout), self._seal):
            return False
        with self.traces.lock:
            if not all(trace.is_closed for trace in self.traces.all()):
                return False
            self._is_closed = True
            self.traces.is_open = False
            for _, attachment in self._attachments.values():
                attachment.close()
        self._provider.shutdown()
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def after_fork(self) -> None:
        """In a forked child: starts afresh, with what the parent recorded left to the parent."""
        self._sending = Lock()
        self.traces.after_fork()
        for _, attachment in self._attachments.values():
            attachment.after_fork()

    def _span(self, kind: Kind, name: Any, attributes: Mapping[str, Any] | None) -> Any:
        if callable(name) and not isinstance(name, str):
            return CapturedSpan(self, kind, getattr(name, "__name__", kind), attributes)(name)
        return CapturedSpan(self, kind, name, attributes)

    def _retained(self, trace_id: str | None) -> Trace:
        trace = self.traces.get(trace_id) if isinstance(trace_id, str) else None
        if trace is None:
            raise InvalidArgumentError(
                f"trace_id={trace_id!r} is no trace that this TraceCapture keeps: it was not recorded here, or its "
                "receipt made room for another's."
            )
        return trace

    def _deadline(self, timeout: float | None) -> Deadline:
        return Deadline.after(time.monotonic, self._timeout if timeout is None else checked_timeout(timeout))

    def _settle(
        self,
        deadline: Deadline,
        settle: Callable[[Trace, Deadline, "_Tries"], bool],
        only: Sequence[Trace] | None = None,
    ) -> bool:
        """Does `settle` for each trace, each with an equal share of the time that is left.

        Returns:
            Whether all went well. Another thread that is sending has the connection until the deadline.
        """
        if not self._sending.acquire(timeout=deadline.remaining or 0.0):
            return False
        try:
            traces = self.traces.all() if only is None else only
            tries = _Tries(self._max_retries)
            went_well = True
            for place, trace in enumerate(traces):
                share = (deadline.remaining or 0.0) / (len(traces) - place)
                went_well &= settle(trace, Deadline.after(time.monotonic, share), tries)
            return went_well
        finally:
            self._sending.release()

    def _deliver(self, trace: Trace, deadline: Deadline, tries: "_Tries") -> bool:
        for batch in self.traces.batches_of(trace):
            outcome = tries.send(partial(self._delivery.send_batch, trace.trace_id, batch, deadline), deadline)
            self._note(trace, outcome)
            if outcome.kind != "accepted":
                return False
            self.traces.acknowledge(trace, batch, outcome.server_trace_id or "")
        return True

    def _seal(self, trace: Trace, deadline: Deadline, tries: "_Tries") -> bool:
        if not self._deliver(trace, deadline, tries):
            return False
        with self.traces.lock:
            if trace.is_closed:
                return True
            if trace.active or not trace.is_whole or not trace.is_delivered or not trace.lines:
                return False
            lines = tuple(trace.lines)
        outcome = tries.send(partial(self._delivery.send_seal, trace.trace_id, lines, deadline), deadline)
        self._note(trace, outcome)
        with self.traces.lock:
            is_same = len(trace.lines) == len(lines) and trace.is_delivered and not trace.active
            trace.complete = outcome.kind == "accepted" and outcome.complete and is_same
            trace.server_trace_id = outcome.server_trace_id or trace.server_trace_id
            return trace.is_closed

    def _note(self, trace: Trace, outcome: Outcome) -> None:
        with self.traces.lock:
            if outcome.kind == "accepted":
                trace.trouble = None
            elif outcome.kind != "unsent":
                trace.trouble = outcome.kind
        self._last_failure = outcome.reason or None
        if outcome.kind != "accepted":
            logger.warning("Trace %s was not delivered (%s): %s", trace.trace_id, outcome.kind, outcome.reason)


class _Tries:
    """The tries after the first that one call has, for all of its requests together."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._attempt = 0

    def send(self, request: Callable[[], Outcome], deadline: Deadline) -> Outcome:
        """Makes a request, again after a pause where it did not come through."""
        outcome = request()
        while outcome.kind in ("unsent", "unknown") and self._left > 0:
            self._attempt += 1
            pause = pause_seconds(self._attempt, random)
            if pause >= (deadline.remaining or 0.0):
                break
            self._left -= 1
            time.sleep(pause)
            outcome = request()
        return outcome


_instances: WeakSet[TraceCapture] = WeakSet()


def _after_fork() -> None:
    for instance in tuple(_instances):
        instance.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
