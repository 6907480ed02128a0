"""A process that owns the built-in model's server: `python owner.py WEIGHTS` prints its process ID and waits."""

import asyncio
import sys
from pathlib import Path

from evalrouter_server.catalog.cache import FileCache
from evalrouter_server.catalog.local_model import LocalModel


async def main(weights: Path) -> None:
    model = LocalModel(FileCache(weights.parent), weights=lambda _: weights)
    print((await model.running()).pid, flush=True)
    await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
