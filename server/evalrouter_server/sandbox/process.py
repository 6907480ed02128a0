"""Watching over one sandboxed command from a thread: its output, its time, its memory, its end.

The thread that starts bubblewrap stays until nothing of the sandbox runs any more: bubblewrap is told to die with the
thread that started it, and what it holds dies with it.
"""

import fcntl
import json
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import IO, Any

from evalrouter_server.sandbox.bubblewrap import launch, private_folders
from evalrouter_server.sandbox.command import Command, Ended, Outcome
from evalrouter_server.sandbox.system_calls import system_call_filter
from evalrouter_server.sandbox.usage import Usage

SECONDS_BETWEEN_CHECKS = 0.05
"""How often time, memory and files are looked at."""

SECONDS_TO_DIE = 10.0
"""How long an ended sandbox may take to be gone."""

_PIECE = 65536


class SandboxFailed(Exception):
    """The sandbox itself failed, not what ran in it.

    Args:
        reason: What happened.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def run(bubblewrap: str, command: Command, *, is_root: bool, cancelled: threading.Event) -> Outcome | None:
    """Run a command to its end, in this thread.

    Args:
        bubblewrap: The path of `bwrap`.
        command: The command.
        is_root: Whether the server is root.
        cancelled: Set to end it early.

    Returns:
        What came of it; None where it was ended early.

    Raises:
        SandboxFailed: The sandbox could not be made, or ended for no reason of the command's.
    """
    with ExitStack() as opened:
        try:
            process, status = _start(bubblewrap, command, opened, is_root=is_root)
        except (OSError, ValueError) as error:
            raise SandboxFailed(f"it could not be started: {error}") from error
        return _Watch(process, status, command).run(cancelled)


def _start(
    bubblewrap: str, command: Command, opened: ExitStack, *, is_root: bool
) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    files = {path: _memory_file(opened, data) for path, data in command.files.items()}
    reading, writing = os.pipe()
    status = opened.enter_context(os.fdopen(reading, "rb", buffering=0))
    with os.fdopen(writing, "wb"):
        options, system_calls = _memory_file(opened), _memory_file(opened, system_call_filter())
        how = launch(
            bubblewrap,
            command,
            file_descriptors=files,
            options=options,
            system_calls=system_calls,
            status=writing,
            is_root=is_root,
        )
        os.write(options, how.options)
        os.lseek(options, 0, os.SEEK_SET)
        process = subprocess.Popen(  # noqa: S603 - bubblewrap by its path
            how.arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": os.defpath},
            pass_fds=[*files.values(), options, system_calls, writing],
            start_new_session=True,
            bufsize=0,
        )
    opened.enter_context(process)
    return process, status


def _memory_file(opened: ExitStack, data: bytes = b"") -> int:
    """A descriptor that reads some bytes, closed with the stack; whoever inherits it cannot change them."""
    descriptor = os.memfd_create("sandbox", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    file = opened.enter_context(os.fdopen(descriptor, "w+b", buffering=0))
    if data:
        file.write(data)
        file.seek(0)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    return descriptor


@dataclass(slots=True)
class _Stream:
    """What is read of a pipe, a little beyond its limit at most."""

    pipe: IO[bytes]
    limit: int
    data: bytearray = field(default_factory=bytearray)

    def serve(self) -> bool:
        """Read what is there, unless it is over the limit; returns False at the end."""
        while not self.pipe.closed and not self.is_over:
            try:
                piece = os.read(self.pipe.fileno(), _PIECE)
            except BlockingIOError:
                return True
            if not piece:
                return False
            self.data += piece
        return True

    @property
    def is_over(self) -> bool:
        return len(self.data) > self.limit

    def capped(self) -> bytes:
        return bytes(self.data[: self.limit])


@dataclass(slots=True)
class _Feed:
    """What is written to a pipe; once it is read there, it is nowhere inside."""

    pipe: IO[bytes]
    left: memoryview

    def serve(self) -> bool:
        """Write what fits; returns False once there is nothing left, or nobody who reads it."""
        try:
            while self.left:
                self.left = self.left[os.write(self.pipe.fileno(), self.left[:_PIECE]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            pass
        return False


class _Watch:
    def __init__(self, process: subprocess.Popen[bytes], status: IO[bytes], command: Command) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._limits = limits = command.limits
        self._stdin = _Feed(process.stdin, memoryview(command.stdin))
        self._status = _Stream(status, _PIECE)
        self._stdout = _Stream(process.stdout, limits.output_bytes)
        self._stderr = _Stream(process.stderr, limits.output_bytes)
        self._usage: Usage | None = None

    def run(self, cancelled: threading.Event) -> Outcome | None:
        began = time.monotonic()
        try:
            ended = self._watch(began + self._limits.wall_seconds, cancelled)
        finally:
            self._end()
        seconds = time.monotonic() - began
        if cancelled.is_set():
            return None
        for stream in self._streams:
            stream.serve()
        if ended is None and (self._stdout.is_over or self._stderr.is_over):
            ended = Ended.OUTPUT
        exit_status = self._reported("exit-code")
        if ended is None and exit_status is None:
            said = self._stderr.capped().decode("utf-8", "replace").strip() or "it said nothing"
            raise SandboxFailed(f"bubblewrap ended with status {self._process.returncode}: {said[-300:]}")
        return Outcome(
            ended=ended or Ended.BY_ITSELF,
            exit_status=None if ended else exit_status,
            stdout=self._stdout.capped(),
            stderr=self._stderr.capped(),
            seconds=seconds,
        )

    @property
    def _streams(self) -> Iterable[_Stream]:
        return (self._status, self._stdout, self._stderr)

    def _watch(self, deadline: float, cancelled: threading.Event) -> Ended | None:
        """Wait for the end; returns the limit that was reached, None where it ended by itself or is not wanted."""
        with selectors.DefaultSelector() as selector, os.fdopen(os.pidfd_open(self._process.pid)) as end:
            selector.register(end, selectors.EVENT_READ)
            for stream in self._streams:
                os.set_blocking(stream.pipe.fileno(), False)
                selector.register(stream.pipe, selectors.EVENT_READ, stream)
            os.set_blocking(self._stdin.pipe.fileno(), False)
            selector.register(self._stdin.pipe, selectors.EVENT_WRITE, self._stdin)
            check_at = 0.0
            while not cancelled.is_set():
                for key, _ in selector.select(SECONDS_BETWEEN_CHECKS):
                    if key.fileobj is end:
                        return None
                    if not key.data.serve():
                        selector.unregister(key.fileobj)
                        key.data.pipe.close()
                if self._stdout.is_over or self._stderr.is_over:
                    return Ended.OUTPUT
                now = time.monotonic()
                if now >= deadline:
                    return Ended.TIMEOUT
                if now >= check_at:
                    check_at = now + SECONDS_BETWEEN_CHECKS
                    if reached := self._limit_reached():
                        return reached
        return None

    def _limit_reached(self) -> Ended | None:
        if self._usage is None:
            first = self._reported("child-pid")
            self._usage = None if first is None else Usage(first, private_folders(self._limits))
        if self._usage is None:
            return None
        if self._usage.memory_bytes() > self._limits.memory_bytes:
            return Ended.MEMORY
        return Ended.DISK if self._usage.files() > self._limits.files else None

    def _reported(self, name: str) -> int | None:
        """What bubblewrap reported under a name: JSON documents, one a line."""
        for line in bytes(self._status.data).splitlines():
            with suppress(ValueError):
                document: dict[str, Any] = json.loads(line)
                if name in document:
                    return int(document[name])
        return None

    def _end(self) -> None:
        """End what still runs and wait until it is gone; the first process takes the whole sandbox with it.

        Raises:
            SandboxFailed: It is still there.
        """
        self._status.serve()
        first = self._reported("child-pid")
        with ExitStack() as opened:
            death = None
            if first is not None:
                with suppress(ProcessLookupError):
                    death = opened.enter_context(os.fdopen(os.pidfd_open(first)))
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            if death is not None:
                selector = opened.enter_context(selectors.DefaultSelector())
                selector.register(death, selectors.EVENT_READ)
                if not selector.select(SECONDS_TO_DIE):
                    raise SandboxFailed(f"process {first} could not be ended")
