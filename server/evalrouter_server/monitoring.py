"""For operators: whether the process lives, whether it is ready for work, and its numbers for Prometheus.

It listens on a port of its own, which no key guards, so that it can stay inside.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import uvicorn
from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from sqlalchemy import Connection, func, select, text
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from evalrouter_server.services import SERVER_VERSION, Services
from evalrouter_server.store import instances
from evalrouter_server.store.runs import UNENDED
from evalrouter_server.store.tables import runs

log = logging.getLogger(__name__)

SECONDS_PER_LOOK = 5.0
"""How long the database may take to answer a question about readiness or numbers."""


@asynccontextmanager
async def monitored(services: Services, listener: socket.socket | None) -> AsyncIterator[None]:
    """Answer operators meanwhile.

    Args:
        services: The process's parts.
        listener: The socket to listen on; None: nobody asks.
    """
    if listener is None:
        yield
        return
    server = _Server(uvicorn.Config(monitoring_app(services), lifespan="off", log_config=None, access_log=False))
    serving = asyncio.create_task(server.serve(sockets=[listener]), name="monitoring")
    try:
        yield
    finally:
        server.should_exit = True
        await asyncio.wait([serving])


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def monitoring_app(services: Services) -> Starlette:
    """The application: `/live`, `/ready` and `/metrics`.

    Args:
        services: The process's parts.
    """

    async def live(_: Request) -> Response:
        return PlainTextResponse("live\n")

    async def ready(_: Request) -> Response:
        reason = await unready_reason(services)
        return PlainTextResponse("ready\n") if reason is None else PlainTextResponse(f"not ready: {reason}\n", 503)

    async def metrics(_: Request) -> Response:
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        registry.register(await _Numbers.read(services))
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return Starlette(routes=[Route("/live", live), Route("/ready", ready), Route("/metrics", metrics)])


async def unready_reason(services: Services) -> str | None:
    """Why the process should get no work; None where it may."""
    if services.closing.is_set():
        return "it is told to stop"
    if services.outdated.is_set():
        return "the database belongs to another version"
    if services.membership is not None and not services.membership.presence.is_sure:
        return "the database does not hear that it lives"
    try:
        async with asyncio.timeout(SECONDS_PER_LOOK):
            await services.database.read(lambda connection: connection.execute(text("SELECT 1")).one())
    except Exception as error:
        return f"the database does not answer ({type(error).__name__})"
    return None


class _Numbers(Collector):
    """The numbers at one moment."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    @classmethod
    async def read(cls, services: Services) -> "_Numbers":
        info = GaugeMetricFamily("evalrouter_info", "The process.", labels=["version"])
        info.add_metric([SERVER_VERSION], 1)
        calls = CounterMetricFamily("evalrouter_calls", "Model calls of this process that ended.", labels=["outcome"])
        for outcome, number in services.gateway.ended.items():
            calls.add_metric([outcome], number)
        under_way = GaugeMetricFamily("evalrouter_calls_under_way", "Model calls of this process that go on.")
        under_way.add_metric([], services.gateway.calls_under_way)
        families: list[Metric] = [info, calls, under_way]
        with contextlib.suppress(Exception):
            async with asyncio.timeout(SECONDS_PER_LOOK):
                families += await _of_the_database(services)
        return cls(families)

    def collect(self) -> Iterator[Metric]:
        yield from self._families


async def _of_the_database(services: Services) -> list[Metric]:
    """What all processes on the database have in common, and this one's part in it."""
    by_status = GaugeMetricFamily("evalrouter_runs", "Runs that have not ended.", labels=["status"])
    for status, number in sorted((await services.database.read(_unended)).items()):
        by_status.add_metric([status], number)
    families: list[Metric] = [by_status]
    if services.membership is None:
        return families
    alive = await services.database.read(instances.live)
    kinds = GaugeMetricFamily("evalrouter_instances", "Processes that work on the database.", labels=["kind"])
    for kind in ("server", "worker"):
        kinds.add_metric([kind], sum(each.kind == kind for each in alive))
    waiting = GaugeMetricFamily("evalrouter_turns_waiting", "Turns that wait for a process with room.")
    waiting.add_metric([], await services.membership.turns.count())
    lanes = GaugeMetricFamily("evalrouter_lanes", "Tasks that this process may work on at a time.")
    lanes.add_metric([], services.settings.worker_concurrency)
    used = GaugeMetricFamily("evalrouter_lanes_in_use", "Lanes of this process that are given to runs.")
    used.add_metric([], services.engine.lanes_in_use)
    return [*families, kinds, waiting, lanes, used]


def _unended(connection: Connection) -> dict[str, int]:
    query = select(runs.c.status, func.count()).where(runs.c.status.in_(UNENDED)).group_by(runs.c.status)
    return dict.fromkeys(UNENDED, 0) | {row[0]: int(row[1]) for row in connection.execute(query)}
