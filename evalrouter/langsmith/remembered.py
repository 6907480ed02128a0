"""Which traces need not be read again: a file beside the checkpoint that grows by 32 bytes a trace.

It only saves work. Without it traces are read and sent again, and the destination holds them once all the same.
"""

import os
from pathlib import Path
from uuid import UUID

from evalrouter.langsmith.files import PRIVATE_FILE, read_private, replace_private

_RECORD = 32
_MOST = 500_000
"""Traces that are remembered; the oldest make room."""


class Remembered:
    """The traces of one checkpoint.

    Args:
        path: The file.
        owner: 32 hex digits that name the checkpoint: the file of another one says nothing.
    """

    def __init__(self, path: Path, owner: str) -> None:
        self._path = path
        self._owner = bytes.fromhex(owner) * 2
        content = read_private(path) or b""
        self._traces: dict[bytes, bytes] = {}
        self._is_written = content[:_RECORD] == self._owner and len(content) % _RECORD == 0
        if content[:_RECORD] == self._owner:
            for start in range(_RECORD, len(content) - _RECORD + 1, _RECORD):
                self._traces[content[start : start + 16]] = content[start + 16 : start + _RECORD]
        self._records = len(self._traces)

    def knows(self, trace_id: UUID, mark: str) -> bool:
        """Whether a trace was taken care of when its root said the same.

        Args:
            trace_id: LangSmith's ID.
            mark: What the root says now, 16 hex digits.
        """
        found = self._traces.get(trace_id.bytes)
        return found is not None and found[:8].hex() == mark

    def add(self, trace_id: UUID, mark: str, started_ns: int) -> None:
        """Remembers a trace.

        Raises:
            OSError: The file cannot be written.
        """
        if len(self._traces) >= _MOST:
            del self._traces[next(iter(self._traces))]
        said = bytes.fromhex(mark) + started_ns.to_bytes(8)
        self._traces[trace_id.bytes] = said
        if not self._is_written:
            self._write()
            return
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        try:
            self._is_written = os.write(handle, trace_id.bytes + said) == _RECORD
        finally:
            os.close(handle)
        self._records += 1

    def forget(self, before_ns: int) -> None:
        """Forgets the traces that started before a moment, which are not listed any more.

        Args:
            before_ns: Nanoseconds since 1970.

        Raises:
            OSError: The file cannot be written.
        """
        limit = before_ns.to_bytes(8)
        self._traces = {name: said for name, said in self._traces.items() if said[8:] >= limit}
        if self._records > 2 * len(self._traces) + 1000:
            self._write()

    def __len__(self) -> int:
        return len(self._traces)

    def _write(self) -> None:
        replace_private(self._path, self._owner + b"".join(name + said for name, said in self._traces.items()))
        self._is_written = True
        self._records = len(self._traces)
