"""The samples of a harness's task: listed once by the harness itself, with what each will ask, and kept in the cache.

So a quote knows the number of samples and bounds their calls, and a call that comes in is known by what it asks.
"""

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from evalrouter_server.catalog.cache import FetchError, FileCache
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.items import Item, item_id
from evalrouter_server.catalog.sources import content_digest
from evalrouter_server.harnesses import data, environments
from evalrouter_server.harnesses.process import HarnessFailed, Process
from evalrouter_server.problems import Problem

logger = logging.getLogger(__name__)

SECONDS_TO_LIST = 3600.0

_DRIVERS = {"lm-eval": "list_lm_eval.py", "inspect": "run_inspect.py"}


class Harnesses:
    """Lists tasks, and says how to start the harnesses.

    Args:
        cache_dir: The product's cache, which has the environments and the listings.
    """

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir
        self._making: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def working_folder(self, manifest: HarnessManifest) -> Path:
        """The folder that the task's data lies in and that it is run in."""
        return self._folder(manifest) / "data"

    async def python(self, manifest: HarnessManifest) -> Path:
        """The interpreter of the task's harness; its environment is made where it is not there.

        Raises:
            Problem: `harness_unavailable`.
        """
        async with self._making[manifest.runner]:
            try:
                return await asyncio.to_thread(
                    environments.provide, self._cache_dir, manifest.runner, progress=logger.info
                )
            except FetchError as error:
                raise Problem("harness_unavailable", f"{manifest.reference} cannot be run: {error}.") from error

    def variables(self, manifest: HarnessManifest) -> dict[str, str]:
        """The harness's variables for folders that outlive a process: fetched data sets."""
        return {"HF_HOME": str(environments.folder_of(self._cache_dir, manifest.runner) / "hub")}

    async def load(self, manifest: HarnessManifest) -> list[Item]:
        """The task's samples as items, with the messages of each one's call.

        Raises:
            Problem: `harness_unavailable`, `data_unavailable`, or `unsupported_task`.
        """
        items = items_of(manifest, await self.listed(manifest))
        digest = content_digest(items)
        if digest != manifest.content_digest or len(items) != manifest.item_count:
            raise Problem(
                "data_unavailable",
                f"{manifest.reference} has {len(items):,} samples with the digest {digest}, expected"
                f" {manifest.item_count:,} with {manifest.content_digest}: its data has changed.",
                benchmark=manifest.reference,
            )
        return items

    async def listed(self, manifest: HarnessManifest) -> list[dict[str, Any]]:
        """What the harness lists of the task, from the cache where it has been listed before.

        Raises:
            Problem: `harness_unavailable`, `data_unavailable`, or `unsupported_task`.
        """
        folder = self._folder(manifest)
        listing = folder / "samples.jsonl"
        async with self._making[manifest.id]:
            if not listing.is_file():
                await self._list(manifest, folder, listing)
        samples = [json.loads(line) for line in listing.read_text("utf-8").splitlines()]
        check_calls(manifest.reference, samples)
        return samples

    async def _list(self, manifest: HarnessManifest, folder: Path, listing: Path) -> None:
        python = await self.python(manifest)
        logger.info("Listing the samples of %s; this is done once and may take a few minutes", manifest.reference)
        fresh, spec = listing.with_suffix(".part"), folder / "spec.json"
        try:
            await asyncio.to_thread(
                data.lay_out, manifest, self.working_folder(manifest), FileCache(self._cache_dir), logger.info
            )
            spec.write_text(json.dumps({"task": manifest.task, "arguments": manifest.arguments}), "utf-8")
            await Process(
                python=python,
                arguments=[driver(_DRIVERS[manifest.runner]), str(spec), str(fresh)],
                cwd=self.working_folder(manifest),
                environment={**self.variables(manifest), "OPENAI_API_KEY": "none"},
                online=not manifest.data,
                seconds=SECONDS_TO_LIST,
            ).run()
        except (FetchError, HarnessFailed) as error:
            raise Problem(
                "data_unavailable", f"{manifest.reference} could not be listed by its harness: {error}."
            ) from error
        fresh.replace(listing)

    def _folder(self, manifest: HarnessManifest) -> Path:
        return environments.folder_of(self._cache_dir, manifest.runner) / "tasks" / manifest.id


def items_of(manifest: HarnessManifest, samples: Sequence[Mapping[str, Any]]) -> list[Item]:
    """The items of a listing: what each sample is called there, asks and expects."""
    groups = {sample["group"] for sample in samples}
    return [
        Item(
            id=item_id(manifest.slug, manifest.version, index),
            index=index,
            inputs={"sample": sample["id"], "messages": sample["messages"]},
            target={"answer": sample["target"]},
            group=sample["group"] if len(groups) > 1 else None,
        )
        for index, sample in enumerate(samples)
    ]


def check_calls(reference: str, samples: Sequence[Mapping[str, Any]]) -> None:
    """Check that each sample makes one call.

    Raises:
        Problem: `unsupported_task`.
    """
    others = sum(sample["calls"] != 1 for sample in samples)
    if others or not samples:
        raise Problem(
            "unsupported_task",
            f"{reference} has {len(samples):,} samples, of which {others:,} do not make exactly one call: what they"
            " cost cannot be bounded beforehand. Choose a task that asks once for each sample.",
        )


def output_limit(samples: Sequence[Mapping[str, Any]], default: int) -> int:
    """The largest output limit that the samples ask for, in tokens; the default where one asks for none."""
    limits = [sample["max_tokens"] for sample in samples]
    return default if None in limits else max(limits)


def driver(name: str) -> str:
    """The path of one of the programs that the harnesses' interpreters run."""
    return str(resources.files("evalrouter_server.harnesses") / "drivers" / name)
