"""A delivery: requests whose exact bytes are on disk before the first of them is sent; pure."""

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from attrs import asdict, frozen

from evalrouter.langsmith.checkpoint import Binding
from evalrouter.langsmith.errors import CheckpointError
from evalrouter.tracing.batches import Batch, SpanText, group, seal_body

VERSION = 2
MOST_REQUESTS = 200
MOST_CHARACTERS = 4 * 1024 * 1024


@frozen
class Request:
    """A request of a delivery.

    Attributes:
        resource: `batches` or `seals`.
        trace_id: 32 hex digits.
        body: JSON in ASCII.
    """

    resource: Literal["batches", "seals"]
    trace_id: str
    body: str


@frozen
class Note:
    """What is remembered of a trace once it is delivered.

    Attributes:
        source_id: LangSmith's ID of the trace.
        started_ns: When it started, nanoseconds since 1970.
        mark: What its root's row said.
        digest: What the two reads had in common.
        looks_late: Whether it is to be read once more later.
    """

    source_id: str
    started_ns: int
    mark: str
    digest: str
    looks_late: bool


@frozen
class Delivery:
    """Requests in order, and the traces that are complete with them.

    Attributes:
        requests: What is sent.
        notes: By our trace ID.
    """

    requests: tuple[Request, ...]
    notes: dict[str, Note]

    def encode(self, binding: Binding) -> bytes:
        """Its file."""
        rows = [asdict(request) for request in self.requests]
        notes = {name: asdict(note) for name, note in self.notes.items()}
        document = {"version": VERSION, "binding": asdict(binding), "requests": rows, "notes": notes}
        return json.dumps({"digest": _digest(document), **document}).encode("ascii")


def decode(content: bytes, path: Path, binding: Binding) -> Delivery:
    """The delivery of a file.

    Raises:
        CheckpointError: It is damaged, or belongs to something else.
    """
    try:
        document = json.loads(content)
        stated = document.pop("digest")
        if document["version"] != VERSION or stated != _digest(document):
            raise ValueError
        found = Binding(**document["binding"])
        requests = tuple(Request(**row) for row in document["requests"])
        notes = {name: Note(**row) for name, row in document["notes"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CheckpointError(
            f"{path} is no delivery, or is damaged; it is unchanged. Restore it from a copy, or move it and the "
            "checkpoint away and begin with a new --state: traces that the destination holds are not doubled."
        ) from None
    if found != binding:
        raise CheckpointError(
            f"{path} is an unacknowledged delivery of {found.policy!r} to the trace connection {found.connection_id}: "
            "finish it with the options and variables that it began with, then take a new --state."
        )
    return Delivery(requests, notes)


def requests_of(trace_id: str, spans: Iterable[SpanText]) -> Iterable[Request]:
    """The batches of a trace; their IDs derive from their content, so that the same spans are the same batch."""
    for members, digests, size in group(spans):
        batch = Batch("", members, digests, size)
        named = Batch(f"langsmith-{batch.digest[:40]}", members, digests, size)
        yield Request("batches", trace_id, named.body().decode("ascii"))


def seal_of(trace_id: str, lines: Sequence[str]) -> Request:
    """The seal of a trace with the spans of `lines`."""
    return Request("seals", trace_id, json.dumps(seal_body(trace_id, lines)))


def reseal(trace_id: str, span_count: int, digest: str) -> Request:
    """A seal with what the destination says that it holds."""
    return Request("seals", trace_id, json.dumps({"trace_id": trace_id, "span_count": span_count, "digest": digest}))


def without(request: Request, span_ids: frozenset[str]) -> list[Request]:
    """A batch without some of its spans, if any are left."""
    spans = [span for span in json.loads(request.body)["spans"] if span["span_id"] not in span_ids]
    texts = [SpanText(span["span_id"], json.dumps(span, sort_keys=True, separators=(",", ":"))) for span in spans]
    return list(requests_of(request.trace_id, texts))


def _digest(document: dict[str, Any]) -> str:
    return sha256(json.dumps(document, sort_keys=True).encode("ascii")).hexdigest()
