"""A registry agent that the server runs: here there is nothing of it but its name and version."""

from typing import Any

from attrs import evolve

from evalrouter.agents.agent import Agent, AgentSpec
from evalrouter.agents.registry.agent import RegistryAgent, registry_agent
from evalrouter.errors import InvalidArgumentError


class HostedAgent(Agent):
    """An agent that works on the server.

    Args:
        spec: What a run records of it.
    """

    is_hosted = True

    def __init__(self, spec: AgentSpec) -> None:
        self.name = spec.name
        self.task_seconds = spec.task_seconds
        self._spec = evolve(spec, hosted=True)

    def spec(self) -> AgentSpec:
        """What a run records of this agent."""
        return self._spec

    def run(self, context: Any) -> Any:
        """Works nowhere but on the server.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"{self.name} is hosted: the server runs it")


def hosted_agent(agent: object) -> HostedAgent:
    """The hosted form of an agent.

    Args:
        agent: A registry ID, or a registry agent.

    Raises:
        InvalidArgumentError: It is no agent of the registry, or has variables, files or a policy of its own.
    """
    if isinstance(agent, HostedAgent):
        return agent
    if isinstance(agent, str) and ":" not in agent:
        agent = registry_agent(agent)
    if not isinstance(agent, RegistryAgent):
        named = agent if isinstance(agent, str) else getattr(agent, "name", agent)
        raise InvalidArgumentError(
            f"agent={named!r:.80} cannot be hosted: the server runs agents of the registry alone, by their ID, "
            'as in agent="opencode". Leave hosted out.'
        )
    if agent.is_changed:
        raise InvalidArgumentError(
            f"{agent.name} has env, files or a permission policy of its own, which stay on this machine: a hosted "
            "agent gets the run's gateway and nothing else. Leave them out, or leave hosted out."
        )
    return HostedAgent(agent.spec())
