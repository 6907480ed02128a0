"""Installing a PyPI package at its exact version into an environment of its own, from wheels only."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from evalrouter.agents.agent import Progress
from evalrouter.agents.registry.entries import Package
from evalrouter.agents.registry.recipes import Recipe
from evalrouter.agents.registry.store import Installed
from evalrouter.agents.registry.tools import AgentInstallError, run_tool


def install_pypi(package: Package, recipe: Recipe | None, folder: Path, progress: Progress) -> Installed:
    """Installs a package into a folder, with uv where there is one, else with pip.

    Args:
        package: The package, with its version.
        recipe: The agent's recipe, if it has one.
        folder: An empty folder, which is not moved afterwards.
        progress: Told what is going on.

    Raises:
        AgentInstallError: There is neither uv nor pip, or they failed.
    """
    wanted = f"{package.name}=={package.version}" if package.version else package.name
    environment = folder / "venv"
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    python = programs / ("python.exe" if os.name == "nt" else "python")
    uv = find_uv()
    progress(f"Installing {wanted} from PyPI with {'uv' if uv else 'pip'}")
    what = f"installing {wanted}"
    if uv:
        run_tool([uv, "venv", "--quiet", "--python", sys.executable, str(environment)], folder, what)
        run_tool([uv, "pip", "install", "--quiet", "--no-build", "--python", str(python), wanted], folder, what)
        frozen = run_tool([uv, "pip", "freeze", "--quiet", "--python", str(python)], folder, what)
    else:
        if find_spec("ensurepip") is None:
            raise AgentInstallError(
                f"{package.describes} needs uv, or a Python with venv and pip, to be installed: install uv, or your "
                "system's package for venv (python3-venv on Debian)."
            )
        run_tool([sys.executable, "-m", "venv", str(environment)], folder, what)
        pip = [str(python), "-m", "pip"]
        run_tool([*pip, "install", "--quiet", "--only-binary", ":all:", wanted], folder, what)
        frozen = run_tool([*pip, "freeze"], folder, what)
    (folder / "requirements.txt").write_text(frozen, encoding="utf-8")
    names = [each for each in (recipe.program if recipe else None, package.command, package.name) if each]
    for name in names:
        program = programs / (f"{name}.exe" if os.name == "nt" else name)
        if program.is_file():
            return Installed((str(program),), hash=None, version=_version(frozen, package.name))
    raise AgentInstallError(f"{package.describes} has no program {names[0]}.")


def find_uv() -> str | None:
    """The uv that is named by the variable UV, on the path, or beside this Python; None where there is none."""
    beside = Path(sys.executable).parent / ("uv.exe" if os.name == "nt" else "uv")
    return os.environ.get("UV") or shutil.which("uv") or (str(beside) if beside.is_file() else None)


def _version(frozen: str, name: str) -> str | None:
    """The version of a package in the output of `pip freeze`."""
    wanted = _folded(name)
    for line in frozen.splitlines():
        package, separator, version = line.partition("==")
        if separator and _folded(package) == wanted:
            return version.strip()
    return None


def _folded(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(".", "-")
