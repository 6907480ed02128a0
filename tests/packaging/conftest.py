"""The artifacts of the three distributions, built once from this checkout."""

import os
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from functools import cached_property
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDERS = {"evalrouter-sdk": ".", "evalrouter": "cli", "evalrouter-server": "server"}


@dataclass(frozen=True)
class Artifacts:
    """The wheel and the sdist of one distribution."""

    wheel: Path
    sdist: Path

    @cached_property
    def wheel_names(self) -> frozenset[str]:
        with zipfile.ZipFile(self.wheel) as archive:
            return frozenset(archive.namelist())

    @cached_property
    def sdist_names(self) -> frozenset[str]:
        """The files of the sdist, without the folder that holds them all."""
        with tarfile.open(self.sdist) as archive:
            return frozenset(member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile())

    @cached_property
    def metadata(self) -> Message:
        name = next(name for name in self.wheel_names if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(self.read_from_wheel(name))

    def read_from_wheel(self, name: str) -> str:
        with zipfile.ZipFile(self.wheel) as archive:
            return archive.read(name).decode()

    def read_from_sdist(self, name: str) -> str:
        with tarfile.open(self.sdist) as archive:
            member = archive.extractfile(f"{self.sdist.name.removesuffix('.tar.gz')}/{name}")
            assert member is not None
            return member.read().decode()


@pytest.fixture(scope="session")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Artifacts]:
    """Wheel and sdist by distribution name; each wheel is built from its sdist, as an index's users would get it."""
    built = {}
    for distribution, folder in FOLDERS.items():
        out = tmp_path_factory.mktemp(distribution)
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(CHECKOUT / folder)]
        run_outside(*command, cwd=out)
        built[distribution] = Artifacts(wheel=next(out.glob("*.whl")), sdist=next(out.glob("*.tar.gz")))
    return built


def run_outside(*command: str | Path, cwd: Path) -> str:
    """Run a command that must succeed, with nothing of this environment's packages or settings; return its stdout."""
    dropped = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "EVALROUTER_API_KEY", "EVALROUTER_BASE_URL")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    finished = subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd, env=environment)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout
