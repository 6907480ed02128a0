"""A paid provider's double in a thread and event loop of its own, which outlives the processes that call it."""

import asyncio
import threading
from collections import Counter
from concurrent.futures import Future
from decimal import ROUND_CEILING, Decimal
from typing import Any, Self

from aiohttp import web

from evalrouter import EvalRouter
from evalrouter.types import Usage
from tests.upstreams.scripted import Handler, Received, ScriptedUpstream, answer, usage

MODEL = "double-1"
INPUT_USD_PER_MTOK = Decimal("1.25")
OUTPUT_USD_PER_MTOK = Decimal("10")


def exact_charge(used: Usage) -> Decimal:
    """USD of a call by the connection's prices, rounded up to a whole micro-USD."""
    microusd = used.input_tokens * INPUT_USD_PER_MTOK + used.output_tokens * OUTPUT_USD_PER_MTOK
    return microusd.to_integral_value(ROUND_CEILING) / 1_000_000


def prompt_of(body: dict[str, Any]) -> str:
    """The user's words of a request, or of a result's inputs."""
    return str(body["messages"][-1]["content"])


def tokens(text: str) -> int:
    """What this provider counts a text as."""
    return len(text) // 4 + 1


class Provider:
    """Answers every prompt with one text, and bills by the length of both, unless it is given a handler.

    Attributes:
        text: The answer.
        delay_seconds: How long each answer takes.
        handler: What answers instead, after the delay.
    """

    def __init__(self, handler: Handler | None = None) -> None:
        self.text = "ANSWER: 7"
        self.delay_seconds = 0.0
        self.handler = handler
        self._upstream = ScriptedUpstream(handlers=[self._answer])
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        """What a connection takes as its base URL."""
        return self._upstream.base_url

    @property
    def requests(self) -> list[Received]:
        """What came, in order."""
        return self._upstream.requests

    @property
    def asked(self) -> Counter[str]:
        """How often each prompt came."""
        return Counter(prompt_of(request.body) for request in list(self.requests))

    def connect(self, client: EvalRouter, name: str = "double") -> str:
        """Connect it with a price, and give the name of its model."""
        client.connections.create(
            name,
            base_url=self.base_url,
            model=MODEL,
            input_price=INPUT_USD_PER_MTOK,
            output_price=OUTPUT_USD_PER_MTOK,
        )
        return f"connection:{name}"

    async def _answer(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        await asyncio.sleep(self.delay_seconds)
        if self.handler is not None:
            return await self.handler(request, body)
        report = usage(tokens(prompt_of(body)), tokens(self.text))
        return await answer(self.text, report=report)(request, body)

    def __enter__(self) -> Self:
        started: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), daemon=True)
        self._thread.start()
        started.result()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._over is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _serve(self, started: "Future[None]") -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with self._upstream:
            started.set_result(None)
            await self._over.wait()
