"""What a sandbox takes of the machine, as the host's /proc tells."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Usage:
    """What a sandbox takes; zero for what cannot be read, as when it has just ended.

    Args:
        first: The host's ID of its first process, whose descendants are all that there are.
        folders: Its private folders with their sizes in bytes, by which they are told from the host's own.
    """

    def __init__(self, first: int, folders: Mapping[str, int]) -> None:
        self._first = first
        self._folders = folders

    def memory_bytes(self) -> int:
        """The resident memory of all processes, in bytes; memory that several share counts for each."""
        return _PAGE_BYTES * sum(_resident_pages(process) for process in self._processes())

    def files(self) -> int:
        """How many files and folders its private folders hold."""
        return sum(self._files(folder, size) for folder, size in self._folders.items())

    def _files(self, folder: str, size: int) -> int:
        with suppress(OSError):
            space = os.statvfs(f"/proc/{self._first}/root{folder}")
            if 0 <= space.f_blocks * space.f_frsize - size < _PAGE_BYTES:
                return space.f_files - space.f_ffree
        return 0

    def _processes(self) -> list[int]:
        found = [self._first]
        for process in found:
            found += _children(process)
        return found


def _children(process: int) -> list[int]:
    """The children of a process, whichever of its threads made them."""
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def _resident_pages(process: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return 0
