"""What is run in a sandbox, within which limits, and what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

FOLDER = "/folder"
"""Where a command finds its files."""

HOME = "/tmp/home"  # noqa: S108 - a path inside the sandbox
"""Where a command starts, and may write."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds a command, all its processes taken together where nothing else is said.

    Attributes:
        wall_seconds: Seconds from its start to its end.
        cpu_seconds: Processor seconds of each process.
        memory_bytes: Resident memory, and the address space of each process, in bytes.
        bounds_address_space: Whether the address space is bounded too; some programs claim far more than they use.
        processes: Processes and threads.
        file_bytes: The size of each file that it writes, in bytes.
        disk_bytes: What its private folders hold, in bytes; it is memory.
        files: How many files its private folders hold.
        output_bytes: Standard output and standard error, each, in bytes.
        open_files: Open files of each process.
    """

    wall_seconds: float = 10.0
    cpu_seconds: int = 10
    memory_bytes: int = 1024**3
    bounds_address_space: bool = True
    processes: int = 32
    file_bytes: int = 16 * 1024**2
    disk_bytes: int = 64 * 1024**2
    files: int = 10_000
    output_bytes: int = 1024**2
    open_files: int = 256


@dataclass(frozen=True, slots=True)
class Mount:
    """A file, folder or Unix socket of the host that a command sees.

    A Unix socket is how a command without a network can be given one door, such as the way to the gateway. Where the
    server is root the command is nobody: what is shown must be readable, and a socket writable, for everyone.

    Attributes:
        source: Where it is on the host; no symbolic link.
        target: The absolute path inside.
        writable: Whether the command may change it; the disk limit does not cover what is written there.
    """

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command to run.

    Attributes:
        arguments: The program, by its path inside, and its arguments.
        files: Files that it finds under `FOLDER` and cannot change, by relative path.
        mounts: What else of the host it sees.
        environment: Variables beside PATH, HOME, TMPDIR and LANG; nothing of the server's own is passed on.
        stdin: What it reads from standard input.
        limits: What bounds it.
    """

    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    limits: Limits = field(default_factory=Limits)


class Ended(StrEnum):
    """How a command ended: by itself, or because it reached a limit and was ended."""

    BY_ITSELF = "by_itself"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    DISK = "disk"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a command; nothing of it runs any more.

    Attributes:
        ended: How it ended.
        exit_status: Its exit status, 128 and the signal's number for a signal; None where it was ended at a limit.
        stdout: What it wrote to standard output, up to the limit.
        stderr: What it wrote to standard error, up to the limit.
        seconds: How long it took.
    """

    ended: Ended
    exit_status: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
