"""Server-sent events, split by line and never by chunk.

Format: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


@dataclass(frozen=True, slots=True)
class Event:
    """One event, or a comment.

    Attributes:
        raw: Its bytes as they came, the empty line that ends it included.
        data: Its `data` lines, joined; None of a comment.
        name: Its `event` field, if it has one.
    """

    raw: bytes
    data: str | None
    name: str | None = None


class EventSplitter:
    """Turns chunks of bytes into events; what is not ended by an empty line is kept for the next chunk."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._event: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that this chunk completes.

        Args:
            chunk: The next bytes of the stream.
        """
        # What is kept has no line end but perhaps its last byte, so that a long line is not searched again and again.
        start, searched = 0, max(len(self._rest) - 1, 0)
        self._rest += chunk
        for end in _LINE_END.finditer(self._rest, searched):
            self._event.append(bytes(self._rest[start : end.end()]))
            start = end.end()
            if not self._event[-1].strip(b"\r\n"):
                yield from self._take()
        del self._rest[:start]

    def end(self) -> Iterator[Event]:
        """The event that the end of the stream completes: some servers leave the last empty line out."""
        if self._rest:
            self._event.append(bytes(self._rest))
            self._rest.clear()
        yield from self._take()

    def _take(self) -> Iterator[Event]:
        lines, self._event = self._event, []
        raw = b"".join(lines)
        if raw.strip(b"\r\n"):
            fields = [_field(line) for line in lines]
            data = [value for name, value in fields if name == "data"]
            names = [value for name, value in fields if name == "event"]
            yield Event(raw, "\n".join(data) if data else None, names[-1] if names else None)


def _field(line: bytes) -> tuple[str, str]:
    name, _, value = line.rstrip(b"\r\n").decode("utf-8", "replace").partition(":")
    return name, value.removeprefix(" ")
