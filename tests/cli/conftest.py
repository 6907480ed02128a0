"""The real command as a process, on a data folder of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.provider import Provider

PATIENCE_SECONDS = 60


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
    """Starts `evalrouter` with an environment that has nothing of the user's in it."""

    program = (sys.executable, "-m", "evalrouter_cli")

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("EVALROUTER_", "OPENAI_", "ANTHROPIC_")) and name not in ("NO_COLOR", "FORCE_COLOR")
        } | dict(environment)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start the command and let it run."""
        return subprocess.Popen(
            [*self.program, *arguments],
            stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=self.folder,
            env=self.environment | options.pop("env", {}),
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            **options,
        )

    def __call__(self, *arguments: str, given: str | None = None, env: Mapping[str, str] | None = None) -> Ended:
        """Run the command to its end."""
        stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
        process = self.start(*arguments, stdin=stdin, env=dict(env or {}))
        stdout, stderr = process.communicate(given, timeout=PATIENCE_SECONDS)
        return Ended(process.returncode, stdout, stderr)


@pytest.fixture(scope="module")
def evalrouter(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command on an embedded server with a data folder that the module's tests share."""
    folder = tmp_path_factory.mktemp("cli")
    return Command(folder, {"EVALROUTER_DATA_DIR": str(folder / "data"), "COLUMNS": "80"})


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """A paid provider's double on the loopback interface."""
    with Provider() as started:
        yield started
