"""Bringing a database to the present schema, whoever starts first."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock
from sqlalchemy import URL, Connection, inspect, text
from sqlalchemy.pool import NullPool

from evalrouter_server.store.database import normalise_url, sqlite_engine
from evalrouter_server.store.migrations import HEAD

ADVISORY_LOCK = 7_301_998_266_190_711
"""The number that servers on one PostgreSQL database lock while they migrate."""

LOCK_TIMEOUT = 120
"""Seconds to wait for another process that is migrating a SQLite file."""


async def migrate(url: str | URL) -> None:
    """Bring a database to the present schema; does nothing where it has it. Safe with several servers starting at once.

    Args:
        url: As for `Database.open`.

    Raises:
        RuntimeError: A newer version of this package has made the database.
        ValueError: The URL is neither SQLite nor PostgreSQL.
    """
    await _change(normalise_url(url), _upgrade)


async def take_back(url: str | URL, target: str) -> None:
    """Bring a database to an older schema, for an older version of this package; stop every server before.

    Args:
        url: As for `Database.open`.
        target: The revision, such as `0006`.

    Raises:
        RuntimeError: A newer version of this package has made the database, or it is not past the target.
        ValueError: The revision is unknown, one after it cannot be taken back, or the URL is none of ours.
    """

    def back(connection: Connection) -> None:
        from evalrouter_server.store.migrations.run import downgrade

        downgrade(connection, target)

    await _change(normalise_url(url), back)


async def _change(url: URL, change: Callable[[Connection], None]) -> None:
    if url.get_backend_name() == "sqlite":
        await asyncio.to_thread(_change_sqlite, url, change)
        return
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(url, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": ADVISORY_LOCK})
            await connection.run_sync(change)
    finally:
        await engine.dispose()


def _change_sqlite(url: URL, change: Callable[[Connection], None]) -> None:
    with _locked_file(url):
        engine = sqlite_engine(url, begin="BEGIN IMMEDIATE")
        try:
            with engine.begin() as connection:
                change(connection)
        finally:
            engine.dispose()


@contextlib.contextmanager
def _locked_file(url: URL) -> Iterator[None]:
    path = Path(url.database or "")
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f"{path.name}.migrate.lock"), timeout=LOCK_TIMEOUT):
        yield


def _upgrade(connection: Connection) -> None:
    if revision(connection) == HEAD:
        return
    # Alembic takes longer to import than a database in order takes to open.
    from evalrouter_server.store.migrations.run import upgrade

    upgrade(connection)


def revision(connection: Connection) -> str | None:
    """The revision of the database's schema; None where there is none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found
