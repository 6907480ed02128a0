"""What an agent needs in the sandbox: it is installed outside, and what is to be shown inside is named."""

import os
import re
import sys
from importlib import metadata, util
from pathlib import Path
from typing import Any

from evalrouter.agents.registry.agent import registry_agent
from evalrouter.agents.registry.sources import OVERRIDE
from evalrouter.agents.registry.store import default_store

MODULES = "/host"
"""Where the SDK and what it needs are in the sandbox."""

_OWN = ("evalrouter", "evalrouter_api")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHOWN_TO_ALL = 0o755


def prepare(name: str, *, allow_unverified: bool) -> dict[str, Any]:
    """Installs an agent, and says what it needs.

    Args:
        name: The agent's ID with its version.
        allow_unverified: Whether its files need not be verified.

    Returns:
        `shown`: a path inside for each path outside that is to be seen, read-only; `environment`: the host's variables.

    Raises:
        EvalRouterError: There is no such agent, or it cannot be installed.
    """
    agent = registry_agent(name, allow_unverified=allow_unverified)
    installed = agent.prepare(lambda text: print(text, file=sys.stderr))
    store = default_store()
    place = store.folder / agent.entry.id
    for folder in (place, installed.files):
        folder.chmod(_SHOWN_TO_ALL)  # in the sandbox of a server that is root the agent is nobody
    shown = {str(place): str(place)}
    environment = {"EVALROUTER_AGENTS_DIR": str(store.folder), "PYTHONPATH": MODULES}
    override = os.environ.get(OVERRIDE)
    if override:
        path = str(Path(override).expanduser().absolute())
        shown[path], environment[OVERRIDE] = path, path
    if (refreshed := store.folder / "registry.json").is_file():
        shown[str(refreshed)] = str(refreshed)
    for word in installed.argv:
        program = Path(word)
        if program.is_absolute() and not program.is_relative_to(place) and not program.is_relative_to("/usr"):
            shown[str(program.resolve())] = str(program)
    return {"shown": shown | _modules(), "environment": environment}


def _modules() -> dict[str, str]:
    """The SDK and the packages that it needs, and nothing that lies beside them, such as the server."""
    places: dict[str, Path] = {}
    for distribution in _needed():
        for file in distribution.files or ():
            top = file.parts[0]
            if top.endswith(".pth") or top in ("..", "__pycache__"):
                continue
            places[top] = Path(str(distribution.locate_file(top)))
    for name in _OWN:
        found = util.find_spec(name)
        if found is not None and found.origin is not None:
            places[name] = Path(found.origin).parent
    return {str(place.resolve()): f"{MODULES}/{name}" for name, place in places.items() if place.exists()}


def _needed() -> list[metadata.Distribution]:
    """The distributions that the SDK needs, with all that they need."""
    found: dict[str, metadata.Distribution] = {}
    ahead = ["evalrouter-sdk"]
    while ahead:
        name = ahead.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            found[key] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # needed elsewhere, such as on another system
        for requirement in found[key].requires or ():
            if "extra ==" not in requirement and (match := _NAME.match(requirement)):
                ahead.append(match[0])
    return list(found.values())
