"""What the wheels and sdists carry, and what they say of themselves."""

import re
import tomllib

import pytest

from tests.packaging.conftest import CHECKOUT, FOLDERS, Artifacts

PACKAGES = {
    "evalrouter-sdk": {"evalrouter", "evalrouter_api"},
    "evalrouter": {"evalrouter_cli"},
    "evalrouter-server": {"evalrouter_server"},
}
OURS = set(PACKAGES)
LICENCE_TITLE = "Kimpton EvalRouter SDK License"


@pytest.mark.parametrize("distribution", FOLDERS)
def test_wheel_carries_its_packages_and_nothing_else(artifacts: dict[str, Artifacts], distribution: str) -> None:
    tops = {name.split("/")[0] for name in artifacts[distribution].wheel_names}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES[distribution]


@pytest.mark.parametrize("distribution", FOLDERS)
def test_sdist_carries_its_packages_and_nothing_else(artifacts: dict[str, Artifacts], distribution: str) -> None:
    names = artifacts[distribution].sdist_names
    modules = {name.removeprefix("generated/").split("/")[0] for name in names if name.endswith(".py")}
    assert modules == PACKAGES[distribution]
    rest = {name for name in names if name.removeprefix("generated/").split("/")[0] not in PACKAGES[distribution]}
    assert rest - {"CHANGELOG.md", ".gitignore"} == {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}


@pytest.mark.parametrize("distribution", FOLDERS)
def test_every_file_of_a_package_is_in_the_wheel(artifacts: dict[str, Artifacts], distribution: str) -> None:
    roots = [CHECKOUT / "generated", CHECKOUT / FOLDERS[distribution]]
    for package in PACKAGES[distribution]:
        root = next(root for root in roots if (root / package).is_dir())
        wanted = {
            path.relative_to(root).as_posix()
            for path in (root / package).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert wanted <= artifacts[distribution].wheel_names


@pytest.mark.parametrize("distribution", FOLDERS)
def test_licence_is_in_wheel_and_sdist(artifacts: dict[str, Artifacts], distribution: str) -> None:
    built = artifacts[distribution]
    in_wheel = next(name for name in built.wheel_names if name.endswith(".dist-info/licenses/LICENSE"))
    text = (CHECKOUT / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith(LICENCE_TITLE + "\n")
    assert built.read_from_wheel(in_wheel) == built.read_from_sdist("LICENSE") == text


@pytest.mark.parametrize("distribution", FOLDERS)
def test_every_package_is_typed(artifacts: dict[str, Artifacts], distribution: str) -> None:
    for package in PACKAGES[distribution]:
        assert f"{package}/py.typed" in artifacts[distribution].wheel_names


def test_one_version_and_exact_pins_between_the_three(artifacts: dict[str, Artifacts]) -> None:
    versions = {built.metadata["Version"] for built in artifacts.values()}
    assert len(versions) == 1
    (version,) = versions
    for built in artifacts.values():
        for requirement in built.metadata.get_all("Requires-Dist", []):
            name = re.split(r"[^A-Za-z0-9-]", requirement, maxsplit=1)[0]
            if name in OURS:
                assert f"=={version}" in requirement
    assert f"evalrouter-sdk=={version}" in artifacts["evalrouter"].metadata.get_all("Requires-Dist", [])
    assert {built.metadata["Requires-Python"] for built in artifacts.values()} == {"<3.14,>=3.12"}


@pytest.mark.parametrize("distribution", FOLDERS)
def test_metadata_says_whose_it_is(artifacts: dict[str, Artifacts], distribution: str) -> None:
    metadata = artifacts[distribution].metadata
    assert metadata["Name"] == distribution
    assert metadata["License-Expression"] == "LicenseRef-Kimpton-EvalRouter-SDK"
    assert metadata["License-File"] == "LICENSE"


def test_the_lock_names_no_host_and_none_of_ours() -> None:
    lock = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
    names = set(re.findall(r"^([a-z0-9-]+)(?:\[[^]]*\])?==", lock, flags=re.MULTILINE))
    assert "://" not in lock
    assert not any(line.startswith("-") for line in lock.splitlines())
    assert not names & OURS
    assert {"attrs", "fastapi", "typer", "pytest", "sphinx", "uv"} <= names


def test_workspace_sources_cover_our_names() -> None:
    root = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    assert root["tool"]["uv"]["sources"] == {name: {"workspace": True} for name in OURS}
