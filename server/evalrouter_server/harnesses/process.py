"""A harness's process: its own group, a scrubbed environment, private folders, bounded output and time."""

import asyncio
import contextlib
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalrouter_server.harnesses import supervisor

LOG_BYTES = 1_000_000
SECONDS_TO_STOP = 10.0
SECONDS_BETWEEN_POLLS = 0.05

_SYSTEM = ("LANG", "LC_ALL", "PATH", "SYSTEMROOT", "TZ")
_NETWORK = (
    "CURL_CA_BUNDLE",
    "HF_ENDPOINT",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
)
"""What a harness needs to fetch data; it gets them only while its task is listed."""


class HarnessFailed(Exception):
    """The process did not do what it was started for.

    Args:
        message: What happened, with its last line, for people.
    """


@dataclass(frozen=True, slots=True)
class Process:
    """What a process is started with.

    Attributes:
        python: The interpreter of the harness's environment.
        arguments: What the interpreter runs.
        cwd: Its working folder.
        environment: Its variables beside the system's own.
        online: Whether it may fetch data.
        seconds: The most time for it.
    """

    python: Path
    arguments: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    online: bool
    seconds: float

    async def run(self) -> None:
        """Run it to its end; cancelling kills it with everything that it started.

        Raises:
            HarnessFailed: It failed, or its time was over.
        """
        with tempfile.TemporaryDirectory(prefix="evalrouter-harness-", ignore_cleanup_errors=True) as private:
            await self._run(Path(private))

    async def _run(self, private: Path) -> None:
        log = private / "log"
        for name in ("home", "tmp"):
            (private / name).mkdir()
        command = [str(self.python), "-I", supervisor.__file__, str(log), str(LOG_BYTES), str(self.seconds)]
        # Started from this thread, which lives as long as the work does.
        process = subprocess.Popen(  # noqa: ASYNC220, S603 - a fork takes milliseconds, and the command is our own
            [*command, str(self.python), *self.arguments],
            cwd=self.cwd,
            env=self._environment(private),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = await _ended(process)
        finally:
            await asyncio.shield(_end(process))
        if status == supervisor.EXIT_TIME_OVER:
            raise HarnessFailed(f"it was stopped after {self.seconds:.0f} seconds{_last_words(log)}")
        if status != 0:
            raise HarnessFailed(f"it ended with status {status}{_last_words(log)}")

    def _environment(self, private: Path) -> dict[str, str]:
        kept = (*_SYSTEM, *_NETWORK, *map(str.lower, _NETWORK)) if self.online else _SYSTEM
        offline = {} if self.online else {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "HOME": str(private / "home"),
            "TMPDIR": str(private / "tmp"),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "PYTHONUTF8": "1",
            **offline,
            **self.environment,
        }


async def _end(process: subprocess.Popen[bytes]) -> None:
    """End the supervisor, which ends the rest: closing its input asks it to."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        async with asyncio.timeout(SECONDS_TO_STOP):
            await _ended(process)
    except TimeoutError:
        process.kill()
        process.wait()


async def _ended(process: subprocess.Popen[bytes]) -> int:
    """Its exit status; polled, because a thread for each process would keep others from the few threads there are."""
    while (status := process.poll()) is None:  # noqa: ASYNC110 - nothing tells the event loop
        await asyncio.sleep(SECONDS_BETWEEN_POLLS)
    return status


def _last_words(log: Path) -> str:
    try:
        lines = log.read_text("utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {said[:300]}" if said else ""
