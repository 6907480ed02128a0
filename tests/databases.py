"""Databases for tests: a SQLite file, and a PostgreSQL database of its own where a server answers.

A `conftest.py` imports the fixtures that it wants: `database_url` (migrated) or `database` (open), with those that they
build on; each comes once for SQLite and once for PostgreSQL. The server is the one that EVALROUTER_TEST_POSTGRES names
(a `postgresql://` URL of a role that may create databases), else one on 127.0.0.1:5432. Without one the tests skip;
with EVALROUTER_REQUIRE_POSTGRES set they fail.
"""

import asyncio
import contextlib
import functools
import os
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest
import pytest_asyncio
from evalrouter_server.ids import new_id
from evalrouter_server.store.database import Database
from evalrouter_server.store.migrate import migrate
from sqlalchemy import make_url

KINDS = ("sqlite", "postgresql")
LOCAL_SERVERS = ("postgresql://postgres@127.0.0.1:5432/postgres", "postgresql://root@127.0.0.1:5432/postgres")


def run_apart[T](work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a thread and loop of its own, from wherever one is."""
    answers: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            answers.append(asyncio.run(work))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return answers[0]


async def _execute(server: str, *statements: str) -> None:
    connection = await asyncpg.connect(server, timeout=5)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@functools.cache
def postgres_server() -> str | None:
    """The URL of a server that lets us create databases, or None."""
    named = os.environ.get("EVALROUTER_TEST_POSTGRES")
    for candidate in (named,) if named else LOCAL_SERVERS:
        with contextlib.suppress(OSError, asyncpg.PostgresError, TimeoutError):
            run_apart(_execute(candidate, "SELECT 1"))
            return candidate
    return None


def postgres_version() -> str | None:
    """The server's version, or None where none answers."""
    server = postgres_server()

    async def ask(url: str) -> str:
        connection = await asyncpg.connect(url, timeout=5)
        try:
            return str(await connection.fetchval("SHOW server_version")).split(" ")[0]
        finally:
            await connection.close()

    return None if server is None else run_apart(ask(server))


def need_postgres() -> str:
    """The server's URL; skips the test, or fails it where PostgreSQL is required."""
    server = postgres_server()
    if server is None:
        reason = "no PostgreSQL: none is named by EVALROUTER_TEST_POSTGRES and none answers on 127.0.0.1:5432"
        if os.environ.get("EVALROUTER_REQUIRE_POSTGRES"):
            pytest.fail(reason)
        pytest.skip(reason)
    return server


def _database_of(server: str, name: str) -> str:
    return make_url(server).set(database=name).render_as_string(hide_password=False)


@contextlib.contextmanager
def empty_database(kind: str, folder: Path, template: str | None = None) -> Iterator[str]:
    """The URL of a database with nothing in it, or with what a template has; it is gone afterwards."""
    if kind == "sqlite":
        path = folder / f"{new_id('inst')}.db"
        if template is not None:
            shutil.copy(template, path)
        yield f"sqlite:///{path}"
        return
    server, name = need_postgres(), f"test_{new_id('inst')}"
    suffix = "" if template is None else f' TEMPLATE "{template}"'
    run_apart(_execute(server, f'CREATE DATABASE "{name}"{suffix}'))
    try:
        yield _database_of(server, name)
    finally:
        run_apart(_execute(server, f'DROP DATABASE "{name}" WITH (FORCE)'))


@pytest.fixture(scope="session")
def templates() -> Iterator[dict[str, str]]:
    """Migrated databases to copy, by kind; made when first wanted."""
    made = _Templates()
    try:
        yield made
    finally:
        made.drop()


class _Templates(dict[str, str]):
    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(tempfile.mkdtemp(prefix="evalrouter-test-"))
        self._stack = contextlib.ExitStack()

    def __missing__(self, kind: str) -> str:
        url = self._stack.enter_context(empty_database(kind, self._folder))
        run_apart(migrate(url))
        self[kind] = str(make_url(url).database)
        return self[kind]

    def drop(self) -> None:
        self._stack.close()
        shutil.rmtree(self._folder)


@pytest.fixture(params=KINDS)
def database_kind(request: pytest.FixtureRequest) -> str:
    """`sqlite` or `postgresql`."""
    kind = str(request.param)
    if kind == "postgresql":
        need_postgres()
    return kind


@pytest.fixture
def database_url(database_kind: str, templates: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """A migrated database."""
    with empty_database(database_kind, tmp_path, templates[database_kind]) as url:
        yield url


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A migrated database, open."""
    opened = await Database.open(database_url)
    try:
        yield opened
    finally:
        await opened.close()
