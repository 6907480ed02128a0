"""Runs one command and leaves nothing of it behind: `python -I supervisor.py LOG LOG_BYTES SECONDS COMMAND...`.

It is a program of its own that needs nothing but the standard library, because the interpreters of the harnesses'
environments run it. The command gets a process group of its own. It is killed, with everything that it started, when
its time is over, when it ends, and when our standard input ends: whoever started us closes it to cancel, and the system
closes it when they die, however they die. On Linux processes that left the group are found too, as they become our
children. What the command prints is kept in a file of bounded size, the latest part of it.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
EXIT_TIME_OVER = 124
EXIT_CANCELLED = 125


def main(log: str, log_bytes: int, seconds: float, command: list[str]) -> int:
    """Run the command to its end, its time's end or ours.

    Args:
        log: The file that gets what it prints.
        log_bytes: The most that the file holds.
        seconds: The most time for it.
        command: The command.

    Returns:
        Its exit status, `EXIT_TIME_OVER` or `EXIT_CANCELLED`.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    process = subprocess.Popen(  # noqa: S603 - the caller's own command
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0
    )
    cancelled = threading.Event()
    threading.Thread(target=_watch, args=(process.pid, cancelled), daemon=True).start()
    printing = threading.Thread(target=_keep, args=(process, Path(log), log_bytes), daemon=True)
    printing.start()
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        status = EXIT_TIME_OVER
    _kill_all(process.pid)
    printing.join(5)
    return EXIT_CANCELLED if cancelled.is_set() else status if status >= 0 else 128 - status


def _watch(group: int, cancelled: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    cancelled.set()
    _kill_group(group)


def _keep(process: subprocess.Popen[bytes], log: Path, most: int) -> None:
    assert process.stdout is not None
    with log.open("wb") as file:
        while chunk := os.read(process.stdout.fileno(), 65536):
            if file.tell() + len(chunk) > most:
                file.seek(0)
                file.truncate()
            file.write(chunk[-most:])
            file.flush()


def _kill_all(group: int) -> None:
    """Kill the group, then, where the system hands orphans to us, whatever is left of our children."""
    _kill_group(group)
    while children := _children():
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _children() -> list[int]:
    with contextlib.suppress(OSError):
        lists = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
        return [int(pid) for pid in " ".join(lists).split()]
    return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]))
