"""Starts and stops the built-in model's server process."""

import asyncio
import os
import platform
import secrets
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Self

from evalrouter_server.local_model import KEY_VARIABLE

SECONDS_TO_START = 120.0
SECONDS_TO_STOP = 5.0

_INHERITED = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHONHOME",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
)


class LocalModelError(Exception):
    """The server did not start."""


def unsupported_reason(cpu_info: Path = Path("/proc/cpuinfo")) -> str | None:
    """Why the prebuilt server cannot run on this processor; None where it can, or where that is not known beforehand.

    Args:
        cpu_info: Linux's description of the processor.
    """
    if platform.machine() not in ("x86_64", "AMD64") or not cpu_info.is_file():
        return None
    flags = next((line for line in cpu_info.read_text().splitlines() if line.startswith("flags")), "")
    if flags and "avx2" not in flags.split():
        return "this processor has no AVX2, which the prebuilt llama.cpp needs; use a connection to a model elsewhere"
    return None


@dataclass(slots=True)
class LocalModelProcess:
    """A running server.

    Attributes:
        base_url: The root of its OpenAI-compatible interface.
        api_key: The key that requests must carry, made for this process.
    """

    base_url: str
    api_key: str = field(repr=False)
    _process: subprocess.Popen[bytes]
    _errors: IO[bytes]

    @classmethod
    async def start(cls, weights: Path, *, alias: str, context_window: int, concurrency: int) -> Self:
        """Start the server and wait until it answers.

        Args:
            weights: The GGUF file.
            alias: The model's name in answers.
            context_window: Tokens of one call.
            concurrency: Calls side by side.

        Raises:
            LocalModelError: It ended, or gave no sign of life in time.
        """
        key = secrets.token_urlsafe(32)
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the process is stopped
        command = [sys.executable, "-m", "evalrouter_server.local_model", str(weights)]
        options = ["--alias", alias, "--context-window", str(context_window), "--concurrency", str(concurrency)]
        # Started from this thread, not from a pool: on Linux the process dies with the thread that started it.
        process = subprocess.Popen(  # noqa: ASYNC220, S603 - a fork takes milliseconds, and the command is our own
            [*command, *options, "--owner", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**environment, KEY_VARIABLE: key, "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
        server = cls("", key, process, errors)
        try:
            async with asyncio.timeout(SECONDS_TO_START):
                assert process.stdout is not None
                address = (await asyncio.to_thread(process.stdout.readline)).decode().strip()
        except BaseException as error:
            await server.stop()
            if isinstance(error, TimeoutError):
                raise LocalModelError(f"it did not start within {SECONDS_TO_START:.0f} seconds") from None
            raise
        if not address:
            said = server.last_words()
            await server.stop()
            raise LocalModelError(f"its process ended with status {process.returncode}{': ' + said if said else ''}")
        server.base_url = f"{address}/v1"
        return server

    @property
    def is_running(self) -> bool:
        """Whether the process lives."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def last_words(self) -> str:
        """The last line that it wrote to standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else ""

    async def stop(self) -> None:
        """End the process: closing its standard input asks it to, after a while it is killed."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.to_thread(self._process.wait, SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()
