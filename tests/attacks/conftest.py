from collections.abc import AsyncIterator

import pytest_asyncio
from evalrouter_server.store.database import Database

from tests.databases import database, database_kind, database_url, templates
from tests.gateway.bench import Bench, open_bench
from tests.gateway.conftest import quick_retries, upstream
from tests.server.conftest import other_workspace, service, workspace
from tests.upstreams.scripted import ScriptedUpstream

__all__ = [
    "database",
    "database_kind",
    "database_url",
    "other_workspace",
    "quick_retries",
    "service",
    "templates",
    "upstream",
    "workspace",
]


@pytest_asyncio.fixture
async def bench(database: Database, upstream: ScriptedUpstream) -> AsyncIterator[Bench]:
    async with open_bench(database, upstream.base_url) as opened:
        yield opened
