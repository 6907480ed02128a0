"""What the service is made of, put together in one place."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Self

from evalrouter_server.benchmark_catalog import BenchmarkCatalog
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.cache import FileCache
from evalrouter_server.catalog.local_model import LocalModel
from evalrouter_server.catalog.models import ModelCatalog
from evalrouter_server.catalog.prices import PriceBook
from evalrouter_server.clock import utc_now
from evalrouter_server.engine.engine import Engine
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
from evalrouter_server.store import idempotency, own_benchmarks, traces, uploads
from evalrouter_server.store.database import Database
from evalrouter_server.store.migrate import migrate
from evalrouter_server.store.ownership import sole_ownership
from evalrouter_server.traces.limits import RequestRates

logger = logging.getLogger(__name__)

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
        closing: Set once the service is told to stop.
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
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    @asynccontextmanager
    async def running(cls, settings: Settings) -> AsyncIterator[Self]:
        """Open everything and start the engine; at the end pause its runs, let calls in flight finish, and close.

        Args:
            settings: What the service is told.

        Raises:
            OSError: The data folder cannot be used.
            RuntimeError: A newer version has made the database.
            ValueError: A setting cannot be used, or another server works on the database.
        """
        from evalrouter_server.agents_door import door  # its routes need this module

        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = new_id("inst")
        box = SecretBox.open(settings.data_dir)
        shipped = Benchmarks.shipped(settings.adopted_dir)
        harnesses = Harnesses(settings.cache_dir)
        prices = PriceBook.load(settings.prices)
        local = LocalModel(FileCache(settings.cache_dir), logger.info)
        await migrate(settings.database_url)
        async with AsyncExitStack() as opened:
            await opened.enter_async_context(sole_ownership(settings.database_url))
            database = await Database.open(settings.database_url)
            opened.push_async_callback(database.close)
            opened.push_async_callback(local.stop)
            benchmarks = BenchmarkCatalog(shipped, database)
            items = ItemLoader(settings.cache_dir, harnesses, database)
            router = Router(database, box, local)
            gateway = Gateway(database, owner)
            opened.push_async_callback(gateway.close)
            assessor = Assessor(gateway, Sandbox())
            opened.callback(assessor.close)
            hosting = Hosting(lambda: opened.enter_async_context(door(services)))
            opened.callback(hosting.close)
            agents = AddressBook(database, box)
            engine = Engine(
                database=database,
                gateway=gateway,
                assessor=assessor,
                router=router,
                benchmarks=benchmarks,
                load_items=items.load,
                harnesses=harnesses,
                hosting=hosting,
                agents=agents,
                owner=owner,
                resume_at_start=not settings.embedded,
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
            )
            opened.push_async_callback(engine.stop)
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
