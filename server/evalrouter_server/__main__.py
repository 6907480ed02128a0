"""`python -m evalrouter_server`: run the service."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Coroutine
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer
from filelock import FileLock, Timeout

from evalrouter_server import fetching
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.credentials import first_owner
from evalrouter_server.harnesses.adopting import adopt as adopt_task
from evalrouter_server.harnesses.listing import Harnesses
from evalrouter_server.logs import configure_logging
from evalrouter_server.monitoring import monitored
from evalrouter_server.problems import Problem
from evalrouter_server.services import Services
from evalrouter_server.serving import HttpServer, base_url, listen, loop_factory
from evalrouter_server.settings import Settings
from evalrouter_server.store import migrate as migration
from evalrouter_server.store.migrations import HEAD

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
logger = logging.getLogger("evalrouter_server")


@app.callback()
def main() -> None:
    """The EvalRouter service."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on [127.0.0.1].", show_default=False)] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port to listen on; 0: any free one [8380].", show_default=False),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(help="sqlite:///PATH or postgresql://USER@HOST/NAME [a SQLite file in the data folder]."),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the database file, the secret and fetched data.", file_okay=False)
    ] = None,
    log_format: Annotated[Literal["plain", "json"] | None, typer.Option(help="Form of the log [plain].")] = None,
) -> None:
    """Run the service until it is told to stop (SIGTERM or Ctrl-C); requests and calls in flight finish.

    The first start makes a workspace and prints its owner key, once. Every option can also be an environment
    variable, such as EVALROUTER_SERVER_PORT.
    """
    given: dict[str, Any] = {
        "host": host,
        "port": port,
        "database": database,
        "data_dir": data_dir,
        "log_format": log_format,
    }
    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    configure_logging(settings.log_format)
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(settings.data_dir / "engine.lock")
    try:
        # Servers on one PostgreSQL database may share a folder, as they share their work.
        with nullcontext() if settings.is_distributed else lock.acquire(blocking=False):
            _run(_serve(settings))
    except Timeout:
        _refuse(f"Another process serves the data folder {settings.data_dir}: stop it, or pass another --data-dir.")
    except (OSError, RuntimeError, ValueError) as error:
        _refuse(f"The service cannot start: {error}")


@app.command()
def worker(
    database: Annotated[
        str | None, typer.Option(help="postgresql://USER@HOST/NAME of a server.", show_default=False)
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Tasks that it works on at a time [256].", show_default=False)
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the secret and fetched data.", file_okay=False)
    ] = None,
    log_format: Annotated[Literal["plain", "json"] | None, typer.Option(help="Form of the log [plain].")] = None,
) -> None:
    """Work on a server's runs until told to stop (SIGTERM or Ctrl-C); tasks in flight finish, others take the rest.

    Any number of workers, on any machines, share the work. Each needs the server's secret, EVALROUTER_SERVER_SECRET,
    the providers' keys and the server's version.
    """
    given: dict[str, Any] = {
        "database": database,
        "worker_concurrency": concurrency,
        "data_dir": data_dir,
        "log_format": log_format,
    }
    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    configure_logging(settings.log_format)
    try:
        _run(_work(settings))
    except (OSError, RuntimeError, ValueError) as error:
        _refuse(f"The worker cannot go on: {error}")


@app.command()
def adopt(
    name: Annotated[str, typer.Argument(help="lm-eval/TASK or inspect/PACKAGE/TASK, then ,ARGUMENT=VALUE for each.")],
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the service that shall have it.", file_okay=False)
    ] = None,
) -> None:
    """Take up a task of another harness at your own risk, or prepare one that the catalog lists.

    It makes the harness's environment where it is not there, and has it list the task's samples.
    """
    settings = Settings() if data_dir is None else Settings(data_dir=data_dir)
    configure_logging(settings.log_format)
    harnesses = Harnesses(settings.cache_dir)
    listed = next((found for found in Benchmarks.shipped().match(name) if isinstance(found, HarnessManifest)), None)
    try:
        if listed is not None:
            print(f"{listed.reference}: {len(asyncio.run(harnesses.load(listed))):,} samples, ready to run.")
            return
        manifest = asyncio.run(adopt_task(harnesses, name, settings.adopted_dir))
    except Problem as problem:
        _refuse(problem.message)
    print(f"{manifest.reference}: {manifest.item_count:,} samples. Nobody here has checked its data or its grader.")


@app.command()
def fetch(
    benchmarks: Annotated[
        list[str] | None, typer.Argument(metavar="[BENCHMARK]...", help="Slugs or slug@version.", show_default=False)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every benchmark of the catalog.")] = False,
    to: Annotated[
        Path | None,
        typer.Option(help="The folder [that of the embedded server]; usable as EVALROUTER_MIRROR.", file_okay=False),
    ] = None,
) -> None:
    """Fetch and verify benchmarks' data, so that runs need no network for it; exit code 1 where some cannot be had."""
    if bool(benchmarks) == everything:
        _refuse("Name the benchmarks to fetch, or pass --all for every one.")
    try:
        manifests = fetching.named(benchmarks or ())
    except ValueError as error:
        _refuse(str(error))
    folder = to or fetching.embedded_cache_dir()
    if fetching.fetch(manifests, folder, lambda line: print(line, flush=True)):
        raise typer.Exit(1)


@app.command()
def migrate(
    database: Annotated[
        str | None,
        typer.Option(help="sqlite:///PATH or postgresql://USER@HOST/NAME [a SQLite file in the data folder]."),
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database file.", file_okay=False)] = None,
    to: Annotated[str | None, typer.Option(help="Go back to an older schema, such as 0006.", metavar="SCHEMA")] = None,
) -> None:
    """Bring a database to this version's schema, which serving does by itself, or back to an older version's.

    Going back drops what only the newer schema holds: stop every server, and back the database up before.
    """
    given: dict[str, Any] = {"database": database, "data_dir": data_dir}
    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    url = settings.database_url
    try:
        asyncio.run(migration.migrate(url) if to is None else migration.take_back(url, to))
    except (OSError, RuntimeError, ValueError) as error:
        _refuse(f"The schema stays as it is: {error}")
    print(f"The database has the schema {to or HEAD}.")


async def _serve(settings: Settings) -> None:
    listener = listen(settings.host, settings.port)
    watched = _monitoring_listener(settings)
    async with Services.running(settings) as services:
        server = HttpServer(services)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, server.ask_to_exit)
        owner = await first_owner(services)
        if owner is not None:
            print(f"Owner key of the new workspace {owner.workspace_id}, shown only now: {owner.secret}", flush=True)
        async with monitored(services, watched):
            print(f"EvalRouter serves {base_url(listener)}", flush=True)
            await server.serve(sockets=[listener])
    logger.info("stopped")


async def _work(settings: Settings) -> None:
    told = asyncio.Event()
    watched = _monitoring_listener(settings)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    async with Services.running(settings, "worker") as services:
        assert services.membership is not None
        presence = services.membership.presence
        async with monitored(services, watched):
            print(f"EvalRouter works as {presence.id}, on {settings.worker_concurrency} tasks at a time", flush=True)
            ends = [asyncio.create_task(event.wait()) for event in (told, services.outdated)]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            for end in ends:
                end.cancel()
    if presence.skew is not None:
        raise RuntimeError(presence.skew)
    logger.info("stopped")


def _monitoring_listener(settings: Settings) -> socket.socket | None:
    if settings.monitoring_port is None:
        return None
    listener = listen(settings.monitoring_host, settings.monitoring_port)
    print(f"Operators are answered at {base_url(listener)}", flush=True)
    return listener


def _run(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(work)


def _refuse(message: str) -> NoReturn:
    print(message, file=sys.stderr)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
