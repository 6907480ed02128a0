"""What `scripts/setup` does before it installs anything, in a copy of the checkout's outline on a faked machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.conftest import CHECKOUT
from tests.packaging.machines import program, python

NEEDED = (
    "scripts/setup",
    "scripts/find-python",
    "requirements.lock",
    "pyproject.toml",
    "cli/pyproject.toml",
    "server/pyproject.toml",
)
TOOLS = ("sh", "cat", "cksum", "dirname", "pwd", "rm", "awk", "mkdir", "cp", "chmod")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with a few Unix tools and a copy of the files that the set-up reads."""
    (tmp_path / "tools").mkdir()
    for tool in TOOLS:
        (tmp_path / "tools" / tool).symlink_to(shutil.which(tool) or pytest.skip(f"this machine has no {tool}"))
    for name in NEEDED:
        copy = tmp_path / "checkout" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, copy)
    return tmp_path


def set_up(machine: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(machine / "home"), "PATH": f"{machine / 'bin'}:{machine / 'tools'}", **variables}
    script = machine / "checkout/scripts/setup"
    return subprocess.run([script], capture_output=True, text=True, env=environment, cwd=machine, check=False)


def with_uv(machine: Path) -> Path:
    """Give the machine a Python and a uv that writes down how it is called and makes environments that answer."""
    interpreter = python(machine / "bin/python3.13", 13)
    log = machine / "uv.log"
    program(
        machine / "bin/uv",
        f'echo "$*" >>"{log}"; env_seen="${{VIRTUAL_ENV-}}${{PYTHONPATH-}}"; [ -z "$env_seen" ] || exit 3\n'
        f'for last; do :; done; [ "$1" != venv ] || {{ mkdir -p "$last/bin"; cp "{interpreter}" "$last/bin/python"; }}',
    )
    return log


def test_no_python_is_one_sentence(machine: Path) -> None:
    program(machine / "bin/python3", "exit 127")
    done = set_up(machine, EVALROUTER_PYTHON="python3")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "EVALROUTER_PYTHON is python3" in done.stderr


def test_debian_without_venv_is_told_which_package_to_install(machine: Path) -> None:
    python(machine / "bin/python3.13", 13)
    done = set_up(machine)
    assert done.returncode == 1
    assert "python3-venv" in done.stderr.splitlines()[-1]
    assert not (machine / "checkout/.venv").exists()


def test_everything_is_hashed_and_ours_comes_from_the_checkout(machine: Path) -> None:
    log = with_uv(machine)
    done = set_up(machine, VIRTUAL_ENV="/elsewhere", PYTHONPATH="/elsewhere")
    assert done.returncode == 0, done.stderr
    installs = [line for line in log.read_text().splitlines() if line.startswith("pip install")]
    assert ["--require-hashes" in line for line in installs] == [True, False]
    assert installs[1].endswith("--no-deps --no-index --no-build-isolation -e . -e ./cli -e ./server")


def test_a_second_call_does_nothing_until_something_changes(machine: Path) -> None:
    log = with_uv(machine)
    assert set_up(machine).returncode == 0
    before = log.read_text()
    assert set_up(machine).returncode == 0
    assert log.read_text() == before
    with (machine / "checkout/requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert set_up(machine).returncode == 0
    assert log.read_text().count("--require-hashes") == 2
    assert log.read_text().count("venv --quiet") == 1


def test_a_set_up_that_failed_is_done_again(machine: Path) -> None:
    log = with_uv(machine)
    assert set_up(machine).returncode == 0
    with (machine / "checkout/pyproject.toml").open("a") as project:
        project.write("# changed\n")
    working = (machine / "bin/uv").read_text()
    program(machine / "bin/uv", '[ "$1" = --version ]')
    assert set_up(machine).returncode != 0
    (machine / "bin/uv").write_text(working)
    assert set_up(machine).returncode == 0
    assert log.read_text().count("--require-hashes") == 2


def test_the_scripts_are_executable() -> None:
    assert all(os.access(CHECKOUT / name, os.X_OK) for name in ("scripts/setup", "scripts/find-python", ".ci/run"))
