"""Compares mathematical expressions in processes of their own, so that no expression takes more than a bounded time.

A comparison can take forever or fill the memory (`9^{9^{9^9}}`), and neither a thread nor a signal of a server can end
it. So each runs in a process that ends itself when it has used up its time: then the comparison has no result, and the
next one gets a new process. The processes get no secret of the environment, and end with the one that started them.
"""

import contextlib
import faulthandler
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from evalrouter_server.grading.mathematics import equal

CPU_SECONDS = 5
"""Processor time of one comparison."""

WALL_SECONDS = 60
"""Time of one comparison on a machine that is busy with other things."""

MEMORY_BYTES = 4 << 30
"""Address space of a process."""

PROCESSES = 2
"""Comparisons side by side; more wait."""

_ANSWERS = {"true": True, "false": False, "null": None}

_INHERITED = ("LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "PYTHONPATH", "SYSTEMROOT")


class EqualityUnavailable(Exception):
    """No process for comparisons could be started."""


class BoundedEquality:
    """`evalrouter_server.grading.mathematics.equal` with a bound. Threads may share it.

    Args:
        cpu_seconds: Processor time of one comparison.
    """

    def __init__(self, cpu_seconds: int = CPU_SECONDS) -> None:
        self._cpu_seconds = cpu_seconds
        self._slots = threading.BoundedSemaphore(PROCESSES)
        self._idle: list[subprocess.Popen[str]] = []
        self._busy: set[subprocess.Popen[str]] = set()
        self._closed = False

    def __call__(self, expected: str, found: str) -> bool | None:
        """Compare two expressions.

        Returns:
            Whether they are equal; None where that took too long or too much memory.

        Raises:
            EqualityUnavailable: No process could be started, or this is closed.
        """
        with self._slots:
            process = self._process()
            self._busy.add(process)
            said = _ask(process, json.dumps([expected, found]))
            self._busy.discard(process)
            if not said:
                _end(process)
                return None
            self._idle.append(process)
            return _ANSWERS[said]

    def close(self) -> None:
        """End the processes; a comparison that is under way has no result."""
        self._closed = True
        for process in self._busy.copy():
            process.kill()
        while self._idle:
            _end(self._idle.pop())

    def _process(self) -> subprocess.Popen[str]:
        """An idle process that still lives, or a new one."""
        while self._idle:
            with contextlib.suppress(IndexError):  # another thread took it
                process = self._idle.pop()
                if process.poll() is None:
                    return process
                _end(process)
        if self._closed:
            raise EqualityUnavailable("the server is ending")
        return _start(self._cpu_seconds)


def _start(cpu_seconds: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(  # noqa: S603 - the command is our own
        [sys.executable, "-m", "evalrouter_server.runners.equality", str(cpu_seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _INHERITED if name in os.environ},
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    if not _ask(process, json.dumps(["1", "2"])):
        _end(process)
        raise EqualityUnavailable(
            f"the process that compares expressions ended with status {process.returncode} before it was ready"
        )
    return process


def _ask(process: subprocess.Popen[str], question: str) -> str:
    """The process's answer; empty where it ended instead."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(f"{question}\n")
        process.stdin.flush()
    return process.stdout.readline().strip()


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    with contextlib.suppress(BrokenPipeError):
        process.communicate()


def _serve(cpu_seconds: int) -> None:
    """Answer questions from standard input until it ends."""
    equal("1", "2")
    _limit_memory()
    with Path(os.devnull).open("w") as nowhere:
        for line in sys.stdin:
            faulthandler.dump_traceback_later(WALL_SECONDS, exit=True, file=nowhere)
            _limit_cpu(cpu_seconds)
            expected, found = json.loads(line)
            said = _compared(expected, found)
            _limit_cpu(0)
            faulthandler.cancel_dump_traceback_later()
            print(said, flush=True)


def _compared(expected: str, found: str) -> str:
    try:
        return json.dumps(equal(expected, found))
    except (MemoryError, RecursionError):
        return json.dumps(None)
    except Exception:  # math-verify's parsers raise anything on what is no mathematics
        return json.dumps(False)


def _limit_cpu(seconds: int) -> None:
    """Let the system end this process when it has used so much processor time; 0 lifts the limit."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
