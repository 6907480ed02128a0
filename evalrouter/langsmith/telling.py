"""What the import tells: counts, and one line an event, as text or JSON. Nothing of a trace's content is ever told."""

import json
import os
import resource
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from attrs import asdict, define, field

MOST_REMEMBERED = 10_000
"""Malformed rows that are told apart, so that one which is read again is counted once."""


@define
class Counts:
    """What came of an import since the process began.

    Attributes:
        imported: Traces that the destination acknowledged as complete.
        spans: Spans that were new to it.
        late_spans: Those of them that belong to traces which had been sealed: late children.
        changed_spans: Spans that changed at the source after they were imported; the destination keeps the first.
        open: Traces whose root has no end, when last looked at.
        never_closed: Traces that have been open for a day; they are looked at every six hours.
        changing: Reads of a trace that differed from the one before.
        malformed_rows: Rows that are no runs, skipped.
        unknown_types: Runs of a type that is not known here, sent as `unknown`.
        too_large: Traces of more than 25,000 runs, skipped.
        refused: Traces that the destination refused or holds otherwise.
        lost_deliveries: Deliveries of a version 1 connector whose bytes are gone.
        failed_cycles: Cycles that ended with an error.
    """

    imported: int = 0
    spans: int = 0
    late_spans: int = 0
    changed_spans: int = 0
    open: int = 0
    never_closed: int = 0
    changing: int = 0
    malformed_rows: int = 0
    unknown_types: int = 0
    too_large: int = 0
    refused: int = 0
    lost_deliveries: int = 0
    failed_cycles: int = 0
    _malformed: set[int] = field(factory=set)

    def note_malformed(self, trace_id: str, reasons: list[str]) -> list[str]:
        """Counts malformed rows of a trace, and gives the reasons of those that are new."""
        new = []
        for place, reason in enumerate(sorted(reasons)):
            name = hash((trace_id, place, reason))
            if name not in self._malformed and len(self._malformed) < MOST_REMEMBERED:
                self._malformed.add(name)
                self.malformed_rows += 1
                new.append(reason)
        return new

    def document(self) -> dict[str, int]:
        """The counts by name."""
        return {name: value for name, value in asdict(self).items() if not name.startswith("_")}


class Log:
    """Writes one line an event.

    Args:
        as_json: JSON lines instead of `name=value`.
        stream: Where to; standard error by default.
    """

    def __init__(self, as_json: bool, stream: TextIO | None = None) -> None:
        self._as_json = as_json
        self._stream = stream if stream is not None else sys.stderr

    def tell(self, level: str, event: str, **facts: Any) -> None:
        """Writes a line.

        Args:
            level: `info`, `warning` or `error`.
            event: What happened.
            facts: IDs, counts, states and messages of ours.
        """
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        row = {"at": at, "level": level, "event": event, **facts}
        print(json.dumps(row) if self._as_json else _text(row), file=self._stream, flush=True)


def memory() -> dict[str, int]:
    """Bytes of memory that this process uses now, where the system says, and used at most."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return {"peak_memory_bytes": peak}
    return {"memory_bytes": pages * os.sysconf("SC_PAGE_SIZE"), "peak_memory_bytes": peak}


def _text(row: Mapping[str, Any]) -> str:
    values = {name: str(value) for name, value in row.items() if value is not None}
    return " ".join(
        f"{name}={json.dumps(value) if not value or ' ' in value or '=' in value else value}"
        for name, value in values.items()
    )
