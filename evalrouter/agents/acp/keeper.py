"""The keeper: a small process between the SDK and an agent, which ends the agent and everything that came of it.

It runs by itself (`python -I -S keeper.py`) and imports nothing but the standard library. The SDK holds the writing end
of a pipe, the lifeline. When that closes, because the SDK wants the agent to end or because the SDK is gone for
whatever reason, the keeper ends the agent and then itself. It does the same when the agent ends by itself. So there is
one way in which an agent ends, and it does not need the SDK.

On Linux the keeper is the subreaper of all that the agent starts: a process that makes its own session and loses its
parent becomes the keeper's child, so that it is found however it hides. What is not below the keeper any more but
carries the run's marker variable is found in `/proc/*/environ`. On other systems the agent's process group is ended, no
more.
"""

import contextlib
import ctypes
import json
import os
import selectors
import signal
import sys
import time

MARKER = "EVALROUTER_AGENT_RUN"
"""The variable that an agent's processes carry; its value is one agent's own."""

GRACE_SECONDS = 2.0
"""How long the agent's process group may take to end after it was asked to."""

NOT_STARTED = 127
"""The keeper's exit status when the command could not be started."""

_PARENT_CHECK_SECONDS = 1.0
_KILL_ROUNDS = 200
_STDERR_WAIT_SECONDS = 0.5
_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36


def marked_processes(marker: str) -> list[int]:
    """The processes that carry a marker and are not dead; none where there is no `/proc`.

    Args:
        marker: The value of the marker variable.
    """
    wanted = f"{MARKER}={marker}".encode()
    found = []
    for name in _listed("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as environment:  # noqa: PTH123
                if wanted in environment.read().split(b"\0"):
                    found.append(int(name))
    return found


def end_marked(marker: str) -> None:
    """Kills the processes that carry a marker, but for this one.

    Args:
        marker: The value of the marker variable.
    """
    for _ in range(_KILL_ROUNDS):
        found = [pid for pid in marked_processes(marker) if pid != os.getpid()]
        if not found:
            return
        _kill(found)
        time.sleep(0.01)


class Keeper:
    """Starts one command and watches over it.

    Args:
        lifeline: The descriptor whose end of file means that the command is to end.
        folder: The descriptor of the folder that the command starts in.
        stderr_path: Where its standard error goes; None leaves it with standard output.
        stderr_bytes: The most that is kept of it; what comes after is read and thrown away.
        marker: What the command carries; the keeper does not, so that one keeper does not end another.
        ends_marked: Whether to end, after the command, whatever else carries the marker.
        arguments: The command; its first word is the program.
    """

    def __init__(
        self,
        lifeline: int,
        folder: int,
        stderr_path: str | None,
        stderr_bytes: int,
        marker: str,
        ends_marked: bool,
        arguments: list[str],
    ) -> None:
        self._lifeline = lifeline
        self._folder = folder
        self._stderr_path = stderr_path
        self._stderr_left = stderr_bytes
        self._marker = marker
        self._ends_marked = ends_marked
        self._arguments = arguments
        self._sdk = os.getppid()
        self._log: int | None = None
        self._status: int | None = None
        self._child = 0

    def run(self) -> int:
        """Runs the command to its end, by itself or because of the lifeline.

        Returns:
            The command's exit status, 128 and the signal's number for a signal.
        """
        on_linux = sys.platform == "linux"
        if on_linux:
            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        for descriptor in (self._lifeline, self._folder):
            os.set_inheritable(descriptor, False)
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        stderr = self._start(on_linux)
        self._watch(wake_read, stderr)
        self._end()
        if stderr is not None:
            self._drain(stderr)
        return NOT_STARTED if self._status is None else self._status

    def _start(self, on_linux: bool) -> int | None:
        reading, writing = os.pipe() if self._stderr_path else (None, 1)
        self._child = os.fork()
        if not self._child:
            self._become_command(writing, on_linux)
        for descriptor in {0, 1, writing}:
            os.close(descriptor)
        os.close(self._folder)
        return reading

    def _become_command(self, stderr: int, on_linux: bool) -> None:
        try:
            os.setsid()
            if on_linux:  # what kills the keeper kills the command
                ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            os.fchdir(self._folder)
            os.dup2(stderr, 2)
            os.environ[MARKER] = self._marker
            os.execvp(self._arguments[0], self._arguments)  # noqa: S606
        except OSError as error:
            os.write(2, f"{self._arguments[0]}: {error.strerror}\n".encode())
        os._exit(NOT_STARTED)

    def _watch(self, wake: int, stderr: int | None) -> None:
        """Returns when the command has ended, or is to end."""
        selector = selectors.DefaultSelector()
        selector.register(self._lifeline, selectors.EVENT_READ)
        selector.register(wake, selectors.EVENT_READ)
        if stderr is not None and self._stderr_path:
            selector.register(stderr, selectors.EVENT_READ)
            self._log = os.open(self._stderr_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        while True:
            ready = {key.fd for key, _ in selector.select(_PARENT_CHECK_SECONDS)}
            if self._lifeline in ready or os.getppid() != self._sdk:
                return
            if stderr in ready and stderr is not None and not self._log_some(stderr):
                selector.unregister(stderr)
            if wake in ready and any(number != signal.SIGCHLD for number in os.read(wake, 4096)):
                return
            self._reap()
            if self._status is not None:
                return

    def _log_some(self, stderr: int) -> bool:
        piece = os.read(stderr, 65536)
        kept = piece[: self._stderr_left]
        if kept and self._log is not None:
            with contextlib.suppress(OSError):  # a full disk is no reason to stop reading
                os.write(self._log, kept)
            self._stderr_left -= len(kept)
        return bool(piece)

    def _drain(self, stderr: int) -> None:
        """Reads what is left in the pipe, without waiting for whoever might still hold its other end."""
        os.set_blocking(stderr, False)
        until = time.monotonic() + _STDERR_WAIT_SECONDS
        with contextlib.suppress(BlockingIOError):
            while time.monotonic() < until and self._log_some(stderr):
                pass

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid == self._child:
                    code = os.waitstatus_to_exitcode(status)
                    self._status = code if code >= 0 else 128 - code

    def _end(self) -> None:
        """Ends the process group, first politely, then whatever else came of the command."""
        self._signal_group(signal.SIGTERM)
        until = time.monotonic() + GRACE_SECONDS
        while self._group_lives() and time.monotonic() < until:
            time.sleep(0.01)
        self._signal_group(signal.SIGKILL)
        for _ in range(_KILL_ROUNDS):
            self._reap()
            below = _descendants(os.getpid())
            if not below:
                break
            _kill(below)
            time.sleep(0.005)
        if self._ends_marked:
            end_marked(self._marker)
        self._reap()

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child, number)

    def _group_lives(self) -> bool:
        self._reap()
        try:
            os.killpg(self._child, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True


def _kill(pids: list[int]) -> None:
    """Stops all, so that none can start another, and then kills all."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)


def _descendants(root: int) -> list[int]:
    parents: dict[int, int] = {}
    for name in _listed("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as stat:  # noqa: PTH123
                parents[int(name)] = int(stat.read().rpartition(b")")[2].split()[1])
    found: list[int] = []
    layer = {root}
    while layer:
        layer = {pid for pid, parent in parents.items() if parent in layer}
        found += layer
    return found


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []


if __name__ == "__main__":
    sys.exit(Keeper(**json.loads(sys.argv[1])).run())
