"""This process among those that work on its PostgreSQL database: it says that it lives, by a connection of its own."""

import asyncio
import contextlib
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sqlalchemy import URL, Connection, text
from sqlalchemy.pool import NullPool

from evalrouter_server.ids import new_id
from evalrouter_server.store import instances, versions
from evalrouter_server.store.database import normalise_url
from evalrouter_server.store.instances import SECONDS_BETWEEN_BEATS, Kind
from evalrouter_server.store.versions import VersionSkew

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

log = logging.getLogger(__name__)

SECONDS_PER_BEAT = 5.0
"""How long the database may take to hear that this process lives."""

SURE_FOR_SECONDS = 6.0
"""How long after a beat nobody can take this process for dead, however late the next one comes."""


@dataclass(frozen=True, slots=True)
class _Identity:
    id: str
    lock_number: int

    @classmethod
    def new(cls) -> Self:
        return cls(new_id("inst"), secrets.randbits(62))


class Presence:
    """Says every two seconds that this process lives. One that others took for dead goes on as another instance.

    Use `joined`.

    Args:
        url: The database.
        kind: What the process is.
        version: The package's version.
        on_skew: Told when the database has come to belong to another version.

    Attributes:
        skew: Why this process may not work on the database any more; None where it may.
    """

    def __init__(self, url: URL, kind: Kind, version: str, on_skew: Callable[[], None]) -> None:
        from sqlalchemy.ext.asyncio import create_async_engine

        self._engine: AsyncEngine = create_async_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        self._kind = kind
        self._version = version
        self._on_skew = on_skew
        self._identity = _Identity.new()
        self._is_registered = False
        self._connection: AsyncConnection | None = None
        self._beating = asyncio.Lock()
        self._last_beat = float("-inf")
        self.skew: str | None = None

    @classmethod
    @asynccontextmanager
    async def joined(cls, url: str | URL, kind: Kind, version: str, on_skew: Callable[[], None]) -> AsyncIterator[Self]:
        """Be one of the processes of a database.

        Raises:
            VersionSkew: The database belongs to another version.
        """
        presence = cls(normalise_url(url), kind, version, on_skew)
        beats: asyncio.Task[None] | None = None
        try:
            await presence._beat()
            if presence.skew is not None:
                raise VersionSkew(presence.skew)
            beats = asyncio.create_task(presence._go_on(), name="heartbeat")
            yield presence
        finally:
            if beats is not None:
                beats.cancel()
                await asyncio.wait([beats])
            await presence._leave()

    @property
    def id(self) -> str:
        """This instance's ID at present."""
        return self._identity.id

    @property
    def is_sure(self) -> bool:
        """Whether nobody can have taken this process for dead."""
        return asyncio.get_running_loop().time() - self._last_beat < SURE_FOR_SECONDS

    async def owner(self) -> str:
        """This instance's ID; where the last beat is too long ago, after another one.

        Raises:
            OSError: The database cannot be reached.
        """
        if not self.is_sure:
            await self._beat()
        return self._identity.id

    async def _go_on(self) -> None:
        trouble = False
        while True:
            try:
                async with asyncio.timeout(SECONDS_PER_BEAT):
                    await self._beat()
                trouble = False
            except Exception as error:
                if not trouble:
                    log.warning("the database does not hear that this process lives, trying on: %r", error)
                trouble = True
            await asyncio.sleep(SECONDS_BETWEEN_BEATS)

    async def _beat(self) -> None:
        began = asyncio.get_running_loop().time()
        async with self._beating:
            if self._last_beat >= began:
                return
            began = asyncio.get_running_loop().time()
            try:
                connection = await self._connected()
                skew = await connection.run_sync(self._say)
            except BaseException:
                await self._disconnect()
                raise
            self._last_beat = began
        if skew is not None and self.skew is None:
            log.error("no more work is taken: %s", skew)
            self.skew = skew
            self._on_skew()

    def _say(self, connection: Connection) -> str | None:
        me = self._identity
        if self._is_registered and not instances.beat(connection, me.id):
            log.warning("others took this process, %s, for dead; what it had claimed has gone to them", me.id)
            self._identity = me = _Identity.new()
            self._is_registered = False
            _lock(connection, me.lock_number)
        if not self._is_registered:
            name = f"{socket.gethostname()}:{os.getpid()}"
            instances.register(connection, me.id, self._kind, name, self._version, me.lock_number)
            self._is_registered = True
        return versions.skew(connection, self._version)

    async def _connected(self) -> "AsyncConnection":
        if self._connection is None:
            connection = await self._engine.connect()
            try:
                # What is left of an earlier connection may hold the lock for a while: then the beats alone count.
                await connection.run_sync(lambda conn: _lock(conn, self._identity.lock_number))
            except BaseException:
                await connection.invalidate()
                await connection.close()
                raise
            self._connection = connection
        return self._connection

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                await connection.invalidate()
                await connection.close()

    async def _leave(self) -> None:
        try:
            async with asyncio.timeout(SECONDS_PER_BEAT):
                if self._connection is not None:
                    await self._connection.run_sync(lambda conn: instances.end(conn, self._identity.id))
                    await self._connection.close()
        except Exception as error:
            log.warning("the database was not told that this process ends: %r", error)
        await self._engine.dispose()


def _lock(connection: Connection, number: int) -> None:
    connection.execute(text("SELECT pg_try_advisory_lock(:number)"), {"number": number})
