"""The wheels in bare environments outside the checkout, with our names never asked of an index."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.conftest import CHECKOUT, FOLDERS, Artifacts, run_outside

UV = Path(sys.executable).parent / "uv"
pytestmark = pytest.mark.timeout(300)


def requirements(artifacts: dict[str, Artifacts], distribution: str, extras: frozenset[str]) -> Iterator[str]:
    """What `distribution[extras]` needs from other makers, through our own distributions too."""
    for text in artifacts[distribution].metadata.get_all("Requires-Dist", []):
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            continue
        if name in FOLDERS:
            yield from requirements(artifacts, name, frozenset(requirement.extras))
        else:
            requirement.marker = None
            yield str(requirement)


def install(folder: Path, artifacts: dict[str, Artifacts], *wanted: str, extras: frozenset[str] = frozenset()) -> Path:
    """Make a bare environment with the wheels of `wanted` and their dependencies at the locked versions."""
    environment = folder / "environment"
    python = environment / "bin" / "python"
    others = {each for distribution in wanted for each in requirements(artifacts, distribution, extras)}
    needed = folder / "requirements.txt"
    needed.write_text("\n".join(sorted(others)), encoding="utf-8")
    lock = CHECKOUT / "requirements.lock"
    run_outside(UV, "venv", "--no-project", "--python", sys.executable, environment, cwd=folder)
    pip = (UV, "pip", "install", "--python", python)
    run_outside(*pip, "--constraints", lock, "--requirements", needed, cwd=folder)
    run_outside(*pip, "--no-deps", "--no-index", *(artifacts[each].wheel for each in wanted), cwd=folder)
    run_outside(UV, "pip", "check", "--python", python, cwd=folder)
    return python


def installed(python: Path) -> set[str]:
    program = "from importlib.metadata import distributions; print(*(each.name for each in distributions()))"
    return {canonicalize_name(name) for name in run_outside(python, "-c", program, cwd=python.parent).split()}


@pytest.fixture(scope="module")
def sdk(artifacts: dict[str, Artifacts], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the SDK alone."""
    return install(tmp_path_factory.mktemp("sdk"), artifacts, "evalrouter-sdk")


@pytest.fixture(scope="module")
def command(artifacts: dict[str, Artifacts], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the command and the SDK that it pins, and no server."""
    return install(tmp_path_factory.mktemp("command"), artifacts, "evalrouter", "evalrouter-sdk")


@pytest.fixture(scope="module")
def local(artifacts: dict[str, Artifacts], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with `evalrouter[local]`: the command, the SDK and the server with its model."""
    return install(tmp_path_factory.mktemp("local"), artifacts, *FOLDERS, extras=frozenset({"local", "model"}))


def test_the_sdk_imports_from_its_wheel(sdk: Path, artifacts: dict[str, Artifacts]) -> None:
    program = "import evalrouter; print(evalrouter.__version__, evalrouter.__file__)"
    version, file = run_outside(sdk, "-c", program, cwd=sdk.parent).split()
    assert version == artifacts["evalrouter-sdk"].metadata["Version"]
    assert Path(file).is_relative_to(sdk.parents[1])


def test_the_sdk_alone_brings_no_server_no_opentelemetry_no_langsmith(sdk: Path) -> None:
    names = installed(sdk)
    assert "evalrouter-sdk" in names
    assert not names & {"evalrouter", "evalrouter-server", "langsmith", "fastapi", "sqlalchemy", "aiohttp", "a2a-sdk"}
    assert not [name for name in names if name.startswith("opentelemetry")]


def test_the_sdk_cannot_import_server_cli_or_tests(sdk: Path) -> None:
    program = (
        "from importlib.util import find_spec; print([name for name in ('evalrouter_server', 'evalrouter_cli', 'tests')"
        " if find_spec(name)])"
    )
    assert run_outside(sdk, "-c", program, cwd=sdk.parent).strip() == "[]"


def test_the_command_says_its_version(command: Path, artifacts: dict[str, Artifacts]) -> None:
    shown = run_outside(command.with_name("evalrouter"), "--version", cwd=command.parent)
    assert artifacts["evalrouter"].metadata["Version"] in shown
    assert "evalrouter-server" not in installed(command)


def test_the_local_extra_brings_the_server(local: Path) -> None:
    assert {*FOLDERS, "xllamacpp"} <= installed(local)
    run_outside(local, "-m", "evalrouter_server", "--help", cwd=local.parent)
