"""An agent of somebody else's that the server calls over A2A: `remote:my-a2a-agent`."""

from math import isfinite
from typing import Any

from evalrouter.agents.agent import SECONDS_PER_TASK, Agent, AgentSpec
from evalrouter.errors import InvalidArgumentError
from evalrouter.names import checked_name

LONGEST_SECONDS = 86_400.0


class RemoteAgent(Agent):
    """A remote agent; `remote_agent` makes one. Nothing of it works in this process.

    Args:
        connection: The name or exact ID of its connection.
        timeout: The most time for a task, in seconds.
    """

    def __init__(self, connection: str, timeout: float) -> None:
        self.name = connection
        self.task_seconds = timeout

    def run(self, context: Any) -> Any:
        """Is never called: the server calls the agent itself."""
        raise NotImplementedError("the server calls a remote agent itself")

    def spec(self) -> AgentSpec:
        """What is known of it here; the server names exactly what runs, by the connection's ID."""
        return AgentSpec(kind="remote", name=self.name, digest="", task_seconds=self.task_seconds)


def remote_agent(connection: str, *, timeout: float = SECONDS_PER_TASK) -> RemoteAgent:
    """An agent that the server calls over A2A; it brings its own model, so a run with it takes none.

    What it spends is outside the meter: the run's maximum charge is that of the benchmark's judge, 0 where there is
    none, and the run says so (`external_cost`).

    Args:
        connection: The name or exact ID of its connection, as `connections.create_a2a` made it.
        timeout: The most time for a task, in seconds; from 1 to 86,400.

    Raises:
        InvalidArgumentError: An argument is not valid.
    """
    name = checked_name(connection, "connection")
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if not is_number or not isfinite(timeout) or not 1 <= timeout <= LONGEST_SECONDS:
        raise InvalidArgumentError(f"timeout={timeout!r} is not valid: pass seconds, from 1 to {LONGEST_SECONDS:,.0f}.")
    return RemoteAgent(name, float(timeout))
