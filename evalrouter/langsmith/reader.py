"""Reads a trace into spans, a page at a time; many or large ones go through a temporary file without a name."""

from collections.abc import Iterator
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import IO, Self

from attrs import define, field

from evalrouter.langsmith.closed import Reading
from evalrouter.langsmith.mapping import KINDS, Policy, span_of
from evalrouter.langsmith.runs import Malformed, Run
from evalrouter.langsmith.source.interface import Source
from evalrouter.tracing.batches import SpanText, content_digest

MOST_RUNS = 25_000
"""Runs of a trace: LangSmith and the destination take no more."""
MOST_IN_MEMORY = 8 * 1024 * 1024
"""Bytes of spans."""


@define
class Spans:
    """The spans of a trace, to be read once."""

    _file: IO[bytes] = field(factory=lambda: SpooledTemporaryFile(MOST_IN_MEMORY))  # noqa: SIM115

    def add(self, span: SpanText) -> None:
        """Adds a span."""
        self._file.write(f"{span.span_id}{span.text}\n".encode("ascii"))

    def __iter__(self) -> Iterator[SpanText]:
        self._file.seek(0)
        for line in self._file:
            text = line.decode("ascii").rstrip("\n")
            yield SpanText(text[:16], text[16:])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()


@define
class Found:
    """What a read of a trace found.

    Attributes:
        reading: For the rule of two reads.
        root: The root, if it is there.
        malformed: Rows that are no runs, by reason.
        unknown_types: Runs whose type is not known here.
        size: Characters of all spans.
        is_too_large: Whether there are more runs than a trace may have; the rest was not read.
    """

    reading: Reading
    root: Run | None
    malformed: list[str]
    unknown_types: int
    size: int
    is_too_large: bool


def read_trace(
    source: Source, project_id: str, trace_id: str, policy: Policy, at: float, spans: Spans | None = None
) -> Found:
    """Reads a trace.

    Args:
        source: LangSmith.
        project_id: The project.
        trace_id: LangSmith's ID of the trace.
        policy: What is kept of a run.
        at: Now, in seconds of a clock that only ascends.
        spans: Takes the spans, if they are wanted.

    Raises:
        SourceError: It could not be read.
    """
    lines: dict[str, str] = {}
    found = Found(Reading(None, (), at), None, [], 0, 0, False)
    for run in source.runs(project_id, trace_id, with_content=policy == "content"):
        if isinstance(run, Malformed):
            found.malformed.append(run.reason)
            continue
        if str(run.trace_id) != trace_id:
            found.malformed.append("it is of another trace")
            continue
        span = span_of(run, policy)
        if span.span_id in lines:
            continue
        if len(lines) >= MOST_RUNS:
            found.is_too_large = True
            break
        lines[span.span_id] = f"{span.span_id}:{content_digest(span)}"
        found.size += len(span.text)
        found.unknown_types += run.run_type not in KINDS
        if run.run_id == run.trace_id:
            found.root = run
        if spans is not None:
            spans.add(span)
    found.reading = Reading(None if found.root is None else found.root.ended_ns, tuple(lines.values()), at)
    return found


def mark_of(root: Run) -> str:
    """What a root's row says: 16 hex digits that change with its end and its status."""
    return sha256(f"{root.ended_ns} {root.status}".encode()).hexdigest()[:16]
