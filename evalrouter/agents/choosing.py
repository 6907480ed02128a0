"""From what a caller passes as `agent=` to an `Agent`: the one place that knows the forms of its text."""

from evalrouter.agents.agent import Agent
from evalrouter.errors import InvalidArgumentError


def find_agent(agent: object) -> Agent:
    """The agent that is meant.

    Args:
        agent: An `Agent`, a registry ID (`opencode`, `opencode@1.2`), or `local:` with a command line.

    Raises:
        InvalidArgumentError: It is none of these.
    """
    if isinstance(agent, Agent):
        return agent
    if isinstance(agent, type) and issubclass(agent, Agent):
        raise InvalidArgumentError(f"agent={agent.__name__} is a class: pass an object, agent={agent.__name__}().")
    if not isinstance(agent, str) or not agent.strip():
        raise InvalidArgumentError(
            f"agent={str(agent)[:60]!r} is not an agent: pass an object of a class made from agents.Agent, a "
            "registry ID, or local: with a command line."
        )
    kind, separator, rest = agent.partition(":")
    if separator and kind == "local":
        from evalrouter.agents.acp.local import local_agent  # needs agent-client-protocol

        return local_agent(rest.strip())
    if not separator:
        from evalrouter.agents.registry.agent import registry_agent

        return registry_agent(agent)
    raise InvalidArgumentError(
        f"agent={agent[:200]!r} names a {kind}: agent, which this version cannot start: pass an agents.Agent object."
    )
