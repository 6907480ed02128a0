"""Gathers closed traces into deliveries and settles each: on disk, sent, acknowledged, forgotten."""

import json
from collections import Counter
from typing import Any
from uuid import UUID

from attrs import define, field

from evalrouter.langsmith.checkpoint import Late
from evalrouter.langsmith.courier import Courier
from evalrouter.langsmith.pending import (
    MOST_CHARACTERS,
    MOST_REQUESTS,
    Delivery,
    Note,
    Request,
    requests_of,
    reseal,
    seal_of,
    without,
)
from evalrouter.langsmith.reader import Spans
from evalrouter.langsmith.store import Store
from evalrouter.langsmith.telling import Counts, Log

LATE_LOOK_NS = 15 * 60 * 10**9
"""How long after its import a trace is read once more, in nanoseconds."""
MOST_LATE = 10_000
_ADVICE = {
    "trace_too_large": "it has more spans than a trace may have",
    "request_too_large": "a span of it is too large",
}


@define
class _Course:
    """How a delivery goes.

    Attributes:
        complete: Traces whose closure was acknowledged.
        changed: Spans that the destination holds with other content, by trace.
        refused: Traces that it refused something of.
        resealed: Traces that were sealed with what it holds.
    """

    complete: set[str] = field(factory=set)
    changed: Counter[str] = field(factory=Counter)
    refused: set[str] = field(factory=set)
    resealed: set[str] = field(factory=set)


class Outbox:
    """Traces on their way to the destination.

    Args:
        store: Holds what is not acknowledged.
        courier: Sends.
        counts: Counts.
        log: Tells.
    """

    def __init__(self, store: Store, courier: Courier, counts: Counts, log: Log) -> None:
        self._store = store
        self._courier = courier
        self._counts = counts
        self._log = log
        self.clear()

    def clear(self) -> None:
        """Forgets what was gathered and not written."""
        self._requests: list[Request] = []
        self._notes: dict[str, Note] = {}
        self._size = 0

    def add(self, trace_id: str, spans: Spans, lines: tuple[str, ...], note: Note, now_ns: int) -> None:
        """Adds a closed trace, and sends what fills a delivery.

        Args:
            trace_id: Our ID.
            spans: Its spans.
            lines: What its seal is made of.
            note: What is remembered of it afterwards.
            now_ns: Now, nanoseconds since 1970.
        """
        for request in requests_of(trace_id, spans):
            self._add(request, now_ns)
        self._add(seal_of(trace_id, lines), now_ns, note)

    def flush(self, now_ns: int) -> None:
        """Sends everything."""
        if self._requests:
            delivery = Delivery(tuple(self._requests), self._notes)
            self.clear()
            self._store.keep(delivery)
            self.settle(delivery, now_ns)

    def replay(self, now_ns: int) -> None:
        """Sends a delivery that was not acknowledged, as it was."""
        delivery = self._store.delivery()
        if delivery is not None:
            self._log.tell("info", "replaying", requests=len(delivery.requests))
            self.settle(delivery, now_ns)

    def settle(self, delivery: Delivery, now_ns: int) -> None:
        """Sends a delivery that is on disk, and what follows from the answers.

        Raises:
            DestinationUnavailableError: It was not acknowledged; it stays on disk.
            DestinationError: The destination takes nothing; it stays on disk.
            OSError: A file could not be written.
        """
        course = _Course()
        requests, notes = delivery.requests, delivery.notes
        while requests:
            requests = self._pass(requests, course)
            if requests:  # what is left is kept alone, so what is done has to be remembered before
                left = {request.trace_id for request in requests}
                self._remember({name: note for name, note in notes.items() if name not in left}, course, now_ns)
                self._store.save()
                notes = {name: note for name, note in notes.items() if name in left}
                self._store.keep(Delivery(requests, notes))
        self._remember(notes, course, now_ns)
        self._store.settle()
        for trace_id, count in course.changed.items():
            self._counts.changed_spans += count
            self._log.tell("warning", "changed_after_import", trace_id=trace_id, spans=count)

    def _pass(self, requests: tuple[Request, ...], course: _Course) -> tuple[Request, ...]:
        """Sends requests in order, and gives those that follow from the answers."""
        following: list[Request] = []
        put_off: set[str] = set()
        for request in requests:
            trace_id = request.trace_id
            if request.resource == "seals" and trace_id in put_off:
                following.append(request)
                continue
            if request.resource == "seals" and trace_id in course.refused:
                continue
            result = self._courier.send(request)
            if result.kind == "refused":
                course.refused.add(trace_id)
                self._counts.refused += 1
                why = _ADVICE.get(result.reason)
                self._log.tell("error", "refused", trace_id=trace_id, code=result.reason, reason=why)
            elif result.kind == "conflict":
                course.changed[trace_id] += len(result.span_ids)
                following += without(request, result.span_ids)
                put_off.add(trace_id)
            elif request.resource == "batches":
                self._count(result.answer)
            elif result.answer["complete"]:
                course.complete.add(trace_id)
            elif (again := _again(request, result.answer)) and trace_id not in course.resealed:
                course.resealed.add(trace_id)
                following.append(again)
            else:
                self._counts.refused += 1
                held = result.answer.get("span_count")
                self._log.tell("error", "incomplete", trace_id=trace_id, spans_held=held)
        return tuple(following)

    def _add(self, request: Request, now_ns: int, note: Note | None = None) -> None:
        if self._requests and (
            len(self._requests) >= MOST_REQUESTS or self._size + len(request.body) > MOST_CHARACTERS
        ):
            self.flush(now_ns)
        self._requests.append(request)
        self._size += len(request.body)
        if note is not None:
            self._notes[request.trace_id] = note

    def _count(self, answer: Any) -> None:
        for field_name, count in (("spans", answer.get("inserted")), ("late_spans", answer.get("late"))):
            if type(count) is int:
                setattr(self._counts, field_name, getattr(self._counts, field_name) + count)

    def _remember(self, notes: dict[str, Note], course: _Course, now_ns: int) -> None:
        checkpoint = self._store.checkpoint
        for trace_id, note in notes.items():
            checkpoint.waiting.pop(note.source_id, None)
            checkpoint.late.pop(note.source_id, None)
            if trace_id in course.complete:
                checkpoint.imported += 1
                self._counts.imported += 1
                if note.looks_late and len(checkpoint.late) < MOST_LATE:
                    checkpoint.late[note.source_id] = Late(now_ns + LATE_LOOK_NS, note.digest)
            self._store.remembered.add(UUID(note.source_id), note.mark, note.started_ns)


def _again(request: Request, held: Any) -> Request | None:
    """A seal with what the destination holds, where it is as many spans: some of them changed at the source."""
    sent = json.loads(request.body)
    if held.get("span_count") != sent["span_count"] or not isinstance(held.get("digest"), str):
        return None
    return reseal(request.trace_id, sent["span_count"], held["digest"])
