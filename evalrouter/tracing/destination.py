"""Where traces go: the four environment variables of a trace connection."""

import os
from collections.abc import Mapping

from attrs import field, frozen

from evalrouter.endpoints import checked_key, checked_url
from evalrouter.errors import ConfigurationError

VARIABLES = {
    "base_url": "EVALROUTER_BASE_URL",
    "workspace_id": "EVALROUTER_WORKSPACE_ID",
    "connection_id": "EVALROUTER_TRACE_CONNECTION_ID",
    "key": "EVALROUTER_TRACE_KEY",
}


@frozen
class Destination:
    """A trace connection and the restricted key that can only send to it.

    Attributes:
        base_url: The server's root.
        workspace_id: The connection's workspace.
        connection_id: The connection.
        key: The key.
    """

    base_url: str
    workspace_id: str
    connection_id: str
    key: str = field(repr=False)


def find_destination(environment: Mapping[str, str] = os.environ, needed_by: str = "TraceCapture") -> Destination:
    """The connection that the environment names.

    Args:
        environment: The environment variables.
        needed_by: Who sends, as the error names it.

    Raises:
        ConfigurationError: A variable is missing, or one is not what it should be.
    """
    missing = [name for name in VARIABLES.values() if not environment.get(name, "").strip()]
    if missing:
        raise ConfigurationError(
            f"{needed_by} needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not set: make a "
            "connection of kind trace, which prints all four once, and supply them to this process as environment "
            "variables."
        )
    values = {attribute: environment[name].strip() for attribute, name in VARIABLES.items()}
    for attribute in ("workspace_id", "connection_id"):
        if not values[attribute].isascii() or not values[attribute].replace("_", "").replace("-", "").isalnum():
            raise ConfigurationError(f"{VARIABLES[attribute]}={values[attribute]!r} is not an ID such as conn_01h2.")
    return Destination(
        checked_url(values["base_url"]), values["workspace_id"], values["connection_id"], checked_key(values["key"])
    )
