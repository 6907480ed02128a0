"""The database, SQLite or PostgreSQL, behind two calls: `read` and a group-committing `write`.

Operations are plain functions of a SQLAlchemy `Connection`, written once for both databases. SQLite runs them in
threads (one for writing), PostgreSQL on asyncpg through SQLAlchemy's greenlets. All writes of a process go through one
writer, which commits what has queued up as one transaction: a group pays for one commit, and each operation in it is
decided, and may be refused, on its own.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, select
from sqlalchemy.exc import DBAPIError, InternalError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential

from evalrouter_server.store.bulk import among
from evalrouter_server.store.tables import runs

type Operation[T] = Callable[[Connection], T]
type BatchOperation[I, R] = Callable[[Connection, Sequence[I]], Sequence[R | Exception]]

GROUP_LIMIT = 256
"""The most operations that one commit carries."""

SECONDS_WITHOUT_DATABASE = 30.0
"""How long a write waits for a database that cannot be reached, in seconds."""

READERS = 4
"""Threads (SQLite) or connections (PostgreSQL) that read."""

ASIDE = 2
"""Connections (PostgreSQL) that write beside the writer."""

IDLE_MILLISECONDS = 5000
"""After how long PostgreSQL ends a transaction that does nothing: that of a process which was stopped, or is cut off.

Until then its locks keep others from their work.
"""


@dataclass(slots=True)
class _Job:
    batch: BatchOperation[Any, Any]
    item: Any
    future: asyncio.Future[Any]
    alone: bool = False
    run_id: str | None = None


class Database:
    """An open database. Make one with `await Database.open(url)` once `await migrate(url)` has run, and close it.

    Args:
        url: `sqlite:///path` or `postgresql://user@host/name`; a `URL` for a path that has a `?` in it.
    """

    def __init__(self, url: str | URL) -> None:
        self.url = normalise_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._queue: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(cls, url: str | URL) -> Self:
        """Connect and start the writer."""
        database = cls(url)
        database._connect()
        database._writer = asyncio.create_task(database._write_loop(), name="database-writer")
        return database

    def _connect(self) -> None:
        if self.is_sqlite:
            self._sync_writer = sqlite_engine(self.url, begin="BEGIN IMMEDIATE")
            self._sync_reader = sqlite_engine(self.url, begin="BEGIN")
            self._write_thread = ThreadPoolExecutor(1, thread_name_prefix="db-write")
            self._read_threads = ThreadPoolExecutor(READERS, thread_name_prefix="db-read")
        else:
            from sqlalchemy.ext.asyncio import create_async_engine

            self._async_engine = create_async_engine(
                self.url,
                pool_size=READERS + 1,
                max_overflow=READERS,
                pool_pre_ping=True,
                connect_args={"server_settings": {"idle_in_transaction_session_timeout": str(IDLE_MILLISECONDS)}},
            )
            self._reading = asyncio.Semaphore(READERS)
            self._aside = asyncio.Semaphore(ASIDE)
            self._snapshots = self._async_engine.execution_options(isolation_level="REPEATABLE READ")

    async def read[T](self, operation: Operation[T]) -> T:
        """Run an operation that only reads, on one snapshot-consistent connection; it waits for its turn.

        Args:
            operation: A function of the connection.

        Returns:
            What the operation returned.
        """
        if self.is_sqlite:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._read_threads, partial(_run_sync, self._sync_reader, operation))
        async for attempt in _again_without_database():
            with attempt:
                async with self._reading, self._snapshots.connect() as connection:
                    return await connection.run_sync(operation)
        raise AssertionError("retrying ends by returning or raising")

    async def write[T](self, operation: Operation[T], run_id: str | None = None) -> T:
        """Run an operation in the next group's transaction; return once that has been committed.

        Args:
            operation: A function of the connection. When it raises, what it wrote is undone, the rest of the group
                stands, and the exception reaches the caller.
            run_id: The run that it changes, if there is one: a group locks its runs in order, so that those of
                several processes do not wait for each other in a circle.

        Returns:
            What the operation returned.
        """
        result: T = await self.write_batched(_one_by_one, operation, run_id)
        return result

    async def write_alone[T](self, operation: Operation[T]) -> T:
        """Run an operation in a transaction of its own, for one that takes a lock which others' locks must not precede.

        Args:
            operation: A function of the connection.

        Returns:
            What the operation returned.
        """
        result: T = await self._enqueue(_one_by_one, operation, alone=True)
        return result

    async def write_aside[T](self, operation: Operation[T]) -> T:
        """Run an operation in a transaction of its own beside the writer, for one that may wait for other processes.

        Args:
            operation: A function of the connection. On SQLite it is the writer that runs it.

        Returns:
            What the operation returned.
        """
        if self.is_sqlite:
            return await self.write_alone(operation)
        async with self._aside:
            async for attempt in _again_after_conflicts():
                with attempt:
                    return await self._transaction(operation)
        raise AssertionError("retrying ends by returning or raising")

    async def write_batched[I, R](self, batch: BatchOperation[I, R], item: I, run_id: str | None = None) -> R:
        """Hand an item to a set-wise operation, together with the other items that are waiting for it.

        Args:
            batch: A module-level function that is given all items of the group at once and answers each with a result
                or an exception.
            item: This caller's item.
            run_id: As for `write`.

        Returns:
            The item's result.
        """
        result: R = await self._enqueue(batch, item, run_id=run_id)
        return result

    def _enqueue(
        self, batch: BatchOperation[Any, Any], item: Any, *, alone: bool = False, run_id: str | None = None
    ) -> asyncio.Future[Any]:
        if self._closed:
            raise RuntimeError("the database is closed")
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Job(batch, item, future, alone, run_id))
        return future

    async def close(self) -> None:
        """Finish the writes that are queued, then disconnect."""
        if self._closed:
            return
        self._closed = True
        self._queue.put_nowait(None)
        if self._writer is not None:
            await self._writer
        if self.is_sqlite:
            self._write_thread.shutdown()
            self._read_threads.shutdown()
            self._sync_writer.dispose()
            self._sync_reader.dispose()
        else:
            await self._async_engine.dispose()

    async def _write_loop(self) -> None:
        job = await self._queue.get()
        while job is not None:
            jobs, held_over = [job], False
            while not (held_over or self._queue.empty()) and len(jobs) < GROUP_LIMIT:
                job = self._queue.get_nowait()
                if job is None or job.alone or jobs[0].alone:
                    held_over = True
                else:
                    jobs.append(job)
            live = [waiting for waiting in jobs if not waiting.future.done()]
            if live:
                await self._commit(live)
            if not held_over:
                job = await self._queue.get()

    async def _commit(self, jobs: list[_Job]) -> None:
        try:
            async for attempt in _again_after_conflicts():
                with attempt:
                    outcomes = await self._transaction(partial(_run_group, jobs=jobs))
        except Exception as error:
            outcomes = [error] * len(jobs)
        for job, outcome in zip(jobs, outcomes, strict=True):
            if job.future.done():
                continue
            if isinstance(outcome, Exception):
                job.future.set_exception(outcome)
            else:
                job.future.set_result(outcome)

    async def _transaction[T](self, operation: Operation[T]) -> T:
        if self.is_sqlite:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._write_thread, partial(_run_sync, self._sync_writer, operation))
        async with self._async_engine.connect() as connection:
            transaction = await connection.begin()
            try:
                result = await connection.run_sync(operation)
            except BaseException:
                with contextlib.suppress(DBAPIError):
                    await transaction.rollback()
                raise
            try:
                await transaction.commit()
            except DBAPIError as error:
                if error.connection_invalidated:
                    raise CommitUnknownError("the database went away while it committed") from error
                raise
            return result


class CommitUnknownError(Exception):
    """Whether a transaction was committed is not known; it is not run again."""


def normalise_url(url: str | URL) -> URL:
    """The URL with the driver that this package uses; refuses other databases.

    Raises:
        ValueError: The URL is neither SQLite nor PostgreSQL.
    """
    parsed = make_url(url)
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return parsed.set(drivername="sqlite")
    if backend in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+asyncpg")
    raise ValueError(f"cannot use a {backend!r} database: pass sqlite:///PATH or postgresql://USER@HOST/NAME")


def _run_sync[T](engine: Engine, operation: Operation[T]) -> T:
    with engine.begin() as connection:
        return operation(connection)


def _run_group(connection: Connection, jobs: list[_Job]) -> list[Any]:
    """Run each kind of batch once over its items, in a savepoint of its own; the outcomes line up with the jobs."""
    run_ids = {job.run_id for job in jobs if job.run_id is not None}
    if len(run_ids) > 1 and connection.dialect.name == "postgresql":
        connection.execute(_LOCK_RUNS, {"ids": run_ids})
    by_batch: dict[BatchOperation[Any, Any], list[int]] = {}
    for index, job in enumerate(jobs):
        by_batch.setdefault(job.batch, []).append(index)
    outcomes: list[Any] = [None] * len(jobs)
    for batch, indexes in by_batch.items():
        answers = _run_batch(connection, batch, [jobs[index].item for index in indexes])
        for index, answer in zip(indexes, answers, strict=True):
            outcomes[index] = answer
    return outcomes


def _run_batch(connection: Connection, batch: BatchOperation[Any, Any], items: Sequence[Any]) -> Sequence[Any]:
    """Run a batch in a savepoint; if it fails, each item in one of its own, so that only the one at fault fails."""
    try:
        with connection.begin_nested():
            return batch(connection, items)
    except Exception as error:
        if _is_transient(error):
            raise
        _refuse_without_transaction(connection, error)
        if len(items) == 1:
            return [error]
    return [answer for item in items for answer in _run_batch(connection, batch, [item])]


def _one_by_one(connection: Connection, operations: Sequence[Operation[Any]]) -> list[Any]:
    answers: list[Any] = []
    for operation in operations:
        try:
            with connection.begin_nested():
                answers.append(operation(connection))
        except Exception as error:
            if _is_transient(error):
                raise
            _refuse_without_transaction(connection, error)
            answers.append(error)
    return answers


def _refuse_without_transaction(connection: Connection, error: BaseException) -> None:
    """Fail the whole group where SQLite has rolled its transaction back, as it does by itself on a full disk.

    What ran next would be committed on its own, although the group fails.

    Raises:
        Exception: What SQLite failed at, not that the savepoint of a transaction that is gone cannot be rolled back to.
    """
    driver = connection.connection.dbapi_connection
    if not isinstance(driver, sqlite3.Connection) or driver.in_transaction:
        return
    reason: BaseException | None = error
    while isinstance(reason, DBAPIError | sqlite3.Error):
        if isinstance(reason, DBAPIError) and not (reason.statement or "").startswith("ROLLBACK TO"):
            raise reason
        reason = reason.__context__
    raise error


_LOCK_RUNS = (
    select(runs.c.id).where(among("postgresql", runs.c.id, "ids")).order_by(runs.c.id).with_for_update(key_share=True)
)

_CONFLICT_SQLSTATES = frozenset({"40001", "40P01"})
"""Serialisation failure and deadlock."""


def _is_transient(error: BaseException) -> bool:
    """Whether the same transaction may succeed when it is run again: it lost a conflict, or its connection."""
    return _lost_connection(error) or (
        isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in _CONFLICT_SQLSTATES
    )


def _lost_connection(error: BaseException) -> bool:
    """Whether the database could not be reached or went away before the commit.

    An OSError is from connecting. An internal error that has no code of the server's is the driver's own, which it
    raises where a connection broke while a query was under way.
    """
    if isinstance(error, InternalError) and getattr(error.orig, "sqlstate", None) is None:
        return True
    return isinstance(error, OSError) or (isinstance(error, DBAPIError) and error.connection_invalidated)


def _again_after_conflicts() -> AsyncRetrying:
    return AsyncRetrying(
        retry=retry_if_exception(_is_transient),
        stop=_give_up,
        wait=wait_random_exponential(multiplier=0.02, max=0.5),
        reraise=True,
    )


def _again_without_database() -> AsyncRetrying:
    return AsyncRetrying(
        retry=retry_if_exception(_lost_connection),
        stop=_give_up,
        wait=wait_random_exponential(multiplier=0.02, max=0.5),
        reraise=True,
    )


def _give_up(state: RetryCallState) -> bool:
    """Conflicts are tried 6 times; a database that is away is waited for, as after a restart of it."""
    assert state.outcome is not None
    error = state.outcome.exception()
    if error is not None and _lost_connection(error):
        return (state.seconds_since_start or 0) >= SECONDS_WITHOUT_DATABASE
    return state.attempt_number >= 6


def sqlite_engine(url: URL, *, begin: str) -> Engine:
    """An engine on a SQLite file, with a write-ahead log that survives power loss.

    Args:
        url: `sqlite:///path`; the folder is made.
        begin: How transactions begin: `BEGIN IMMEDIATE` for a writer.

    Raises:
        ValueError: The database is in memory.
    """
    path = url.database
    if not path or path == ":memory:":
        raise ValueError("an in-memory database is not shared between connections: pass a file, sqlite:///PATH")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": 30, "check_same_thread": False}, pool_size=READERS + 1)

    @event.listens_for(engine, "connect")
    def _configure(dbapi_connection: Any, _record: Any) -> None:
        dbapi_connection.isolation_level = None
        with contextlib.closing(dbapi_connection.cursor()) as cursor:
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
                cursor.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine
