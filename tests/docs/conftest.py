"""A new user's folder with an embedded server's data, and a provider's double that is connected there as a model."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalrouter import EvalRouter
from tests.e2e.provider import Provider

NOT_THE_USERS = ("EVALROUTER_", "OPENAI_", "ANTHROPIC_", "PYTHON")


class NewUser:
    """Runs Python programs in a folder, each in a process of its own, on one embedded server.

    Attributes:
        folder: Where they run.
        mirror: The folder for benchmark data and weights, by sha256.
        environment: Their environment.
        provider: The provider's double.
    """

    def __init__(self, folder: Path, provider: Provider) -> None:
        self.folder = folder
        self.provider = provider
        self.mirror = folder / "mirror"
        self.mirror.mkdir()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(NOT_THE_USERS)} | {
            "EVALROUTER_DATA_DIR": str(folder / "data"),
            "EVALROUTER_MIRROR": str(self.mirror),
        }

    def has(self, sha256: str, file: Path) -> None:
        """Put a file into the mirror."""
        if not (self.mirror / sha256).exists():
            (self.mirror / sha256).symlink_to(file)

    def python(self, *arguments: str | Path, given: str = "") -> str:
        """Run Python, which must succeed and say nothing on stderr but that a run was reused; return its stdout."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        complaints = [line for line in done.stderr.splitlines() if not line.startswith("reused run_")]
        assert (done.returncode, complaints) == (0, []), done.stderr
        return done.stdout


@pytest.fixture(scope="package")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewUser]:
    """A user who has connected the double, as `connection:double` and `connection:other`."""
    with Provider() as provider, pytest.MonkeyPatch.context() as patch:
        new = NewUser(tmp_path_factory.mktemp("user"), provider)
        for name in [name for name in os.environ if name.startswith(NOT_THE_USERS)]:
            patch.delenv(name)
        for name in ("EVALROUTER_DATA_DIR", "EVALROUTER_MIRROR"):
            patch.setenv(name, new.environment[name])
        with EvalRouter() as client:
            for name in ("double", "other"):
                provider.connect(client, name)
            yield new
