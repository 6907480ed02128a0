"""Which registry counts: the user's own file, then the shipped snapshot, then what was fetched last."""

import json
import os
from importlib.resources import files
from pathlib import Path

from attrs import frozen

from evalrouter.agents.registry.entries import Entry, EntryError, Registry, parse_registry
from evalrouter.agents.registry.store import AgentStore, write_whole
from evalrouter.errors import ConfigurationError, NotFoundError

REFRESH_ADDRESS = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
"""Where the registry's aggregate document is published."""

OVERRIDE = "EVALROUTER_AGENT_REGISTRY"
ADDRESS = "EVALROUTER_AGENT_REGISTRY_URL"
_LARGEST_DOCUMENT = 16 * 1024 * 1024
_REFRESHED = "registry.json"


@frozen
class Registries:
    """What is known of agents.

    Attributes:
        override: The user's own file; its agents replace those of the snapshot with the same ID.
        snapshot: What the product ships; its versions are the defaults.
        refreshed: What was fetched last. It adds agents that the snapshot has no source for, and newer versions for
            whoever asks for one; it never changes a default.
    """

    override: Registry
    snapshot: Registry
    refreshed: Registry

    def agents(self) -> list[Entry]:
        """Every agent by ID, in its default version."""
        ids = sorted({*self.override.entries, *self.snapshot.entries, *self.refreshed.entries})
        return [self.default(id_) for id_ in ids]

    def default(self, id_: str) -> Entry:
        """An agent in its default version.

        Args:
            id_: Its exact ID.

        Raises:
            KeyError: There is no such agent.
        """
        if id_ in self.override.entries:
            return self.override.entries[id_]
        shipped, fetched = self.snapshot.entries.get(id_), self.refreshed.entries.get(id_)
        if shipped and (shipped.packages or shipped.binaries or not fetched):
            return shipped
        return self.refreshed.entries[id_]

    def in_version(self, id_: str, version: str) -> Entry:
        """An agent in an exact version: with its hash where one is known, else as the default's source has it.

        Args:
            id_: Its exact ID.
            version: The version.

        Raises:
            KeyError: There is no such agent.
            EntryError: It is not an exact version.
        """
        for registry in (self.override, self.snapshot, self.refreshed):
            entry = registry.entries.get(id_)
            if entry and entry.version == version and (entry.packages or entry.binaries):
                return entry
        return self.default(id_).at_version(version)

    def newer(self, id_: str) -> str | None:
        """Another version of an agent that the last refresh has; None where it has none."""
        fetched = self.refreshed.entries.get(id_)
        return fetched.version if fetched and fetched.version != self.default(id_).version else None


def load_registries(store: AgentStore) -> Registries:
    """The shipped snapshot, with the user's own file and what was fetched last.

    Args:
        store: Where a refresh was kept.

    Raises:
        ConfigurationError: The file that EVALROUTER_AGENT_REGISTRY names cannot be used.
    """
    shipped = files("evalrouter.agents.registry").joinpath("data/snapshot.json").read_text(encoding="utf-8")
    return Registries(_override(), parse_registry(json.loads(shipped), "snapshot"), _kept(store))


def refresh(store: AgentStore) -> Registry:
    """Fetches the registry's aggregate document and keeps it.

    Args:
        store: Where it is kept.

    Raises:
        AgentInstallError: It could not be fetched; what was kept before stays.
        ConfigurationError: What was fetched is not a registry.
    """
    from evalrouter.agents.registry.binary import download

    address = os.environ.get(ADDRESS) or REFRESH_ADDRESS
    store.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    scratch = store.folder / f".{_REFRESHED}.{os.getpid()}"
    try:
        download(address, scratch, _LARGEST_DOCUMENT)
        content = scratch.read_text(encoding="utf-8")
        registry = parse_registry(json.loads(content), "refreshed")
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(
            f"{address} is not a registry: {error}. The one that was there before stays."
        ) from None
    finally:
        scratch.unlink(missing_ok=True)
    write_whole(store.folder / _REFRESHED, content)
    return registry


def find_entry(registries: Registries, name: str) -> Entry:
    """The agent that a name means: an ID, or `id@version`; never a near miss.

    Args:
        registries: What is known of agents.
        name: The name.

    Raises:
        NotFoundError: There is no such agent or version; the nearest IDs are suggested.
    """
    written, separator, version = name.strip().partition("@")
    agents = registries.agents()
    by_name = [agent.id for agent in agents if written.casefold() in (agent.id, agent.name.casefold())]
    id_ = written if any(agent.id == written for agent in agents) else by_name[0] if len(by_name) == 1 else None
    if id_ is None:
        near = _nearest(written, [agent.id for agent in agents])
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise NotFoundError(
            f'There is no registry agent "{written[:60]}".{hint} evalrouter agents list shows them all; '
            "--refresh fetches what is new.",
            suggestions=near,
        )
    if not separator:
        return registries.default(id_)
    try:
        return registries.in_version(id_, version)
    except EntryError as error:
        raise NotFoundError(f"{name[:80]!r}: {error}.") from None


def _nearest(name: str, ids: list[str]) -> list[str]:
    import difflib

    folded = name.casefold()
    contained = [id_ for id_ in ids if folded and (folded in id_ or id_ in folded)]
    return list(dict.fromkeys([*difflib.get_close_matches(folded, ids, n=3), *contained]))[:5]


def _override() -> Registry:
    written = os.environ.get(OVERRIDE)
    if not written:
        return Registry({})
    try:
        registry = parse_registry(json.loads(Path(written).expanduser().read_text(encoding="utf-8")), "override")
    except OSError as error:
        raise ConfigurationError(f"{OVERRIDE}={written} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{OVERRIDE}={written} is not a registry: {error}.") from error
    if registry.skipped:
        raise ConfigurationError(f"{OVERRIDE}={written}: {'; '.join(registry.skipped)}.")
    return registry


def _kept(store: AgentStore) -> Registry:
    try:
        return parse_registry(json.loads((store.folder / _REFRESHED).read_text(encoding="utf-8")), "refreshed")
    except (OSError, ValueError, RecursionError):
        return Registry({})
