"""What the service is made of, put together in one place."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Self

from evalrouter_server.benchmark_catalog import BenchmarkCatalog
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.cache import FileCache
from evalrouter_server.catalog.local_model import LocalModel
from evalrouter_server.catalog.models import ModelCatalog
from evalrouter_server.catalog.prices import PriceBook
from evalrouter_server.clock import utc_now
from evalrouter_server.engine.engine import Engine, EngineParts
from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.routing import Router
from evalrouter_server.harnesses.listing import Harnesses
from evalrouter_server.ids import new_id
from evalrouter_server.item_loader import ItemLoader
from evalrouter_server.ledger import checkpoints
from evalrouter_server.remote_agents.addresses import AddressBook
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.hosting import Hosting
from evalrouter_server.sandbox import Sandbox
from evalrouter_server.secrets import SecretBox
from evalrouter_server.settings import Settings
from evalrouter_server.store import idempotency, instances, own_benchmarks, traces, uploads
from evalrouter_server.store.database import Database
from evalrouter_server.store.instances import Kind
from evalrouter_server.store.migrate import migrate, revision
from evalrouter_server.traces.limits import RequestRates

if TYPE_CHECKING:
    from evalrouter_server.membership import Membership

logger = logging.getLogger(__name__)

SERVER_VERSION = version("evalrouter-server")

SECONDS_BETWEEN_PURGES = 3600
SECONDS_BETWEEN_CHECKPOINTS = 10


@dataclass(frozen=True, slots=True)
class Services:
    """A service's parts; open them with `running`.

    Attributes:
        settings: What it was told.
        database: The store.
        box: Encrypts what is read back.
        benchmarks: The benchmarks, the catalog's and the workspaces' own.
        items: Loads benchmarks' items.
        models: The models and their prices.
        router: Leads from a run's plan to its model.
        gateway: Makes the model calls.
        assessor: Assesses answers.
        hosting: Runs agents in sandboxes.
        agents: Knows where remote agents are.
        engine: Works on runs.
        trace_rates: Bounds the requests of trace connections.
        membership: The part in the work on a PostgreSQL database.
        closing: Set once the service is told to stop.
        outdated: Set once the database has come to belong to another version.
    """

    settings: Settings
    database: Database
    box: SecretBox
    benchmarks: BenchmarkCatalog
    items: ItemLoader
    models: ModelCatalog
    router: Router
    gateway: Gateway
    assessor: Assessor
    hosting: Hosting
    agents: AddressBook
    engine: Engine
    trace_rates: RequestRates = field(default_factory=RequestRates)
    membership: "Membership | None" = None
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    outdated: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    @asynccontextmanager
    async def running(cls, settings: Settings, kind: Kind = "server") -> AsyncIterator[Self]:
        """Open everything and start the engine; at the end let calls in flight finish, and close.

        Runs pause then, or other processes on the database go on with them.

        Args:
            settings: What the service is told.
            kind: What the process is; a worker needs PostgreSQL and leaves the database's schema as it is.

        Raises:
            OSError: The data folder cannot be used.
            RuntimeError: The database belongs to another version.
            ValueError: A setting cannot be used.
        """
        from evalrouter_server.agents_door import door  # its routes need this module

        if kind == "worker" and not settings.is_distributed:
            raise ValueError(
                "a worker needs the PostgreSQL database of a server: --database postgresql://USER@HOST/NAME"
            )
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = new_id("inst")
        box = SecretBox.open(settings.data_dir)
        shipped = Benchmarks.shipped(settings.adopted_dir)
        harnesses = Harnesses(settings.cache_dir)
        prices = PriceBook.load(settings.prices)
        local = LocalModel(FileCache(settings.cache_dir), logger.info)
        if kind == "server":
            await migrate(settings.database_url)
        outdated = asyncio.Event()
        async with AsyncExitStack() as opened:
            database = await Database.open(settings.database_url)
            opened.push_async_callback(database.close)
            if kind == "worker" and await database.read(revision) is None:
                raise ValueError("the database is empty: start a server on it first, with the secret of the workers")
            membership = None
            if settings.is_distributed:
                # What only PostgreSQL needs takes longer to import than an embedded server to start.
                from evalrouter_server.membership import Membership

                membership = await opened.enter_async_context(
                    Membership.joined(settings, kind, SERVER_VERSION, box, database, outdated.set)
                )
            opened.push_async_callback(local.stop)
            benchmarks = BenchmarkCatalog(shipped, database)
            items = ItemLoader(settings.cache_dir, harnesses, database)
            router = Router(database, box, local)
            gateway = Gateway(database, owner if membership is None else membership.presence.owner)
            opened.push_async_callback(gateway.close)
            assessor = Assessor(gateway, Sandbox())
            opened.callback(assessor.close)
            hosting = Hosting(lambda: opened.enter_async_context(door(services)))
            opened.callback(hosting.close)
            agents = AddressBook(database, box)
            parts: EngineParts = {
                "database": database,
                "gateway": gateway,
                "assessor": assessor,
                "router": router,
                "benchmarks": benchmarks,
                "load_items": items.load,
                "harnesses": harnesses,
                "hosting": hosting,
                "agents": agents,
            }
            engine: Engine
            if membership is None:
                engine = Engine(owner=owner, resume_at_start=not settings.embedded, **parts)
            else:
                from evalrouter_server.engine.distributed import DistributedEngine

                engine = DistributedEngine(
                    presence=membership.presence,
                    turns=membership.turns,
                    lanes=settings.worker_concurrency,
                    outdated=outdated,
                    **parts,
                )
            services = cls(
                settings=settings,
                database=database,
                box=box,
                benchmarks=benchmarks,
                items=items,
                models=ModelCatalog(database, prices, local),
                router=router,
                gateway=gateway,
                assessor=assessor,
                hosting=hosting,
                agents=agents,
                engine=engine,
                membership=membership,
                outdated=outdated,
            )
            opened.push_async_callback(engine.stop, settings.drain_seconds)
            await engine.start()
            housekeeping = asyncio.create_task(services._forget(), name="housekeeping")
            opened.callback(housekeeping.cancel)
            bookkeeping = asyncio.create_task(services._keep_checkpoints(), name="bookkeeping")
            opened.callback(bookkeeping.cancel)
            yield services

    async def _forget(self) -> None:
        """Delete what is kept no longer, every hour: answers, uploads, what creates left behind, and traces."""
        while True:
            for purge in (idempotency.purge, uploads.purge, own_benchmarks.purge):
                await self.database.write(lambda conn, purge=purge: purge(conn, utc_now()))  # type: ignore[misc]
            while await self.database.write(lambda conn: traces.purge(conn, utc_now())):
                pass
            if self.membership is not None:
                await self.database.write(instances.purge)
                await self.membership.turns.forget()
            await asyncio.sleep(SECONDS_BETWEEN_PURGES)

    async def _keep_checkpoints(self) -> None:
        """Make the ledger's checkpoints as they fall due."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_CHECKPOINTS)
            try:
                if await self.database.read(checkpoints.are_due):
                    await self.database.write_alone(checkpoints.make_due)
            except Exception:
                logger.exception("no checkpoint of the ledger was made; balances add up more entries until one is")
