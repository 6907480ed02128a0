"""Every package of the lock may be used by anybody: its own metadata names a permissive licence."""

import re
import tomllib
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PERMISSIVE = re.compile(
    r"\b(MIT|BSD|0BSD|Apache|PSF|Python Software Foundation|MPL|Mozilla|ISC|Unlicense|Zlib|CC0)\b",
    re.IGNORECASE,
)
COPYLEFT = re.compile(r"\b[AL]?GPL", re.IGNORECASE)
READ = {
    "agent-client-protocol": ("LICENSE", "Apache License"),
    "docutils": ("COPYING.rst", "public domain"),
}
"""Packages whose metadata names none, or one of what is not installed: the file that says it, and what it says."""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> set[str]:
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    return {canonical(line.partition("==")[0]) for line in lines if re.match(r"[A-Za-z0-9._-]+==", line)}


INSTALLED = {name: each for each in distributions() if (name := canonical(each.name)) in locked()}


def licence_of(package: Distribution) -> str:
    """What the metadata says: the expression, else the classifiers, else the free text."""
    metadata = package.metadata
    stated = metadata.get_all("License-Expression") or [
        line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier") or [] if line.startswith("License")
    ]
    return "; ".join(stated or metadata.get_all("License") or [])[:200]


@pytest.mark.parametrize("name", sorted(INSTALLED))
def test_a_package_is_permissive(name: str) -> None:
    package = INSTALLED[name]
    if name in READ:
        file, says = READ[name]
        (text,) = [Path(each.locate()).read_text("utf-8") for each in package.files or () if each.name == file]
        assert says.lower() in text.lower()
        return
    licence = licence_of(package)
    assert PERMISSIVE.search(licence), f"{name}: {licence or 'no licence in its metadata'}"
    assert not COPYLEFT.search(licence), f"{name}: {licence}"


def test_the_strands_extra_pins_strands_and_the_base_has_none() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extra = project["optional-dependencies"]["strands"]
    assert any(re.fullmatch(r"strands-agents>=1\.\d+,<1\.\d+", each) for each in extra)
    assert not any("strands" in each or "opentelemetry" in each for each in project["dependencies"])
