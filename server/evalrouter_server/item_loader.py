"""Benchmarks' items, loaded once for each benchmark version and kept in memory."""

import asyncio
import logging
from collections import OrderedDict, defaultdict
from pathlib import Path

from evalrouter_server.catalog.benchmarks import Benchmark
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.items import Item, Recorded, item_id
from evalrouter_server.catalog.sources import check_content, load_items
from evalrouter_server.harnesses.listing import Harnesses
from evalrouter_server.own_benchmarks.definition import OwnManifest
from evalrouter_server.problems import Problem
from evalrouter_server.store import own_benchmarks
from evalrouter_server.store.database import Database

MOST_ITEMS = 250_000
"""Items that are kept in memory for later runs; the version that was used last is always kept."""

logger = logging.getLogger(__name__)


class ItemLoader:
    """Loads benchmarks' items: the catalog's from files in a thread, a workspace's own from the database.

    Args:
        cache_dir: Where fetched files are kept.
        harnesses: Lists the samples of other harnesses' tasks.
        database: Where the items of workspaces' own benchmarks are.
    """

    def __init__(self, cache_dir: Path, harnesses: Harnesses, database: Database) -> None:
        self._cache_dir = cache_dir
        self._harnesses = harnesses
        self._database = database
        self._loaded: OrderedDict[str, list[Item]] = OrderedDict()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def load(self, manifest: Benchmark) -> list[Item]:
        """A benchmark version's items, in the benchmark's order; not to be changed.

        Args:
            manifest: The version.

        Raises:
            Problem: `data_unavailable`; for a harness's task also `harness_unavailable` or `unsupported_task`.
        """
        async with self._locks[manifest.id]:
            items = self._loaded.get(manifest.id)
            if items is None:
                if isinstance(manifest, HarnessManifest):
                    items = await self._harnesses.load(manifest)
                elif isinstance(manifest, OwnManifest):
                    items = await self._load_own(manifest)
                else:
                    items = await asyncio.to_thread(load_items, manifest, self._cache_dir, progress=logger.info)
                self._loaded[manifest.id] = items
                self._forget_oldest()
            self._loaded.move_to_end(manifest.id)
            return items

    def _forget_oldest(self) -> None:
        count = sum(map(len, self._loaded.values()))
        while count > MOST_ITEMS and len(self._loaded) > 1:
            _, items = self._loaded.popitem(last=False)
            count -= len(items)

    async def _load_own(self, manifest: OwnManifest) -> list[Item]:
        items: list[Item] = []
        number = 0
        while (data := await self._chunk(manifest.id, number)) is not None:
            for inputs, target, group, answer in await asyncio.to_thread(list, own_benchmarks.unpack(data)):
                place = len(items)
                recorded = None if answer is None else Recorded(**answer)
                identity = item_id(manifest.slug, manifest.version, place)
                items.append(Item(identity, place, inputs, target, group, recorded=recorded))
            number += 1
        try:
            await asyncio.to_thread(check_content, manifest, items)
        except ValueError as error:
            raise Problem(
                "data_unavailable",
                f"The stored rows of {manifest.reference} are not those that it was made with ({error}): restore the"
                " database from a backup.",
                benchmark=manifest.reference,
            ) from None
        return items

    async def _chunk(self, benchmark_id: str, number: int) -> bytes | None:
        return await self._database.read(lambda conn: own_benchmarks.read_chunk(conn, benchmark_id, number))
