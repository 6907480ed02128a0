"""Becoming one of the processes that work on a PostgreSQL database: same schema, same version, same secret."""

import base64
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from sqlalchemy import Connection

from evalrouter_server.engine.presence import Presence
from evalrouter_server.engine.turns import Turns
from evalrouter_server.secrets import SECRET_VARIABLE, SecretBox
from evalrouter_server.settings import Settings
from evalrouter_server.store import instances, settings, slots, versions
from evalrouter_server.store.database import Database
from evalrouter_server.store.instances import Kind

logger = logging.getLogger(__name__)

SEALED = "sealed_with_secret"
"""The name of the setting that only the right secret opens."""


@dataclass(frozen=True, slots=True)
class Membership:
    """A process's part in the work on a database.

    Attributes:
        presence: The process among the others.
        turns: The queue.
    """

    presence: Presence
    turns: Turns

    @classmethod
    @asynccontextmanager
    async def joined(
        cls,
        told: Settings,
        kind: Kind,
        version: str,
        box: SecretBox,
        database: Database,
        on_skew: Callable[[], None],
    ) -> "AsyncIterator[Membership]":
        """Join; a server brings the database to its version and sets the limits first.

        Args:
            told: The process's settings.
            kind: What it is.
            version: The package's version.
            box: What stored secrets are encrypted with.
            database: The database, migrated.
            on_skew: Told when the database has come to belong to another version.

        Raises:
            VersionSkew: The database belongs to another version.
            ValueError: The secret is not that of the others.
        """
        if kind == "server":
            await database.write(lambda conn: versions.take_over(conn, version))
        async with AsyncExitStack() as opened:
            presence = await opened.enter_async_context(Presence.joined(told.database_url, kind, version, on_skew))
            await database.write(lambda conn: _check_secret(conn, box, kind, presence.id))
            if kind == "server":
                limits = slots.Limits(told.workspace_concurrency, told.provider_concurrency)
                await database.write(lambda conn: slots.write_limits(conn, limits))
            turns = await opened.enter_async_context(Turns.opened(told.database_url))
            yield cls(presence, turns)


def _check_secret(connection: Connection, box: SecretBox, kind: Kind, me: str) -> None:
    """See that what others have sealed can be opened here; a lone server may have got a new secret."""
    kept = settings.read(connection, SEALED)
    if kept is not None and box.opens(base64.b64decode(kept)):
        return
    if kind == "worker" or (kept is not None and any(each.id != me for each in instances.live(connection))):
        raise ValueError(
            "the secret is not that of the servers on this database: give all of them and the workers the same"
            f" {SECRET_VARIABLE}"
        )
    if kept is not None:
        logger.warning("the secret has changed: the endpoint keys that were stored must be given again")
    settings.put(connection, SEALED, base64.b64encode(box.seal(b"evalrouter")).decode())
