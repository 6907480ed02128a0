"""From what a caller passes as `agent=` to an `Agent`: the one place that knows the forms of its text."""

from typing import Any

from evalrouter.agents.agent import Agent
from evalrouter.agents.remote import RemoteAgent, remote_agent
from evalrouter.errors import InvalidArgumentError
from evalrouter.types import AgentRef


def find_agent(agent: object, *, hosted: bool = False) -> Agent:
    """The agent that is meant.

    Args:
        agent: An `Agent`, a registry ID (`opencode`, `opencode@1.2`), `local:` with a command line, or `remote:` with
            a connection's name.
        hosted: Whether the server is to run it.

    Raises:
        InvalidArgumentError: It is none of these.
    """
    if hosted:
        from evalrouter.agents.hosted.agent import hosted_agent

        return hosted_agent(agent)
    if isinstance(agent, Agent):
        return agent
    if isinstance(agent, type) and issubclass(agent, Agent):
        raise InvalidArgumentError(f"agent={agent.__name__} is a class: pass an object, agent={agent.__name__}().")
    if not isinstance(agent, str) or not agent.strip():
        raise InvalidArgumentError(
            f"agent={str(agent)[:60]!r} is not an agent: pass an object of a class made from agents.Agent, a "
            "registry ID, local: with a command line, or remote: with a connection's name."
        )
    kind, separator, rest = agent.partition(":")
    if separator and kind == "local":
        from evalrouter.agents.acp.local import local_agent  # needs agent-client-protocol

        return local_agent(rest.strip())
    if separator and kind == "remote":
        return remote_agent(rest.strip())
    if not separator:
        from evalrouter.agents.registry.agent import registry_agent

        return registry_agent(agent)
    raise InvalidArgumentError(
        f"agent={agent[:200]!r} names a {kind}: agent, which this version cannot start: pass an agents.Agent object."
    )


def agent_of(recorded: AgentRef | None, given: Agent | None) -> Agent | None:
    """The agent that goes on with a quote or a run.

    Args:
        recorded: What the quote or the run says of its agent.
        given: What the caller gave, or started it with.

    Returns:
        None where none works in this process: there is no agent, or the server runs it.

    Raises:
        InvalidArgumentError: It is missing and cannot be found again, or is another one.
    """
    if recorded is None:
        if given is not None:
            raise InvalidArgumentError("agent= was given, and there is no agent in this quote or run: leave it out.")
        return None
    if recorded.hosted:
        if given is not None and given.spec().digest != recorded.digest:
            raise InvalidArgumentError(f'agent= is another agent than "{recorded.name}", which the server runs.')
        return None
    if given is not None and given.is_hosted:
        raise InvalidArgumentError(f'"{recorded.name}" of this quote or run works on your machine, not hosted.')
    agent = given or found_again(recorded)
    spec = agent.spec()
    if spec.kind == recorded.kind == "remote" and spec.name in (recorded.name, recorded.digest):
        return agent
    if (spec.kind, spec.digest) != (recorded.kind, recorded.digest):
        if given is None:
            raise InvalidArgumentError(
                f'The agent "{recorded.name}" of this run is not what its command or name alone starts: it had '
                "variables, files or a permission policy of its own, or its files have changed since. Give the same "
                "again: agent= with the env=, files= and permission= that it was made with (--env, --config-file, "
                "--permission on the command line)."
            )
        raise InvalidArgumentError(
            f'agent= is another agent, or another version of it, than the "{recorded.name}" that was quoted: '
            f"its digest is {spec.digest[:19]}, not {recorded.digest[:19]}. Start a new run with it."
        )
    return agent


def found_again(recorded: AgentRef, *, allow_unverified: bool = False, **options: Any) -> Agent:
    """The agent that a run says it has, made anew.

    Args:
        recorded: What the run says of it.
        allow_unverified: Whether a registry agent may be one that nothing was published to compare with.
        **options: What `local_agent` or `registry_agent` is to be given beside its name, as when it was first made.

    Raises:
        InvalidArgumentError: It is written in Python, and only its object can go on; or an option is wrong.
    """
    if recorded.kind == "local" and recorded.command is not None:
        from evalrouter.agents.acp.local import local_agent

        return local_agent(recorded.command, **options)
    if recorded.kind == "remote":
        if allow_unverified or any(options.values()):
            raise InvalidArgumentError(
                f'The agent "{recorded.name}" is a remote one, and takes no variables, files or permission policy.'
            )
        return remote_agent(recorded.name)
    if recorded.kind == "registry":
        from evalrouter.agents.registry.agent import registry_agent

        is_exact = recorded.version not in (None, "unknown")
        name = f"{recorded.name}@{recorded.version}" if is_exact else recorded.name
        return registry_agent(name, allow_unverified=allow_unverified, **options)
    raise InvalidArgumentError(
        f'The agent "{recorded.name}" is written in Python, so its tasks go on where its object is: pass it, as in '
        "client.runs.resume(run_id, agent=...)."
    )


def works_here(agent: Agent | None) -> bool:
    """Whether an agent works in this process, rather than the server with it or without one."""
    return agent is not None and not agent.is_hosted and not isinstance(agent, RemoteAgent)
