"""`agents`: the agents of the ACP registry, how far each is checked, and its installation on this machine."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrouter_cli import documents, formats, output
from evalrouter_cli.agent_options import NO_RECIPE
from evalrouter_cli.options import Json, new_group

if TYPE_CHECKING:
    from evalrouter.agents.registry.entries import Entry, Registry
    from evalrouter.agents.registry.sources import Registries
    from evalrouter.agents.registry.store import AgentStore

app = new_group("List the registry's agents, show one, install one.")

Name = Annotated[str, typer.Argument(metavar="AGENT", help="An ID, or ID@VERSION.", show_default=False)]


@app.command("list")
def list_agents(
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Fetch the registry first; default versions stay as they are.")
    ] = False,
    json: Json = False,
) -> None:
    """List the registry's agents: pinned, package-registry or unverified-upstream, which runs only when allowed."""
    store, registries = _load(refresh=refresh)
    found = registries.agents()
    if json:
        listed = (_document(agent, registries, store) for agent in found)
        output.document(documents.items(listed, snapshot_date=registries.snapshot.date))
        return
    output.table(
        ["AGENT", "VERSION", "INTEGRITY", "RECIPE", "INSTALLED", "LICENCE", "NAME"],
        [
            [
                agent.id,
                agent.version or formats.NOTHING,
                agent.integrity,
                "yes" if _has_recipe(agent) else "no",
                "yes" if _is_installed(agent, store) else "no",
                output.printable(agent.licence or formats.NOTHING),
                output.printable(agent.name),
            ]
            for agent in found
        ],
    )
    output.note(f"snapshot of {registries.snapshot.date}")


@app.command("show")
def show_agent(name: Name, json: Json = False) -> None:
    """Show an agent: its source, its licence, how far it is checked, and how it finds the model."""
    from evalrouter.agents.registry.sources import find_entry

    store, registries = _load()
    agent = find_entry(registries, name)
    shown = _document(agent, registries, store)
    if json:
        output.document(shown)
        return
    output.details(
        [
            (label.replace("_", " "), output.printable(_cell(value)))
            for label, value in shown.items()
            if value is not None
        ]
    )
    if not _has_recipe(agent):
        output.note(f"no recipe: {NO_RECIPE}")


@app.command("install")
def install_agent(
    name: Name,
    allow_unverified: Annotated[
        bool, typer.Option("--allow-unverified", help="Also install what nothing was published to compare with.")
    ] = False,
    json: Json = False,
) -> None:
    """Install an agent now; a run installs it by itself when it is first needed."""
    from evalrouter.agents.registry.agent import registry_agent

    agent = registry_agent(name, allow_unverified=allow_unverified)
    installed = agent.prepare(output.note)
    if json:
        output.document(
            {
                "id": agent.entry.id,
                "version": installed.version or agent.entry.version,
                "integrity": agent.entry.integrity,
                "hash": installed.hash,
                "folder": str(installed.files),
                "command": list(installed.argv),
            }
        )
    else:
        output.say(f"{agent.entry.id} {installed.version or agent.entry.version or ''} is in {installed.files}")


def _load(*, refresh: bool = False) -> "tuple[AgentStore, Registries]":
    from evalrouter.agents.registry import sources
    from evalrouter.agents.registry.store import default_store

    store = default_store()
    if refresh:
        _tell_refreshed(sources.refresh(store))
    return store, sources.load_registries(store)


def _tell_refreshed(fetched: "Registry") -> None:
    output.note(f"{formats.count(len(fetched.entries))} agents fetched")
    for reason in fetched.skipped:
        output.note(f"passed over: {output.printable(reason)}")


def _document(agent: "Entry", registries: "Registries", store: "AgentStore") -> documents.Document:
    source = agent.distribution()
    return {
        "id": agent.id,
        "name": agent.name,
        "version": agent.version,
        "newer_version": registries.newer(agent.id),
        "integrity": agent.integrity,
        "licence": agent.licence,
        "description": agent.description or None,
        "source": source.describes if source else None,
        "from": agent.origin,
        "recipe": _has_recipe(agent),
        "installed": _is_installed(agent, store),
    }


def _cell(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _has_recipe(agent: "Entry") -> bool:
    from evalrouter.agents.registry.recipes import RECIPES

    return agent.id in RECIPES


def _is_installed(agent: "Entry", store: "AgentStore") -> bool:
    from evalrouter.agents.registry.install import installed

    return installed(agent, store) is not None
