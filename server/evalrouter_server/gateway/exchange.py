"""One call from its first reservation to its last byte, in a task of its own.

The task belongs to the gateway, not to the caller: a caller that goes away leaves it running, so that the
provider's answer is read to its end and the call is settled for what it used. Only then does nobody try it again.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp

from evalrouter_server.gateway.completion import Completion
from evalrouter_server.gateway.metering import Call, CallFailed, Meter
from evalrouter_server.gateway.retrying import retrying
from evalrouter_server.gateway.routing import Upstream
from evalrouter_server.gateway.sse import EventSplitter
from evalrouter_server.gateway.upstream import (
    LARGEST_ANSWER_BYTES,
    Lost,
    Refused,
    TryFailed,
    UpstreamClient,
    read_json,
)
from evalrouter_server.gateway.usage import Report, estimate
from evalrouter_server.gateway.wire import Answer, Prepared, StreamReader, Wire
from evalrouter_server.ledger.items import Replay, Reserved

SECONDS_AFTER_THE_END = 2.0
"""How long a stream is read on once its answer has ended: some providers leave the connection open."""


class ProviderRefused(CallFailed):
    """The provider refused the call for good.

    Args:
        refused: What it answered.
        charge_microusd: What earlier tries of the call were charged, in micro-USD.
    """

    def __init__(self, refused: Refused, *, charge_microusd: int) -> None:
        super().__init__(refused.code, refused.message, charge_microusd=charge_microusd, status=refused.error.status)
        self.error = refused.error


class Exchange:
    """A call that is being made.

    Args:
        meter: Reserves and closes its tries.
        client: Sends them.
        wire: Its format.
        upstream: Where it goes.
        prepared: What is sent.
        headers: The headers that it is sent with.
        call: What the meter is told.
        seconds_per_try: The most time for one try, in seconds.
        keeps_answer: Whether the answer is kept for a replay.
    """

    def __init__(
        self,
        *,
        meter: Meter,
        client: UpstreamClient,
        wire: Wire,
        upstream: Upstream,
        prepared: Prepared,
        headers: Mapping[str, str],
        call: Call,
        seconds_per_try: float,
        keeps_answer: bool,
    ) -> None:
        self._meter = meter
        self._client = client
        self._wire = wire
        self._upstream = upstream
        self._prepared = prepared
        self._headers = headers
        self._call = call
        self._seconds_per_try = seconds_per_try
        self._keeps_answer = keeps_answer
        self._abandoned = False
        self._shown = False
        self._visible: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._started = asyncio.get_running_loop().time()

    def abandon(self) -> None:
        """Nobody waits for it any more: what is under way goes on to be settled, and is not tried again."""
        self._abandoned = True

    async def chunks(self) -> AsyncIterator[bytes]:
        """What the caller of a stream gets, as it comes; ends when the call ends, however it does."""
        try:
            while (chunk := await self._visible.get()) is not None:
                yield chunk
        finally:
            self.abandon()

    async def run(self) -> Completion:
        """Make the call.

        Raises:
            BudgetExhausted: The run's cap cannot pay for it, or for another try of it.
            CallFailed: It came to nothing.
            RunStopped: The run takes no new calls.
        """
        try:
            return await self._tries()
        except Refused as error:
            raise ProviderRefused(error, charge_microusd=self._call.charged_microusd) from None
        except TryFailed as error:
            status = 504 if error.code == "upstream_timeout" else 502
            charged = self._call.charged_microusd
            raise CallFailed(error.code, error.message, charge_microusd=charged, status=status) from None
        finally:
            self._visible.put_nowait(None)

    async def _tries(self) -> Completion:
        """The first try without the machinery of retrying, which most calls never need."""
        try:
            return await self._try()
        except TryFailed as error:
            failed = [error]
        async for attempt in retrying(self._call.deadline):
            with attempt:
                if failed:
                    raise failed.pop()
                return await self._try()
        raise AssertionError("retrying ends by returning or raising")

    async def _try(self) -> Completion:
        if self._abandoned:
            raise CallFailed("caller_gone", "the caller went away", charge_microusd=self._call.charged_microusd)
        reserved = await self._meter.reserve(self._call)
        if isinstance(reserved, Replay):
            return self._replayed(reserved)
        try:
            answer = await self._send()
        except TryFailed as error:
            error.retryable &= not self._shown
            await self._close_failed(reserved, error)
            raise
        except BaseException as error:
            await self._meter.lose(self._call, reserved, error=f"stopped while under way ({type(error).__name__})")
            raise
        try:
            return await self._settle(reserved, answer)
        except Exception as error:
            await self._meter.lose(self._call, reserved, error=f"not recorded ({type(error).__name__})")
            raise

    async def _close_failed(self, reserved: Reserved, error: TryFailed) -> None:
        """Close a try by what went wrong: what was refused or never sent costs nothing, what was lost all of it."""
        match error:
            case Lost(http_status=status):
                await self._meter.lose(self._call, reserved, error=error.message, http_status=status)
            case Refused():
                status = error.error.status
                await self._meter.release(self._call, reserved, http_status=status, error=error.message)
            case _:
                await self._meter.release(self._call, reserved, http_status=None, error=error.message)

    async def _send(self) -> Answer:
        left = self._call.deadline - asyncio.get_running_loop().time()
        seconds = min(left, self._seconds_per_try)
        prepared = self._prepared
        async with self._client.post(
            self._upstream, prepared.path, prepared.body, headers=self._headers, seconds=seconds
        ) as response:
            if not prepared.streamed:
                return self._wire.read(await read_json(response), self._upstream)
            if response.content_type != "text/event-stream":
                self._wire.read(await read_json(response), self._upstream)
                raise Lost("upstream_malformed_answer", "a stream was asked for and something else came")
            return await self._follow(response, self._wire.reader(prepared, self._upstream))

    async def _follow(self, response: aiohttp.ClientResponse, reader: StreamReader) -> Answer:
        """Read a stream to its end, or for a moment beyond its answer's where the provider does not end it."""
        splitter = EventSplitter()
        size = 0
        try:
            async with asyncio.timeout(None) as after_the_end:
                async for chunk in response.content.iter_any():
                    size += len(chunk)
                    if size > LARGEST_ANSWER_BYTES:
                        raise Lost(
                            "upstream_answer_too_large", f"the stream has more than {LARGEST_ANSWER_BYTES} bytes"
                        )
                    for event in splitter.feed(chunk):
                        self._show(reader.feed(event))
                    if reader.ended and after_the_end.when() is None:
                        now = asyncio.get_running_loop().time()
                        after_the_end.reschedule(now + SECONDS_AFTER_THE_END)
        except (aiohttp.ClientError, ConnectionError, TimeoutError):
            if not reader.ended:
                raise
        for event in splitter.end():
            self._show(reader.feed(event))
        return reader.finish()

    def _show(self, chunk: bytes | None) -> None:
        if chunk is not None:
            self._shown = True
            if not self._abandoned:
                self._visible.put_nowait(chunk)

    async def _settle(self, reserved: Reserved, answer: Answer) -> Completion:
        report = answer.report or self._estimate(answer)
        other = ("other_model_served",) if _is_other_model(answer.model_served, self._upstream.model) else ()
        await self._meter.settle(
            self._call,
            reserved,
            report,
            estimated=answer.report is None,
            model_served=answer.model_served,
            response=answer.raw if self._keeps_answer else None,
            flags=(*other, *self._prepared.flags),
        )
        return Completion(
            text=answer.text,
            finish_reason=answer.finish_reason,
            usage=report.usage,
            charge_microusd=self._call.charged_microusd,
            model_served=answer.model_served,
            latency_seconds=asyncio.get_running_loop().time() - self._started,
            raw=answer.raw,
        )

    def _estimate(self, answer: Answer) -> Report:
        hidden = self._prepared.output_tokens if self._upstream.dialect.hides_reasoning else None
        return Report(estimate(self._prepared.reads, answer.writes, output_tokens=hidden), None)

    def _replayed(self, replay: Replay) -> Completion:
        if not isinstance(replay.response, dict):
            raise CallFailed(
                "answer_not_kept",
                "the call was settled before and its answer was not kept",
                charge_microusd=replay.charge,
            )
        answer = self._wire.read(replay.response, self._upstream)
        return Completion(
            text=answer.text,
            finish_reason=answer.finish_reason,
            usage=replay.usage,
            charge_microusd=replay.charge,
            model_served=replay.model_served,
            latency_seconds=None,
            raw=answer.raw,
        )


def _is_other_model(served: str | None, asked: str) -> bool:
    """Whether the provider says that a model answered that is neither the one asked for nor a dated snapshot of it."""
    if served is None:
        return False
    theirs, ours = (name.rpartition("/")[2].lower() for name in (served, asked))
    suffix: Any = theirs.removeprefix(ours) if theirs.startswith(ours) else None
    return suffix is None or (suffix != "" and not (suffix[0] in "-@:" and suffix[1:].replace("-", "").isdigit()))
