"""What this process knows of its traces: counts, records that wait, receipts, and the limits of an instance.

Pure state under one lock. The lock may be taken again by the thread that holds it, because a generator that is
collected in the middle of a change ends its span there.
"""

from collections import deque
from collections.abc import Callable
from threading import RLock
from typing import Any, Literal

from attrs import define, field

from evalrouter.tracing.batches import Batch, Record, make_batches

MOST_TRACES = 64
"""Local receipts that an instance keeps."""
MOST_ACTIVE_SPANS = 512
MOST_PENDING_BYTES = 16 * 1024 * 1024
MOST_REMEMBERED = 16_384
"""Evicted traces whose IDs are remembered, so that late spans of theirs are rejected."""

type State = Literal["active", "pending", "unknown", "accepted", "failed", "dropped"]


@define(eq=False)
class Trace:
    """A trace of this process and how far its delivery is.

    Attributes:
        trace_id: 32 hex digits.
        root_id: The span that parents what starts after all others have ended.
        anchor: What the tracing library takes as the parent for it.
        active: Spans that have started and not ended.
        recorded: Spans that have ended and were kept.
        lost: Spans that were started or ended and could not be kept.
        unsupported: Spans whose kind is unknown or in conflict.
        waiting: Ended spans that are in no batch yet.
        batches: Batches without an acknowledgement, oldest first; they are never changed.
        lines: What was acknowledged, as a seal's digest takes it.
        trouble: How the last delivery ended, if not well.
        server_trace_id: The server's UUID.
        complete: Whether the server has acknowledged closure with exactly these spans.
        is_gone: Evicted, or left behind by a fork: nothing is recorded any more.
        is_foreign: Left behind by a fork: it is the parent process's.
    """

    trace_id: str
    root_id: str = ""
    anchor: Any = None
    active: int = 0
    recorded: int = 0
    lost: int = 0
    unsupported: int = 0
    waiting: list[Record] = field(factory=list)
    batches: deque[Batch] = field(factory=deque)
    lines: list[str] = field(factory=list)
    trouble: Literal["unknown", "failed"] | None = None
    server_trace_id: str | None = None
    complete: bool = False
    is_gone: bool = False
    is_foreign: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether nothing of it was lost, so that it may be sealed."""
        return not self.lost and not self.unsupported

    @property
    def is_delivered(self) -> bool:
        """Whether every recorded span was acknowledged."""
        return len(self.lines) == self.recorded

    @property
    def is_closed(self) -> bool:
        """Whether its closure was acknowledged and nothing has happened since."""
        return self.complete and not self.active and self.is_whole and self.is_delivered

    @property
    def state(self) -> State:
        """Where its delivery is."""
        if self.active:
            return "active"
        if not self.is_whole:
            return "dropped"
        if self.trouble:
            return self.trouble
        return "accepted" if self.is_delivered and self.recorded else "pending"

    def receipt(self) -> dict[str, Any]:
        """Its receipt: IDs, counts and states only."""
        return {
            "trace_id": self.trace_id,
            "state": self.state,
            "active_spans": self.active,
            "recorded_spans": self.recorded,
            "pending_spans": self.recorded - len(self.lines),
            "accepted_spans": len(self.lines),
            "dropped_spans": self.lost,
            "unsupported_spans": self.unsupported,
            "server_trace_id": self.server_trace_id,
            "complete": self.complete,
        }


class Traces:
    """The traces of one instance, within its limits.

    Attributes:
        lock: Held for every change.
        failed_exports: Spans that were not recorded or were lost, whatever the reason.
        pending_bytes: Characters of the records without an acknowledgement; all are ASCII.
        active: Spans that have started and not ended.
        is_open: Whether anything is still recorded.
    """

    def __init__(self) -> None:
        self.start_afresh()

    def start_afresh(self, forgotten: tuple[str, ...] = ()) -> None:
        """Empties it; what belongs to the `forgotten` traces is rejected from now on."""
        self.lock = RLock()
        self.failed_exports = 0
        self.pending_bytes = 0
        self.active = 0
        self.is_open = True
        self._traces: dict[str, Trace] = {}
        self._forgotten: dict[str, None] = dict.fromkeys(forgotten)

    def after_fork(self) -> None:
        """In a forked child: what the parent recorded is the parent's to send."""
        left = tuple(self._traces.values())
        for trace in left:
            trace.is_gone = trace.is_foreign = True
        self.start_afresh(tuple(trace.trace_id for trace in left))

    def open_root(self, make: Callable[[], tuple[str, str, Any]]) -> Trace | None:
        """Begins a trace with one active span.

        Args:
            make: Makes the root; its trace ID, its span ID and the library's parent for children.

        Returns:
            The trace; None where there is no room, which counts as a failed export.
        """
        with self.lock:
            if not self._has_room() or self.active >= MOST_ACTIVE_SPANS:
                self.failed_exports += 1
                return None
            trace = Trace(*make(), active=1)
            self._traces[trace.trace_id] = trace
            self.active += 1
            return trace

    def open_child(self, trace: Trace) -> bool:
        """Begins a span of a trace; a span for which there is no room is lost to the trace."""
        with self.lock:
            if trace.is_gone or not self.is_open:
                self.failed_exports += 1
                return False
            if self.active >= MOST_ACTIVE_SPANS:
                self.lose(trace)
                return False
            trace.active += 1
            trace.complete = False
            self.active += 1
            return True

    def open_observed(self, trace_id: str) -> Trace | None:
        """The trace of a span that another provider makes, begun where it is new; None where it cannot be kept."""
        with self.lock:
            trace = self._traces.get(trace_id)
            if trace is None:
                if trace_id in self._forgotten or not self._has_room():
                    self.failed_exports += 1
                    return None
                trace = self._traces[trace_id] = Trace(trace_id)
            return trace

    def close_span(self, trace: Trace, record: Record | None) -> None:
        """Ends an active span; without a record it is lost."""
        with self.lock:
            self.end(trace)
            if record is None:
                self.lose(trace)
            else:
                self.keep(trace, record)

    def end(self, trace: Trace) -> None:
        """Counts an active span as ended."""
        with self.lock:
            if not trace.is_gone:
                trace.active -= 1
                self.active -= 1

    def keep(self, trace: Trace, record: Record) -> None:
        """Keeps the record of a span for delivery, if there is room for it."""
        with self.lock:
            if trace.is_gone:
                return
            pending = self.pending_bytes + record.size
            if pending > MOST_PENDING_BYTES:
                self.lose(trace)
                return
            self.pending_bytes = pending
            trace.waiting.append(record)
            trace.recorded += 1
            trace.complete = False

    def refuse(self, trace: Trace) -> None:
        """Counts a span whose kind is not supported."""
        with self.lock:
            trace.unsupported += 1
            trace.complete = False

    def lose(self, trace: Trace) -> None:
        """Counts a span that is lost."""
        with self.lock:
            if trace.is_gone:
                return
            trace.lost += 1
            trace.complete = False
            self.failed_exports += 1

    def batches_of(self, trace: Trace) -> tuple[Batch, ...]:
        """What is to be sent of a trace, what was sent before first and unchanged."""
        with self.lock:
            waiting, trace.waiting = trace.waiting, []
            made = make_batches(record.written() for record in waiting)
            self.pending_bytes += sum(batch.size for batch in made) - sum(record.size for record in waiting)
            trace.batches.extend(made)
            return tuple(trace.batches)

    def acknowledge(self, trace: Trace, batch: Batch, server_trace_id: str) -> None:
        """Notes that the server holds a batch, and frees it."""
        with self.lock:
            if trace.is_gone or not trace.batches or trace.batches[0] is not batch:
                return
            trace.batches.popleft()
            self.pending_bytes -= batch.size
            trace.lines.extend(batch.lines)
            trace.server_trace_id = server_trace_id
            trace.trouble = None

    def get(self, trace_id: str) -> Trace | None:
        """A retained trace."""
        return self._traces.get(trace_id)

    def all(self) -> tuple[Trace, ...]:
        """The retained traces, oldest first."""
        with self.lock:
            return tuple(self._traces.values())

    def _has_room(self) -> bool:
        """Whether another trace fits; the oldest that is sealed and idle makes room for it."""
        if not self.is_open:
            return False
        if len(self._traces) < MOST_TRACES:
            return True
        for trace in self._traces.values():
            if trace.is_closed:
                trace.is_gone = True
                del self._traces[trace.trace_id]
                self._forgotten[trace.trace_id] = None
                if len(self._forgotten) > MOST_REMEMBERED:
                    del self._forgotten[next(iter(self._forgotten))]
                return True
        return False
