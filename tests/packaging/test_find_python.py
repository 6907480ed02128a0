"""The search for a Python on machines of every kind, with the machine faked by HOME and PATH."""

import subprocess
from pathlib import Path

import pytest

from tests.packaging.conftest import CHECKOUT
from tests.packaging.machines import program, python

SCRIPT = CHECKOUT / "scripts" / "find-python"
SYSTEM = {"/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"}


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with a shell and nothing else: its pyenv shims answer nothing."""
    for name in ("python", "python3", "python3.12", "python3.13", "uv"):
        program(tmp_path / "shims" / name, 'echo "pyenv: command not found" >&2; exit 127')
    return tmp_path


def find(machine: Path, *folders: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the script with only the machine's shims, then `folders`, on PATH."""
    path = ":".join(map(str, [machine / "shims", *folders]))
    environment = {"HOME": str(machine / "home"), "PATH": path, **variables}
    return subprocess.run(["/bin/sh", str(SCRIPT)], capture_output=True, text=True, env=environment, check=False)


def has_system_python() -> bool:
    return any(Path(folder, f"python3.{minor}").exists() for folder in SYSTEM for minor in (12, 13))


def test_pyenv_versions_are_found_behind_shims_that_exit_127(machine: Path) -> None:
    wanted = python(machine / "home/.pyenv/versions/3.13.1/bin/python", 13)
    python(machine / "home/.pyenv/versions/3.12.4/bin/python", 12)
    python(machine / "home/.pyenv/versions/3.11.9/bin/python", 11)
    assert find(machine).stdout.strip() == str(wanted)


def test_pyenv_root_is_honoured(machine: Path) -> None:
    wanted = python(machine / "elsewhere/versions/3.13.0/bin/python", 13)
    assert find(machine, PYENV_ROOT=str(machine / "elsewhere")).stdout.strip() == str(wanted)


def test_a_python_on_path_comes_first(machine: Path) -> None:
    python(machine / "home/.pyenv/versions/3.13.1/bin/python", 13)
    wanted = python(machine / "bin/python3", 13)
    assert find(machine, machine / "bin").stdout.strip() == str(wanted)


@pytest.mark.skipif(has_system_python(), reason="this machine's own Python would be found first")
def test_3_12_will_do_where_there_is_no_3_13(machine: Path) -> None:
    python(machine / "bin/python3.13", 14)
    wanted = python(machine / "bin/python3.12", 12)
    assert find(machine, machine / "bin").stdout.strip() == str(wanted)


@pytest.mark.skipif(has_system_python(), reason="this machine's own Python would be found first")
def test_uv_is_asked_last(machine: Path) -> None:
    wanted = python(machine / "managed/python", 13)
    program(machine / "shims/uv", f'[ "$*" = "python find --no-project 3.13" ] && echo "{wanted}"')
    assert find(machine).stdout.strip() == str(wanted)


def test_a_name_proves_nothing(machine: Path) -> None:
    python(machine / "bin/python3.13", 11)
    python(machine / "bin/python3.12", 13, implementation="pypy")
    assert find(machine, machine / "bin").stdout.strip() not in {str(each) for each in (machine / "bin").iterdir()}


def test_the_override_wins(machine: Path) -> None:
    python(machine / "bin/python3.13", 13)
    wanted = python(machine / "mine/python", 12)
    assert find(machine, machine / "bin", EVALROUTER_PYTHON=str(wanted)).stdout.strip() == str(wanted)


def test_a_wrong_override_is_refused_by_name(machine: Path) -> None:
    python(machine / "bin/python3.13", 13)
    wrong = python(machine / "mine/python", 11)
    found = find(machine, machine / "bin", EVALROUTER_PYTHON=str(wrong))
    assert (found.returncode, found.stdout) == (1, "")
    assert str(wrong) in found.stderr
    assert found.stderr.count("\n") == 1


@pytest.mark.skipif(has_system_python(), reason="this machine's own Python would be found")
def test_none_is_one_clear_sentence(machine: Path) -> None:
    found = find(machine)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.count("\n") == 1
    assert "3.12 or 3.13" in found.stderr
