"""Facts about the installation, by name."""

from sqlalchemy import Connection, select

from evalrouter_server.store.rows import insert_unless_there
from evalrouter_server.store.tables import settings


def read(connection: Connection, key: str) -> str | None:
    """A setting's value, or None."""
    value: str | None = connection.scalar(select(settings.c.value).where(settings.c.key == key))
    return value


def claim(connection: Connection, key: str, value: str) -> bool:
    """Set a value unless there is one; of several that try at once, one succeeds.

    Returns:
        Whether it was set.
    """
    return insert_unless_there(connection, settings, {"key": key, "value": value})


def put(connection: Connection, key: str, value: str) -> None:
    """Set a value, whatever it was."""
    if not claim(connection, key, value):
        connection.execute(settings.update().where(settings.c.key == key).values(value=value))
