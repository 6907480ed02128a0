"""A paid provider that answers as a prompt, or the mood of the moment, wants it, and keeps a log of what it bills."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web
from evalrouter_server.quoting.bounds import worst_case_input_tokens

from tests.e2e.provider import Provider, prompt_of, tokens
from tests.proof.books import Tokens
from tests.proof.forked import SECONDS_PER_TRY
from tests.upstreams import faults
from tests.upstreams.scripted import Handler, answer, raw, refuse, usage

TEXT = "ANSWER: 7"
LATE_SECONDS = 1.2 * SECONDS_PER_TRY


def _lost(request: Mapping[str, Any], streamed: Handler, whole: Handler) -> Handler:
    return streamed if request.get("stream") else whole


FAULTS: Mapping[str, Callable[[Mapping[str, Any], dict[str, Any]], Handler]] = {
    "answers": lambda _, report: answer(TEXT, report=report),
    "uses little": lambda _, report: answer(TEXT, report=report),
    "uses its bound": lambda _, report: answer(TEXT, report=report),
    "claims too much": lambda _, report: answer(TEXT, report=report),
    "is late": lambda _, report: faults.slow(answer(TEXT, report=report), LATE_SECONDS),
    "serves another model": lambda _, report: answer(TEXT, report=report, model="cheap-1"),
    "reports nothing": lambda *_: answer(TEXT, report=None),
    "reports elsewhere": lambda _, report: answer(TEXT, report=None, x_groq={"usage": report}),
    "reports nonsense": lambda *_: answer(TEXT, report=usage(-4, 2)),
    "refuses": lambda *_: refuse(400),
    "limits the rate": lambda *_: refuse(429),
    "limits the rate for a while": lambda *_: refuse(429, headers={"Retry-After": "1"}),
    "fails": lambda *_: refuse(500),
    "hangs up": lambda *_: faults.cut(),
    "hangs up half way": lambda asked, _: _lost(
        asked, faults.truncated_stream(TEXT, abort=True), faults.truncated_body()
    ),
    "ends too early": lambda asked, _: _lost(asked, faults.truncated_stream(TEXT), raw(b'{"choices": [')),
    "falls silent": lambda asked, _: _lost(asked, faults.stalled_stream(TEXT), faults.hang()),
    "talks rubbish": lambda *_: raw(b"<html>"),
}
"""What a provider may do, by name; each is given the request and the usage that it is to report."""

SLOW_FAULTS = frozenset({"is late", "falls silent"})
"""Those that only end at a try's time limit."""


class FaultyProvider(Provider):
    """Does what the last word of a prompt says: an outside caller writes `please: FAULT`, a task gets the mood.

    Attributes:
        mood: What tasks get.
        seconds_per_task: How long a task's answer takes.
        told: The tokens that it reported, by how often.
    """

    def __init__(self, seconds_per_task: float = 0.0) -> None:
        super().__init__(self._by_prompt)
        self.mood = "answers"
        self.seconds_per_task = seconds_per_task
        self.told: Counter[Tokens] = Counter()

    async def _by_prompt(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        prompt = prompt_of(body)
        asked = prompt.rpartition("please: ")[2]
        if asked not in FAULTS:
            asked = self.mood
            await self._work()
        report = self._report(asked, body)
        return await FAULTS[asked](body, report)(request, body)

    async def _work(self) -> None:
        """Take as long as a task's answer takes, which may change meanwhile."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        while loop.time() - began < self.seconds_per_task:  # noqa: ASYNC110 - another thread changes it
            await asyncio.sleep(0.01)

    def _report(self, fault: str, body: dict[str, Any]) -> dict[str, Any]:
        used = tokens(prompt_of(body)), 1 + len(self.requests) % 50
        if fault == "uses its bound":
            used = worst_case_input_tokens(body["messages"]), body["max_tokens"]
        elif fault == "uses little":
            used = 1, 1
        elif fault == "claims too much":
            used = 10**9, 10**9
        self.told[used] += 1
        return usage(*used)
