"""The options that say which agent works on a run, and the agent that they become."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from evalrouter_cli import output
from evalrouter_cli.errors import CommandError

if TYPE_CHECKING:
    from evalrouter import Run
    from evalrouter.agents import Agent

LARGEST_FILE = 1024 * 1024
"""Bytes of a --config-file; the SDK's own limit."""

AgentName = Annotated[
    str | None,
    typer.Option(
        "--agent", metavar="AGENT", help="Who works on the tasks: a registry ID, local:COMMAND, or remote:CONNECTION."
    ),
]
Hosted = Annotated[bool, typer.Option("--hosted", help="Run the agent on the server.")]
AllowUnverified = Annotated[
    bool, typer.Option("--allow-unverified", help="Run a registry agent whose files cannot be verified.")
]
Permission = Annotated[
    Literal["allow-in-workdir", "deny", "ask"] | None,
    typer.Option(
        "--permission",
        help="How the agent's requests are answered: allow what stays in its folder (the default), deny, or ask you.",
    ),
]
Env = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME[=VALUE]",
        help="A variable for the agent; NAME alone takes its value from your environment. May be repeated.",
    ),
]
ConfigFile = Annotated[
    list[str] | None,
    typer.Option(
        "--config-file",
        metavar="TARGET=SOURCE",
        help="Give the agent a copy of the file SOURCE as TARGET, a path in its private HOME. May be repeated.",
    ),
]


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """What was said of the agent on the command line.

    Attributes:
        agent: Its name.
        hosted: Whether the server runs it.
        allow_unverified: Whether its files need not be verified.
        permission: How its requests for permission are answered.
        env: Variables, as `NAME` or `NAME=VALUE`.
        config_file: Files, as `TARGET=SOURCE`.
    """

    agent: str | None = None
    hosted: bool = False
    allow_unverified: bool = False
    permission: str | None = None
    env: Sequence[str] | None = None
    config_file: Sequence[str] | None = None

    def argument(self) -> "dict[str, Any]":
        """The keyword argument `agent` for the SDK, made before anything is sent; nothing where there is no agent.

        Raises:
            CommandError: An option does not go with the others, or is not what it must be.
            EvalRouterError: There is no such agent.
        """
        if self.agent is None:
            if self._given():
                raise CommandError(f"{self._given()[0]} is about an agent: name it with --agent")
            return {}
        from evalrouter.agents import choosing

        kind, separator, rest = self.agent.partition(":")
        added = self._added()
        if separator and kind == "local":
            if self.allow_unverified:
                raise CommandError("--allow-unverified is about agents of the registry, and a local one is yours")
            from evalrouter.agents import local_agent

            return {"agent": choosing.find_agent(local_agent(rest.strip(), **added), hosted=self.hosted)}
        if not separator:
            from evalrouter.agents import registry_agent

            chosen = registry_agent(self.agent, allow_unverified=self.allow_unverified, **added)
            _tell_without_recipe(chosen.entry.id, is_told_more=bool(self.env or self.config_file))
            return {"agent": choosing.find_agent(chosen, hosted=self.hosted)}
        given = [name for name in self._given() if name != "--hosted"]
        if given:
            raise CommandError(f"{given[0]} is for agents that run on this machine, and {kind}: is none")
        return {"agent": choosing.find_agent(self.agent, hosted=self.hosted)}

    def again(self, run: "Run") -> "Agent | None":
        """The agent of a run, made anew with these options; None where the run alone tells.

        Args:
            run: The run.

        Raises:
            CommandError: The options are about an agent, and the run has none.
            EvalRouterError: The agent cannot be made.
        """
        if not self._given():
            return None
        if run.agent is None:
            raise CommandError(f"{self._given()[0]} is about an agent, and {run.id} has none")
        from evalrouter.agents.choosing import found_again

        return found_again(run.agent, allow_unverified=self.allow_unverified, **self._added())

    def _given(self) -> list[str]:
        """The options that were used, but for the agent's name."""
        names = [each.name for each in fields(AgentOptions) if each.name != "agent" and getattr(self, each.name)]
        return [f"--{name.replace('_', '-')}" for name in names]

    def _added(self) -> dict[str, Any]:
        permission = {"permission": self.permission} if self.permission else {}
        return permission | {"env": variables(self.env or (), os.environ), "files": files(self.config_file or ())}


def variables(words: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Variables from `NAME=VALUE` and `NAME`; no error ever says a value.

    Args:
        words: The words.
        environment: Where a name alone gets its value.

    Raises:
        CommandError: A name is missing, given twice, or not in the environment.
    """
    found: dict[str, str] = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not name:
            raise CommandError("--env takes NAME=VALUE, or NAME alone; one of them has no name")
        if name in found:
            raise CommandError(f"--env has {name!r} twice")
        if not separator and name not in environment:
            raise CommandError(f"--env {name} takes its value from your environment, where it is not set")
        found[name] = value if separator else environment[name]
    return found


def files(words: Sequence[str]) -> dict[str, str]:
    """Files' contents by target, from `TARGET=SOURCE`.

    Args:
        words: The words.

    Raises:
        CommandError: It is not of that form, a target comes twice, or a source cannot be read as text.
    """
    found: dict[str, str] = {}
    for word in words:
        target, separator, source = word.partition("=")
        if not separator or not target or not source:
            raise CommandError(f"--config-file takes TARGET=SOURCE, not {word!r}")
        if target in found:
            raise CommandError(f"--config-file has {target!r} twice")
        found[target] = _content(Path(source).expanduser())
    return found


def _content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise CommandError(f"--config-file: {path} cannot be read: {error.strerror}") from error
    if len(content) > LARGEST_FILE:
        raise CommandError(f"--config-file: {path} has more than {LARGEST_FILE:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise CommandError(f"--config-file: {path} is not text in UTF-8") from error


def _tell_without_recipe(name: str, *, is_told_more: bool) -> None:
    from evalrouter.agents.registry.recipes import RECIPES

    if name not in RECIPES and not is_told_more:
        output.note(f"{name} has no recipe: {NO_RECIPE}")


NO_RECIPE = (
    "it gets OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL, ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN and "
    "ANTHROPIC_MODEL. If it reads others, give them: --env NAME=VALUE, --config-file TARGET=SOURCE (in Python env= and "
    "files= of agents.registry_agent)"
)
"""What an agent without a recipe gets, and how to give it more."""
