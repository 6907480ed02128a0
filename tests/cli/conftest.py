"""The real command on a real embedded server: in this process where that will do, in its own where signals matter."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from evalrouter_cli.main import main

from tests.cli.provider import Provider

PATIENCE_SECONDS = 100


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        found = json.loads(self.stdout)
        assert isinstance(found, dict)
        return found


class Command:
    """Runs `evalrouter` in a folder, with an environment that has nothing of the user's in it."""

    program = (sys.executable, "-m", "evalrouter_cli")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        taken_out = ("EVALROUTER_", "OPENAI_", "ANTHROPIC_", "NO_COLOR", "FORCE_COLOR")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(taken_out)} | {
            "EVALROUTER_DATA_DIR": str(folder / "data"),
            "COLUMNS": "80",
        }

    def __call__(self, *arguments: str, given: str = "") -> Ended:
        """Run the command to its end in this process."""
        stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with self.surroundings() as patch, redirect_stdout(stdout), redirect_stderr(stderr):
            patch.setattr(sys, "stdin", io.StringIO(given))
            code = main(arguments)
        return Ended(code, _text(stdout), _text(stderr))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the command as a process and let it run."""
        return subprocess.Popen(
            [*self.program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=self.folder,
            env=self.environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    @contextmanager
    def surroundings(self) -> Iterator[pytest.MonkeyPatch]:
        """The command's folder and environment, for the time of the context."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            for name in os.environ.keys() - self.environment.keys():
                patch.delenv(name)
            for name, value in self.environment.items():
                patch.setenv(name, value)
            yield patch


def _text(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


@pytest.fixture(scope="module")
def evalrouter(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command on an embedded server with a data folder that the module's tests share."""
    return Command(tmp_path_factory.mktemp("cli"))


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """A paid provider's double on the loopback interface."""
    with Provider() as started:
        yield started
