"""Benchmarks' items, loaded once for each benchmark version in a thread and kept in memory."""

import asyncio
import logging
from collections import defaultdict
from pathlib import Path

from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.sources import load_items

logger = logging.getLogger(__name__)


class ItemLoader:
    """Loads benchmarks' items.

    Args:
        cache_dir: Where fetched files are kept.
    """

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir
        self._loaded: dict[str, list[Item]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def load(self, manifest: Manifest) -> list[Item]:
        """A benchmark version's items, in the benchmark's order; not to be changed.

        Args:
            manifest: The version.

        Raises:
            Problem: `data_unavailable`.
        """
        async with self._locks[manifest.id]:
            items = self._loaded.get(manifest.id)
            if items is None:
                items = await asyncio.to_thread(load_items, manifest, self._cache_dir, progress=logger.info)
                self._loaded[manifest.id] = items
            return items
