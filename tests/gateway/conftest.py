from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from evalrouter_server.gateway import retrying
from evalrouter_server.store.database import Database

from tests.databases import empty_database, templates
from tests.gateway.bench import Bench, open_bench
from tests.gateway.served import served
from tests.upstreams.scripted import ScriptedUpstream

__all__ = ["served", "templates"]


@pytest.fixture
def database_url(templates: dict[str, str], tmp_path: Path) -> Iterator[str]:
    with empty_database("sqlite", tmp_path, templates["sqlite"]) as url:
        yield url


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(database_url)
    try:
        yield opened
    finally:
        await opened.close()


@pytest_asyncio.fixture
async def upstream() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream() as running:
        yield running


@pytest_asyncio.fixture
async def bench(database: Database, upstream: ScriptedUpstream) -> AsyncIterator[Bench]:
    async with open_bench(database, upstream.base_url) as opened:
        yield opened


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries wait a hundredth of what they do outside of tests."""
    wait = retrying._Wait.__call__
    monkeypatch.setattr(retrying._Wait, "__call__", lambda self, state: wait(self, state) / 100)
