"""A server in a process of its own that starts quickly and can be killed at any moment.

It is forked from a process that has imported everything, listens on a loopback port, and works on a database as
`evalrouter serve` does. A hurried one differs in two points: a try and the waits between tries take a fraction of
their time.
"""

import asyncio
import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from evalrouter_server.gateway import retrying
from evalrouter_server.services import Services
from evalrouter_server.serving import HttpServer, base_url, listen, loop_factory
from evalrouter_server.settings import Settings

PATIENCE_SECONDS = 30
SECONDS_PER_TRY = 1.0
"""The time limit of a try in a hurried server."""

WAITS_ARE_SHORTER = 200
"""How many times shorter the waits between tries are."""

IMPORTED_LATE = (
    "alembic.command",
    "evalrouter_server.engine.distributed",
    "evalrouter_server.engine.ending",
    "evalrouter_server.membership",
    "genai_prices.data",
    "httptools",
    "sqlalchemy.dialects.postgresql.asyncpg",
    "sqlalchemy.ext.asyncio",
    "uvicorn.protocols.http.httptools_impl",
)
"""Modules that a server imports only when it needs them."""


@dataclass(frozen=True, slots=True)
class Forked:
    """A server or worker that is running.

    Attributes:
        process: Its process.
        name: Where a server is, or what a worker is called in the database.
    """

    process: BaseProcess
    name: str

    @property
    def base_url(self) -> str:
        """Where a server is."""
        return self.name

    def kill(self) -> None:
        """End it as nothing can prevent."""
        self.process.kill()
        self.process.join(PATIENCE_SECONDS)

    def stop(self) -> None:
        """Tell it to end, and see that it does so in good order."""
        self.process.terminate()
        self.process.join(PATIENCE_SECONDS)
        assert self.process.exitcode == 0, self.process.exitcode


def start(database: str, data_dir: Path, *, hurried: bool) -> Forked:
    """Start a server and wait until it serves; kill or stop it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *IMPORTED_LATE])
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_main, args=(database, data_dir, hurried, there), daemon=True)
    process.start()
    there.close()
    assert here.poll(PATIENCE_SECONDS), "the server does not start"
    return Forked(process, str(here.recv()))


def start_worker(database: str, data_dir: Path, concurrency: int) -> Forked:
    """Start a worker and wait until it works; kill or stop it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *IMPORTED_LATE])
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_main_of_worker, args=(database, data_dir, concurrency, there), daemon=True)
    process.start()
    there.close()
    assert here.poll(PATIENCE_SECONDS), "the worker does not start"
    return Forked(process, str(here.recv()))


@contextmanager
def forked(database: str, data_dir: Path) -> Iterator[Forked]:
    """A server that takes its time; it is killed at the end."""
    server = start(database, data_dir, hurried=False)
    try:
        yield server
    finally:
        server.kill()


def _main(database: str, data_dir: Path, hurried: bool, told: Connection) -> None:
    if hurried:
        wait = retrying._Wait.__call__
        retrying._Wait.__call__ = (  # type: ignore[method-assign]
            lambda self, retry_state: wait(self, retry_state) / WAITS_ARE_SHORTER
        )
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_serve(Settings(database=database, data_dir=data_dir), hurried, told))


def _main_of_worker(database: str, data_dir: Path, concurrency: int, told: Connection) -> None:
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_work(Settings(database=database, data_dir=data_dir, worker_concurrency=concurrency), told))


async def _work(settings: Settings, told: Connection) -> None:
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    async with Services.running(settings, "worker") as services:
        assert services.membership is not None
        told.send(services.membership.presence.id)
        await over.wait()


async def _serve(settings: Settings, hurried: bool, told: Connection) -> None:
    listener = listen("127.0.0.1", 0)
    async with Services.running(settings) as services:
        if hurried:
            services.gateway._seconds_per_try = SECONDS_PER_TRY
        server = HttpServer(services, on_started=lambda: told.send(base_url(listener)))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.ask_to_exit)
        await server.serve(sockets=[listener])
