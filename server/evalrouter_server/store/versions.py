"""Which version of the package a database belongs to: servers and workers of others do not work on it."""

from packaging.version import Version
from sqlalchemy import Connection

from evalrouter_server.store import instances, settings
from evalrouter_server.store.migrate import revision
from evalrouter_server.store.migrations import HEAD

VERSION = "version"
"""The name of the setting."""


class VersionSkew(RuntimeError):
    """The database belongs to another version of the package."""


def take_over(connection: Connection, version: str) -> None:
    """Let the database belong to this version, as a server does when it starts.

    Args:
        connection: Within a transaction.
        version: The server's.

    Raises:
        VersionSkew: Processes of a newer version work on it.
    """
    newer = [each for each in instances.live(connection) if Version(each.version) > Version(version)]
    if newer:
        raise VersionSkew(
            f"version {newer[0].version} works on this database ({newer[0].kind} {newer[0].name}) and this is version "
            f"{version}: install {newer[0].version}, or stop those first"
        )
    settings.put(connection, VERSION, version)


def skew(connection: Connection, version: str) -> str | None:
    """Why a process of this version may not work on the database; None where it may."""
    found = revision(connection)
    if found != HEAD:
        return (
            f"the database's schema is {found or 'not there yet'} and version {version} needs {HEAD}: start a server "
            "of this version first, which brings the database to it, or install the version that works on the database"
        )
    theirs = settings.read(connection, VERSION)
    if theirs != version:
        return (
            f"the database belongs to version {theirs or 'none yet'} and this is version {version}: servers and workers"
            " have the same version; install it, or start a server of this one first"
        )
    return None
