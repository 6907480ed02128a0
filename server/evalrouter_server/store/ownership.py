"""One server works on a PostgreSQL database's runs: it holds an advisory lock as long as its connection lives.

A second one would take the first one's open calls and claims for those of a process that died. On SQLite the lock file
of the data folder does the same.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sqlalchemy import URL, text
from sqlalchemy.pool import NullPool
from tenacity import AsyncRetrying, RetryError, retry_if_result, stop_after_delay, wait_fixed

from evalrouter_server.store.database import normalise_url

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

ADVISORY_LOCK = 7_301_998_266_190_712
"""The number that the working server locks."""

SECONDS_TO_WAIT = 10.0
"""How long a server waits for one that is ending, in seconds."""


@asynccontextmanager
async def sole_ownership(url: str | URL) -> AsyncIterator[None]:
    """Be the only server that works on a database.

    Args:
        url: As for `Database.open`; nothing is done for SQLite.

    Raises:
        ValueError: Another server works on it.
    """
    normal = normalise_url(url)
    if normal.get_backend_name() == "sqlite":
        yield
        return
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(normal, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    try:
        async with engine.connect() as connection:
            await _lock(connection)
            yield
    finally:
        await engine.dispose()


async def _lock(connection: "AsyncConnection") -> None:
    async def locked() -> bool:
        return bool(await connection.scalar(text("SELECT pg_try_advisory_lock(:number)"), {"number": ADVISORY_LOCK}))

    try:
        await AsyncRetrying(
            retry=retry_if_result(lambda got: not got), stop=stop_after_delay(SECONDS_TO_WAIT), wait=wait_fixed(0.25)
        )(locked)
    except RetryError:
        raise ValueError(
            "another server works on this database: one at a time does. Stop it, or pass another --database"
        ) from None
