"""`requirements.lock` covers what the three distributions and the tools ask for, and this environment follows it."""

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.packaging.conftest import CHECKOUT, FOLDERS, run_outside


def locked() -> dict[str, set[str]]:
    """Every version in the lock, by name; a few names have one version for each Python."""
    versions: dict[str, set[str]] = {}
    for line in (CHECKOUT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if "==" in line and line[0].isalnum():
            requirement = Requirement(line.rstrip("\\ "))
            version = str(requirement.specifier).removeprefix("==")
            versions.setdefault(canonicalize_name(requirement.name), set()).add(version)
    return versions


def test_every_direct_requirement_is_met_by_the_lock() -> None:
    wanted: list[str] = []
    for folder in FOLDERS.values():
        document = tomllib.loads((CHECKOUT / folder / "pyproject.toml").read_text(encoding="utf-8"))
        wanted += document["project"]["dependencies"]
        for group in [
            *document["project"].get("optional-dependencies", {}).values(),
            *document.get("dependency-groups", {}).values(),
        ]:
            wanted += group
    versions = locked()
    unmet = []
    for requirement in map(Requirement, wanted):
        name = canonicalize_name(requirement.name)
        if name not in FOLDERS and not any(requirement.specifier.contains(each) for each in versions.get(name, ())):
            unmet.append(str(requirement))
    assert not unmet, "run `make lock`"


def test_this_environment_is_complete() -> None:
    run_outside(Path(sys.executable).with_name("uv"), "pip", "check", "--python", sys.executable, cwd=CHECKOUT)


def test_both_pythons_are_covered() -> None:
    document = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    supported = SpecifierSet(document["project"]["requires-python"])
    assert [minor for minor in range(10, 20) if supported.contains(f"3.{minor}.0")] == [12, 13]
    assert (CHECKOUT / ".python-version").read_text(encoding="utf-8").split() == ["3.13", "3.12"]
