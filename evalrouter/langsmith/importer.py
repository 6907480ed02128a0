"""One cycle of an import: what is unacknowledged, what was open, what may be late, then what is new."""

import time
from collections.abc import Callable, Iterable, Iterator
from uuid import UUID

from attrs import field, frozen

from evalrouter.langsmith.checkpoint import Checkpoint, Waiting
from evalrouter.langsmith.closed import FirstRead, begin, judge
from evalrouter.langsmith.mapping import Policy, trace_id_of
from evalrouter.langsmith.outbox import Outbox
from evalrouter.langsmith.pending import Note
from evalrouter.langsmith.reader import Found, Spans, mark_of, read_trace
from evalrouter.langsmith.runs import Malformed, Run
from evalrouter.langsmith.source.interface import Window
from evalrouter.langsmith.source.service import Service
from evalrouter.langsmith.stopping import Stop
from evalrouter.langsmith.store import Store
from evalrouter.langsmith.telling import Counts, Log

PAUSE_SECONDS = 30.0
"""Between the two reads of a trace."""
SECOND_NS = 10**9
MINUTE_NS, HOUR_NS, DAY_NS = 60 * SECOND_NS, 3600 * SECOND_NS, 24 * 3600 * SECOND_NS
RECENT_NS = 15 * MINUTE_NS
"""How far each cycle looks back for roots that LangSmith shows late."""
SWEEP_NS = DAY_NS
"""How far it looks back once an hour."""
SWEEP_EVERY_NS = HOUR_NS
AHEAD_NS = DAY_NS
"""How far ahead of LangSmith's clock a start may be."""
SETTLED_NS = HOUR_NS
"""A trace whose root ended longer ago than this is not read once more after its import."""
NEVER_NS = DAY_NS
"""A trace that has been open for longer is reported, and looked at every six hours."""
SOONEST_LOOK_NS, LATEST_LOOK_NS, RARE_LOOK_NS = 30 * SECOND_NS, 15 * MINUTE_NS, 6 * HOUR_NS
MOST_WAITING = 10_000
MOST_ROOTS = 2_000
"""Roots of a window; one with more is halved."""
FEW_ROOTS = 500
NARROWEST_NS = SECOND_NS


@frozen
class Options:
    """What is imported, and how.

    Attributes:
        project_id: LangSmith's project.
        policy: What is sent of a run.
        pause: Seconds between the two reads of a trace.
    """

    project_id: str
    policy: Policy
    pause: float = PAUSE_SECONDS


@frozen
class Candidate:
    """A trace that may be ready to be imported.

    Attributes:
        source_id: LangSmith's ID.
        started_ns: Nanoseconds since 1970.
        mark: What its root said in a list; empty where it was not listed.
    """

    source_id: str
    started_ns: int
    mark: str = ""


@frozen
class Importer:
    """Imports a project.

    Attributes:
        service: LangSmith.
        store: The files.
        outbox: Sends.
        options: What is imported.
        counts: Counts.
        log: Tells.
        stop: Ends pauses.
        clock: Seconds that only ascend.
    """

    service: Service
    store: Store
    outbox: Outbox
    options: Options
    counts: Counts
    log: Log
    stop: Stop
    clock: Callable[[], float] = field(default=time.monotonic)

    def cycle(self, *, look_at_all: bool) -> None:
        """Imports what is ready now.

        Args:
            look_at_all: Whether to look at every trace that waits, due or not.

        Raises:
            SourceError: LangSmith cannot be read.
            DestinationUnavailableError: A delivery was not acknowledged; the next cycle begins with it.
            DestinationError: The destination takes nothing.
            OSError: A file could not be written.
        """
        now = self.service.now_ns()
        self.outbox.replay(now)
        self._prepare()
        self._revisit(now, look_at_all)
        self._walk(now)
        self._report_open(now)
        self.store.save()

    def reload(self) -> None:
        """Begins again from what is on disk, as a new process would."""
        self.outbox.clear()
        self.store.load()

    @property
    def _checkpoint(self) -> Checkpoint:
        return self.store.checkpoint

    def _prepare(self) -> None:
        """Reports what a version 1 connector has lost, once; a checkpoint exists from here on."""
        for trace_id in self._checkpoint.lost:
            self.counts.lost_deliveries += 1
            self.log.tell(
                "error",
                "lost_delivery",
                langsmith_trace_id=trace_id,
                reason="the version 1 connector did not keep its bytes; it is neither sent again nor made up",
            )
        self._checkpoint.lost.clear()
        self.store.save()

    def _revisit(self, now: int, look_at_all: bool) -> None:
        """Looks at traces that were open, and once more at some that were imported."""
        checkpoint = self._checkpoint
        ready = []
        for source_id, waiting in list(checkpoint.waiting.items()):
            if look_at_all or waiting.look_ns <= now:
                ready.append(Candidate(source_id, waiting.started_ns))
        for source_id, late in list(checkpoint.late.items()):
            if late.look_ns <= now:
                found = self._read(source_id)
                if found.root is None or found.reading.digest == late.digest:
                    del checkpoint.late[source_id]
                else:
                    ready.append(Candidate(source_id, found.root.started_ns))
        self._import(ready, now)

    def _walk(self, now: int) -> None:
        """Looks through the roots that are new, and those of a while back that may have come late."""
        checkpoint = self._checkpoint
        sweeps = now - checkpoint.swept_ns >= SWEEP_EVERY_NS
        back = now - (SWEEP_NS if sweeps else RECENT_NS)
        start = max(min(checkpoint.position_ns, back), checkpoint.since_ns or 0, 0)
        for window, roots in self._windows(start, now + AHEAD_NS):
            self._import(list(self._candidates(roots, now)), now)
            checkpoint.position_ns = max(checkpoint.position_ns, min(window.end_ns, now))
            self.store.remembered.forget(min(checkpoint.position_ns, now) - SWEEP_NS - HOUR_NS)
            if window.end_ns < back:
                self.store.save()
        if sweeps:
            checkpoint.swept_ns = now

    def _windows(self, start: int, end: int) -> Iterator[tuple[Window, list[Run]]]:
        """Stretches of time with a bounded number of roots, one after the other."""
        width = end - start
        while start < end:
            self.stop.check()
            window = Window(start, min(start + width, end))
            width = window.end_ns - window.start_ns
            roots = self._roots(window, None if width <= NARROWEST_NS else MOST_ROOTS)
            if roots is None:
                width //= 2
                continue
            yield window, roots
            start = window.end_ns
            if len(roots) < FEW_ROOTS:
                width *= 2

    def _roots(self, window: Window, most: int | None) -> list[Run] | None:
        """The roots of a window, each once; None where there are more than `most`."""
        roots: dict[UUID, Run] = {}
        malformed: dict[str, list[str]] = {}
        for root in self.service.roots(self.options.project_id, window):
            if isinstance(root, Malformed):
                malformed.setdefault(str(root.trace_id), []).append(root.reason)
            elif root.run_id == root.trace_id:
                roots[root.run_id] = root
            if most is not None and len(roots) > most:
                return None
        for trace_id, reasons in malformed.items():
            self._report_malformed(trace_id, reasons)
        return sorted(roots.values(), key=lambda root: root.started_ns)

    def _candidates(self, roots: Iterable[Run], now: int) -> Iterator[Candidate]:
        """Those that are closed and not known; open ones begin to wait."""
        handled = set(self._checkpoint.handled)
        for root in roots:
            source_id, mark = str(root.trace_id), mark_of(root)
            if source_id in handled or root.started_ns < (self._checkpoint.since_ns or 0):
                continue
            if root.ended_ns is None:
                if source_id not in self._checkpoint.waiting:
                    self._wait(source_id, root.started_ns, now)
            elif not self.store.remembered.knows(root.trace_id, mark):
                yield Candidate(source_id, root.started_ns, mark)

    def _import(self, candidates: list[Candidate], now: int) -> None:
        """Reads each twice, a pause apart, and sends those that are closed."""
        firsts: list[tuple[Candidate, FirstRead]] = []
        for candidate in candidates:
            found = self._read(candidate.source_id)
            first = begin(found.reading)
            if found.is_too_large:
                self._skip(candidate)
            elif first is not None:
                firsts.append((candidate, first))
            elif found.reading.lines:
                self._wait(candidate.source_id, candidate.started_ns, now)
            else:
                self._drop(candidate.source_id)  # deleted at the source
        for candidate, first in firsts:
            while (left := first.at + self.options.pause - self.clock()) > 0:
                self.stop.sleep(left)
            with Spans() as spans:
                found = self._read(candidate.source_id, spans)
                self._judge(candidate, first, found, spans, now)
        self.outbox.flush(now)

    def _judge(self, candidate: Candidate, first: FirstRead, found: Found, spans: Spans, now: int) -> None:
        verdict = judge(first, found.reading, self.options.pause)
        if verdict != "closed" or found.root is None or found.is_too_large:
            self.counts.changing += verdict == "changing"
            self._wait(candidate.source_id, candidate.started_ns, now, soon=True)
            return
        self.counts.unknown_types += found.unknown_types
        root = found.root
        note = Note(
            source_id=candidate.source_id,
            started_ns=root.started_ns,
            mark=candidate.mark or mark_of(root),
            digest=found.reading.digest,
            looks_late=candidate.source_id in self._checkpoint.late or now - (root.ended_ns or 0) < SETTLED_NS,
        )
        self.outbox.add(trace_id_of(root.trace_id), spans, found.reading.lines, note, now)

    def _read(self, source_id: str, spans: Spans | None = None) -> Found:
        self.stop.check()
        options = self.options
        found = read_trace(self.service, options.project_id, source_id, options.policy, self.clock(), spans)
        self._report_malformed(source_id, found.malformed)
        return found

    def _wait(self, source_id: str, started_ns: int, now: int, *, soon: bool = False) -> None:
        """Notes that a trace is to be looked at again: soon, later the longer it has been open."""
        waiting = self._checkpoint.waiting
        entry = waiting.get(source_id) or Waiting(started_ns, now)
        age = max(0, now - started_ns)
        pause = RARE_LOOK_NS if age > NEVER_NS else min(max(age // 4, SOONEST_LOOK_NS), LATEST_LOOK_NS)
        entry.look_ns = now if soon else now + pause
        waiting[source_id] = entry
        self._checkpoint.late.pop(source_id, None)
        if len(waiting) > MOST_WAITING:
            oldest = min(waiting, key=lambda name: waiting[name].started_ns)
            del waiting[oldest]
            self.log.tell("warning", "too_many_open", langsmith_trace_id=oldest, limit=MOST_WAITING)

    def _skip(self, candidate: Candidate) -> None:
        """Lets a trace be that is too large; the rest of its runs, perhaps its root too, was not read."""
        self.counts.too_large += 1
        self.log.tell("error", "too_large", langsmith_trace_id=candidate.source_id, reason="more than 25,000 runs")
        self._drop(candidate.source_id)
        self.store.remembered.add(UUID(candidate.source_id), candidate.mark or "0" * 16, candidate.started_ns)

    def _drop(self, source_id: str) -> None:
        """Looks at a trace no more."""
        self._checkpoint.waiting.pop(source_id, None)
        self._checkpoint.late.pop(source_id, None)

    def _report_malformed(self, trace_id: str, reasons: list[str]) -> None:
        for reason in self.counts.note_malformed(trace_id, reasons):
            self.log.tell("warning", "malformed_row", langsmith_trace_id=trace_id, reason=reason)

    def _report_open(self, now: int) -> None:
        """Counts the traces that have not closed, and reports those of a day once."""
        waiting = self._checkpoint.waiting
        self.counts.open = len(waiting)
        never = {name: entry for name, entry in waiting.items() if now - entry.started_ns > NEVER_NS}
        self.counts.never_closed = len(never)
        for source_id, entry in never.items():
            if not entry.is_reported:
                entry.is_reported = True
                self.log.tell("warning", "never_closed", langsmith_trace_id=source_id)
