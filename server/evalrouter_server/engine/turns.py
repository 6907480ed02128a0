"""The queue of turns, carried by pgqueuer: one job stands for the wish to work on a run with a few lanes.

A turn that is not heard of for a while is given to another process. What a turn may do is decided by its slot; a turn
too many, or one that comes twice, finds nothing to do. So nothing depends on the queue for being right.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self
from uuid import uuid4

import asyncpg  # type: ignore[import-untyped]
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment, QueryQueueBuilder, QuerySchedulerBuilder
from pgqueuer.domain.settings import DBSettings
from pgqueuer.models import Job
from pgqueuer.ports.repository import EntrypointExecutionParameter
from pgqueuer.queries import Queries
from pgqueuer.types import QueueEntrypoint, QueueManagerId
from sqlalchemy import URL

from evalrouter_server.store.database import normalise_url

log = logging.getLogger(__name__)

SCHEMA = "evalrouter_queue"
"""The PostgreSQL schema of pgqueuer's tables."""

FIRST, FURTHER = QueueEntrypoint("first"), QueueEntrypoint("further")
"""A run's first turn, which some room is always kept for, and its other ones."""

STALE_AFTER = timedelta(seconds=8)
"""A turn that is not heard of for so long is given to another process."""

INSTALL_LOCK = 7_301_998_266_190_714

SECONDS_PER_STATEMENT = 10.0


@dataclass(frozen=True, slots=True)
class Turn:
    """One of a run's turns, by its number; the lower ones go first."""

    run_id: str
    number: int

    @property
    def key(self) -> str:
        """Names the turn in the queue, which has each once."""
        return f"{self.run_id}/{self.number}"


class Turns:
    """The queue. Use `opened`."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        settings = DBSettings(prefix="", db_schema=SCHEMA)
        self._pool = pool
        self._table = settings.qualified.queue_table
        self._channel = settings.channel
        self._queries = Queries.from_asyncpg_pool(pool)
        self._queries.qbe = QueryBuilderEnvironment(settings)
        self._queries.qbq = QueryQueueBuilder(settings)
        self._queries.qbs = QuerySchedulerBuilder(settings)
        self._me = QueueManagerId(uuid4())
        self._news = asyncio.Event()
        self._taken: dict[int, Job] = {}

    @classmethod
    @asynccontextmanager
    async def opened(cls, url: str | URL) -> AsyncIterator[Self]:
        """Open the queue of a database; its tables are made or brought up to date where they are not."""
        normal = normalise_url(url)
        arguments = dict(normal.get_dialect()().create_connect_args(normal)[1])
        async with asyncpg.create_pool(
            **arguments, min_size=1, max_size=4, command_timeout=SECONDS_PER_STATEMENT
        ) as pool:
            turns = cls(pool)
            await turns._install()
            hearing = asyncio.create_task(turns._hear(arguments), name="queue news")
            beating = asyncio.create_task(turns._beat(), name="queue heartbeat")
            try:
                yield turns
            finally:
                for task in (hearing, beating):
                    task.cancel()
                await asyncio.wait([hearing, beating])

    async def call(self, turns: Iterable[Turn]) -> None:
        """Put turns in the queue that are not there."""
        wanted = {turn.key: turn for turn in turns}
        query = f"SELECT dedupe_key FROM {self._table} WHERE dedupe_key = ANY($1)"  # noqa: S608 - a constant
        there = {row["dedupe_key"] for row in await self._pool.fetch(query, list(wanted))} if wanted else set()
        missing = [turn for key, turn in wanted.items() if key not in there]
        if missing:
            await self._queries.enqueue(
                [FURTHER if turn.number else FIRST for turn in missing],
                [turn.run_id.encode() for turn in missing],
                [-turn.number for turn in missing],
                dedupe_key=[turn.key for turn in missing],
                on_conflict="skip",
            )

    async def take(self, *, only_first: bool) -> Job | None:
        """Take the next turn.

        Args:
            only_first: Take none but runs' first turns.
        """
        entrypoints = {
            name: EntrypointExecutionParameter(concurrency_limit=0)
            for name in ((FIRST,) if only_first else (FIRST, FURTHER))
        }
        for job in await self._queries.dequeue(
            batch_size=1,
            entrypoints=entrypoints,
            queue_manager_id=self._me,
            global_concurrency_limit=None,
            heartbeat_timeout=STALE_AFTER,
        ):
            if job.id not in self._taken:
                self._taken[job.id] = job
                return job
        return None

    async def again(self, job: Job, after_seconds: float) -> None:
        """Put a taken turn back, to be taken after a while."""
        self._taken.pop(job.id, None)
        await self._queries.retry_job(job, timedelta(seconds=after_seconds), None)
        self._news.set()

    async def finish(self, job: Job) -> None:
        """End a taken turn."""
        self._taken.pop(job.id, None)
        await self._queries.log_jobs([(job, "successful", None)])

    async def others_wait(self, run_id: str) -> bool:
        """Whether turns of other runs are in the queue that nobody has taken."""
        query = f"SELECT EXISTS (SELECT FROM {self._table} WHERE status = 'queued' AND payload <> $1)"  # noqa: S608
        return bool(await self._pool.fetchval(query, run_id.encode()))

    async def wait(self, seconds: float) -> None:
        """Return once something has happened in the queue, or the time is over."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)
        self._news.clear()

    async def count(self) -> int:
        """Turns in the queue that nobody has taken."""
        return int(await self._pool.fetchval(f"SELECT count(*) FROM {self._table} WHERE status = 'queued'"))  # noqa: S608

    async def forget(self) -> None:
        """Delete the queue's log, which nothing reads."""
        await self._queries.clear_queue_log([FIRST, FURTHER])

    def nudge(self) -> None:
        """Let who waits look again."""
        self._news.set()

    async def _install(self) -> None:
        async with self._pool.acquire() as connection:
            queries = Queries.from_asyncpg_connection(connection)
            queries.qbe, queries.qbq, queries.qbs = self._queries.qbe, self._queries.qbq, self._queries.qbs
            await connection.execute("SELECT pg_advisory_lock($1)", INSTALL_LOCK)
            try:
                if not await queries.schema_is_installed():
                    async with connection.transaction():
                        await queries.install()
                elif (await queries.plan_upgrade()).statements:
                    await queries.upgrade()
            finally:
                await connection.execute("SELECT pg_advisory_unlock($1)", INSTALL_LOCK)

    async def _hear(self, arguments: dict[str, Any]) -> None:
        """Listen to the queue's news; who waits looks by itself too, so that nothing is missed without them."""
        while True:
            gone = asyncio.Event()
            connection = None
            try:
                connection = await asyncpg.connect(**arguments)
                connection.add_termination_listener(lambda _, gone=gone: gone.set())
                await connection.add_listener(self._channel, lambda *_: self._news.set())
                await gone.wait()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                log.debug("the queue's news are not heard: %r", error)
            finally:
                if connection is not None:
                    connection.terminate()
            await asyncio.sleep(1)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(STALE_AFTER.total_seconds() / 4)
            taken: Collection[int] = list(self._taken)
            if taken:
                try:
                    await self._queries.update_heartbeat(
                        [self._taken[each].id for each in taken if each in self._taken]
                    )
                except Exception as error:
                    log.warning("the queue does not hear that its turns go on: %r", error)
