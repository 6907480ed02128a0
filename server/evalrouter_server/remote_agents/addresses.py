"""From a connection to the address of its agent, with the key."""

import os
from collections.abc import Mapping

from evalrouter_server.remote_agents.address import AgentAddress
from evalrouter_server.remote_agents.failures import AgentUnavailable
from evalrouter_server.secrets import SecretBox
from evalrouter_server.store import connections
from evalrouter_server.store.connections import AgentConnectionRow
from evalrouter_server.store.database import Database


class AddressBook:
    """Knows where remote agents are.

    Args:
        database: Where connections are.
        box: Opens their keys.
        environment: Where other keys are; the process's own by default, read at each look-up.
    """

    def __init__(self, database: Database, box: SecretBox, environment: Mapping[str, str] | None = None) -> None:
        self._database = database
        self._box = box
        self._environment = os.environ if environment is None else environment

    async def connection(self, connection_id: str) -> AgentConnectionRow | None:
        """The connection, unless it was deleted."""
        row = await self._database.read(lambda connection: connections.load_agent(connection, connection_id))
        return None if row is None or row.deleted_at is not None else row

    async def address(self, connection_id: str) -> AgentAddress:
        """The address of a connection's agent.

        Raises:
            AgentUnavailable: The connection was deleted, or its key is missing.
        """
        row = await self.connection(connection_id)
        if row is None:
            raise AgentUnavailable("agent_unavailable", "the connection of the agent was deleted")
        key = None
        if row.key_env is not None:
            key = self._environment.get(row.key_env, "").strip()
            if not key:
                raise AgentUnavailable(
                    "agent_unavailable", f"{row.name} needs {row.key_env} in the server's environment"
                )
        elif row.key_encrypted is not None:
            key = self._box.unseal(row.key_encrypted).decode()
        return AgentAddress(row.name, row.card_url, tuple(row.origins or ()), key, row.key_header)
