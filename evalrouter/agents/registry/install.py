"""From an entry to an agent that is on this machine."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

from attrs import asdict

from evalrouter.agents.agent import Progress, silent
from evalrouter.agents.registry.binary import install_binary
from evalrouter.agents.registry.entries import Distribution, Entry, Package, this_platform
from evalrouter.agents.registry.npm import install_npm
from evalrouter.agents.registry.pypi import install_pypi
from evalrouter.agents.registry.recipes import RECIPES
from evalrouter.agents.registry.store import AgentStore, Installed
from evalrouter.agents.registry.tools import AgentInstallError


def checked_distribution(entry: Entry) -> Distribution:
    """Where the agent comes from on this machine.

    Args:
        entry: The agent.

    Raises:
        AgentInstallError: There is nothing for this machine.
    """
    chosen = entry.distribution()
    if chosen is not None:
        return chosen
    offered = ", ".join(sorted(each.platform for each in entry.binaries))
    reason = f"there is one for {offered} only" if offered else "none is known"
    raise AgentInstallError(
        f"{entry.id} has no download for {this_platform()}: {reason}. evalrouter agents list --refresh fetches the "
        "registry; or give a source in a registry file of your own (EVALROUTER_AGENT_REGISTRY)."
    )


def installation_key(entry: Entry) -> str:
    """Names exactly what is installed: the agent, its version, its source, and what that is compared with.

    Args:
        entry: The agent.
    """
    source = entry.distribution()
    return json.dumps([entry.id, entry.version, asdict(source) if source else None], sort_keys=True)


def installed(entry: Entry, store: AgentStore) -> Installed | None:
    """The agent as it is on this machine; None where it is not installed.

    Args:
        entry: The agent.
        store: Where installed agents are.
    """
    return store.find(entry.id, installation_key(entry))


def install(entry: Entry, store: AgentStore, progress: Progress = silent) -> Installed:
    """Installs an agent, where it is not there yet.

    Args:
        entry: The agent.
        store: Where installed agents are.
        progress: Told what is going on.

    Raises:
        AgentInstallError: It cannot be installed; nothing of it is left that would be used.
    """
    source = checked_distribution(entry)
    recipe = RECIPES.get(entry.id)

    def fill(folder: Path) -> Installed:
        if isinstance(source, Package):
            installer = install_npm if source.kind == "npx" else install_pypi
            return installer(source, recipe, folder, progress)
        return install_binary(source, folder, progress)

    facts = {
        "agent": entry.id,
        "source": source.describes,
        "integrity": source.integrity,
        "installed_at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
    }
    try:
        return store.get(entry.id, installation_key(entry), fill, facts)
    except OSError as error:
        free = shutil.disk_usage(store.folder if store.folder.is_dir() else Path.home()).free
        raise AgentInstallError(
            f"{entry.id} could not be installed in {store.folder}: {error.strerror or error} ({free // 2**20:,} MiB "
            "are free there). EVALROUTER_AGENTS_DIR names another folder."
        ) from error
