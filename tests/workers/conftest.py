import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from evalrouter_server.engine.turns import Turns
from sqlalchemy import make_url

from tests.databases import empty_database, run_apart, templates
from tests.workers.fleet import SECRET, GatedProvider

__all__ = ["templates"]


@pytest.fixture(scope="session")
def template(templates: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a migrated PostgreSQL database that has the queue too."""

    async def install(url: str) -> None:
        async with Turns.opened(url):
            pass

    with empty_database("postgresql", tmp_path_factory.mktemp("template"), templates["postgresql"]) as url:
        run_apart(install(url))
        yield str(make_url(url).database)


@pytest.fixture
def database(template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A PostgreSQL database of the test's own; servers that are started leave the work to workers."""
    for name in [each for each in os.environ if each.startswith("EVALROUTER_") and "_TEST_" not in each]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("EVALROUTER_SERVER_SECRET", SECRET)
    monkeypatch.setenv("EVALROUTER_SERVER_WORKER_CONCURRENCY", "0")
    monkeypatch.setenv("EVALROUTER_DATA_DIR", str(tmp_path / "data"))
    with empty_database("postgresql", tmp_path, template) as url:
        yield url


@pytest.fixture
def provider() -> Iterator[GatedProvider]:
    """A paid provider's double with a gate, which is open."""
    with GatedProvider() as started:
        yield started
