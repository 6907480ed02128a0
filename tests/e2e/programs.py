"""The product's own programs as real processes: scripts that use the SDK, the command, the service."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

PATIENCE_SECONDS = 60
ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "evalrouter_cli")

RUN_ID = re.compile(r"run_[0-9a-z]{26}")


@contextmanager
def program(*command: str) -> Iterator[subprocess.Popen[str]]:
    """A process with this one's environment; it is gone afterwards."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def script(text: str, *arguments: str) -> tuple[str, ...]:
    """The command line of a Python script."""
    return (sys.executable, "-c", dedent(text), *arguments)


def first_line(process: subprocess.Popen[str]) -> str:
    """The first line that a process prints."""
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        assert process.stderr is not None
        raise AssertionError(f"it ended without a word: {process.stderr.read()}")
    return line


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process still prints until it ends: stdout and stderr."""
    return process.communicate(timeout=PATIENCE_SECONDS)


def evalrouter(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end as a process."""
    with program(*COMMAND, *arguments) as process:
        stdout, stderr = ended(process)
    return subprocess.CompletedProcess(arguments, process.returncode, stdout, stderr)


def kill(process: subprocess.Popen[str]) -> None:
    """End a process as nothing can prevent, and see it gone."""
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE_SECONDS)


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait for something that another thread or process does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)


@dataclass(frozen=True)
class Service:
    """A service that is running.

    Attributes:
        process: Its process.
        base_url: Where it is.
        owner_key: The key that it printed, at its first start.
    """

    process: subprocess.Popen[str]
    base_url: str
    owner_key: str | None


@contextmanager
def serve(database: str, data_dir: Path, port: int = 0) -> Iterator[Service]:
    """`python -m evalrouter_server serve` as a process, once it serves."""
    options = ("--database", database, "--data-dir", str(data_dir), "--port", str(port))
    with program(sys.executable, "-m", "evalrouter_server", "serve", *options) as process:
        owner_key, line = None, first_line(process)
        if found := re.search(r"shown only now: (er_\S+)$", line):
            owner_key, line = found[1], first_line(process)
        found = re.search(r"serves (http://\S+)$", line)
        assert found, line
        yield Service(process, found[1], owner_key)
