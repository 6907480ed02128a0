"""Batches and seals as the contract has them: canonical spans, digests, and sizes; no I/O."""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Protocol
from uuid import uuid4

from attrs import field, frozen

MOST_BATCH_SPANS = 500
MOST_BATCH_CHARACTERS = 2 * 1024 * 1024
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


@frozen
class SpanText:
    """A finished span as it goes over the wire.

    Attributes:
        span_id: Its ID.
        text: JSON in ASCII.
    """

    span_id: str
    text: str

    @property
    def size(self) -> int:
        """Its characters."""
        return len(self.text)

    def written(self) -> "SpanText":
        """It itself: it is text already."""
        return self


class Record(Protocol):
    """A finished span that waits to be sent."""

    @property
    def size(self) -> int:
        """Characters that it has at most as text."""
        ...

    def written(self) -> SpanText:
        """It as text."""
        ...


@frozen
class Batch:
    """Spans of one trace that travel together, the same whenever they are sent.

    Attributes:
        batch_id: Its ID, unique in the connection.
        spans: Canonical spans.
        digests: The content digest of each.
    """

    batch_id: str
    spans: tuple[SpanText, ...]
    digests: tuple[str, ...]
    size: int = field(repr=False)

    @property
    def digest(self) -> str:
        """The sha256 of the spans' content digests."""
        return _sha256("\n".join(self.digests))

    @property
    def lines(self) -> Iterable[str]:
        """What a seal's digest is made of."""
        return (f"{span.span_id}:{digest}" for span, digest in zip(self.spans, self.digests, strict=True))

    def body(self) -> bytes:
        """The request's body."""
        spans = ",".join(span.text for span in self.spans)
        return f'{{"batch_id":"{self.batch_id}","digest":"{self.digest}","spans":[{spans}]}}'.encode("ascii")


def make_batches(spans: Iterable[SpanText]) -> list[Batch]:
    """Spans in batches of bounded number and size, each with a new ID."""
    return [Batch(uuid4().hex, spans, digests, size) for spans, digests, size in group(map(canonical, spans))]


def group(spans: Iterable[SpanText]) -> Iterator[tuple[tuple[SpanText, ...], tuple[str, ...], int]]:
    """Canonical spans in groups of bounded number and size, each with the spans' content digests and its size."""
    gathered: list[SpanText] = []
    size = 0
    for span in spans:
        if gathered and (len(gathered) == MOST_BATCH_SPANS or size + len(span.text) > MOST_BATCH_CHARACTERS):
            yield tuple(gathered), tuple(map(content_digest, gathered)), size
            gathered, size = [], 0
        gathered.append(span)
        size += len(span.text)
    if gathered:
        yield tuple(gathered), tuple(map(content_digest, gathered)), size


def seal_body(trace_id: str, lines: Sequence[str]) -> dict[str, Any]:
    """A seal's body: how many spans a trace has, and their digest."""
    return {"trace_id": trace_id, "span_count": len(lines), "digest": _sha256("\n".join(sorted(lines)))}


def canonical(span: SpanText) -> SpanText:
    """The span as its content digest takes it: sorted keys, no spaces."""
    return SpanText(span.span_id, _ENCODER.encode(json.loads(span.text)))


def content_digest(span: SpanText) -> str:
    """What names a canonical span by its content."""
    return _sha256(span.text)


def _sha256(text: str) -> str:
    return sha256(text.encode("ascii")).hexdigest()
