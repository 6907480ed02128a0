"""A server in a process of its own that starts quickly and can be killed at any moment.

It is forked from a process that has imported everything, gets the environment that its caller has at that moment,
listens on a loopback port, and works on a database as `evalrouter serve` does. A hurried one differs in two points: a
try and the waits between tries take a fraction of their time.
"""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from evalrouter_server.gateway import retrying
from evalrouter_server.services import Services
from evalrouter_server.serving import HttpServer, base_url, listen, loop_factory
from evalrouter_server.settings import Settings

PATIENCE_SECONDS = 60
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
    return _start("server", _main, database, data_dir, hurried)


def start_worker(database: str, data_dir: Path, concurrency: int) -> Forked:
    """Start a worker and wait until it works; kill or stop it."""
    return _start("worker", _main_of_worker, database, data_dir, concurrency)


def _start(kind: str, main: Callable[..., None], *arguments: Any) -> Forked:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *IMPORTED_LATE])
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_with_environment, args=(dict(os.environ), main, *arguments, there), daemon=True)
    process.start()
    there.close()
    with here:
        try:
            assert here.poll(PATIENCE_SECONDS), f"the {kind} does not start"
            return Forked(process, str(here.recv()))
        except EOFError:
            process.join(PATIENCE_SECONDS)
            raise AssertionError(f"the {kind} ended at its start, with {process.exitcode}; stderr says why") from None
        except BaseException:
            process.kill()
            raise


def _with_environment(environment: dict[str, str], main: Callable[..., None], *arguments: Any) -> None:
    """Run a process's main part in its caller's environment; the process it is forked from has an older one."""
    os.environ.clear()
    os.environ.update(environment)
    main(*arguments)


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
