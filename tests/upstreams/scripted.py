"""A provider's double that speaks over real HTTP and can go wrong in every way.

A test gives it one handler a request; what it received is in `requests`. The handlers here speak the Chat Completions
wire; `responses` and `messages` have those of the other wires, and `faults` what goes wrong.
"""

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

type Handler = Callable[[web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class Received:
    """A request as it came.

    Attributes:
        body: Its decoded JSON.
        headers: Its headers.
        path: Its path below `/v1`.
    """

    body: dict[str, Any]
    headers: dict[str, str]
    path: str


@dataclass(slots=True)
class ScriptedUpstream:
    """Answers each request by the next handler; the last one answers all that follow.

    Use it as an async context manager.

    Attributes:
        handlers: What answers, in order.
        requests: What came.
    """

    handlers: list[Handler] = field(default_factory=lambda: [answer("Paris")])
    requests: list[Received] = field(default_factory=list)
    _runner: web.AppRunner | None = None
    _port: int = 0

    @property
    def base_url(self) -> str:
        """What a connection takes as its base URL."""
        return f"http://127.0.0.1:{self._port}/v1"

    def script(self, *handlers: Handler) -> None:
        """Answer the coming requests by these."""
        self.handlers = [handlers[0]] * len(self.requests) + list(handlers)

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        number = len(self.requests)
        self.requests.append(Received(body, dict(request.headers), request.match_info["path"]))
        handler = self.handlers[min(number, len(self.handlers) - 1)]
        return await handler(request, body)


def usage(prompt: int = 10, completion: int = 5, **more: Any) -> dict[str, Any]:
    """A report of tokens in OpenAI's form."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        **more,
    }


def completion(text: str, body: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A whole answer in OpenAI's form."""
    choices = [
        {
            "index": index,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
            "logprobs": None,
        }
        for index in range(body.get("n") or 1)
    ]
    return {
        "id": "chatcmpl-double",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body["model"],
        "choices": choices,
        "usage": usage(),
    } | changes


def chunks(text: str, body: dict[str, Any], report: Any, *, pieces: int = 3) -> list[dict[str, Any]]:
    """A stream's chunks in OpenAI's form, the last with the usage only where it was asked for."""
    head = {
        "id": "chatcmpl-double",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": body["model"],
    }
    size = max(1, -(-len(text) // pieces))
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": part} for part in parts), {}]
    result = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}]}
        for delta in deltas
    ]
    if report is not None and (body.get("stream_options") or {}).get("include_usage"):
        result.append({**head, "choices": [], "usage": report})
    return result


async def open_stream(request: web.Request) -> web.StreamResponse:
    """The head of a stream's response."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    return response


def sse(chunk: Any, *, name: str | None = None) -> bytes:
    """One event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(chunk)}\n\n".encode()


def answer(text: str = "Paris", *, report: Any = ..., **changes: Any) -> Handler:
    """Answer with a text, streamed where that is asked for.

    Args:
        text: The text.
        report: The usage; None leaves it out.
        changes: Other fields of a whole answer, or of each chunk.
    """
    counted = usage() if report is ... else report

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        if not body.get("stream"):
            whole = completion(text, body, usage=counted, **changes)
            if counted is None:
                del whole["usage"]
            return web.json_response(whole)
        response = await open_stream(request)
        for chunk in chunks(text, body, counted):
            await response.write(sse(chunk | changes))
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    return handle


def refuse(status: int, *, headers: dict[str, str] | None = None, **error: Any) -> Handler:
    """Refuse with an error in OpenAI's form.

    Args:
        status: The HTTP status.
        headers: More headers, such as Retry-After.
        error: Fields of the error.
    """
    fields = {"message": "refused", "type": "double_error", "code": None, "param": None} | error

    async def handle(_: web.Request, __: dict[str, Any]) -> web.StreamResponse:
        return web.json_response({"error": fields}, status=status, headers=headers)

    return handle


def raw(content: bytes, *, status: int = 200, content_type: str = "application/json") -> Handler:
    """Answer with these bytes."""

    async def handle(_: web.Request, __: dict[str, Any]) -> web.StreamResponse:
        return web.Response(body=content, status=status, content_type=content_type)

    return handle


def stream_of(events: Iterable[Any], *, done: bool = True) -> Handler:
    """Stream these chunks, or bytes as they are.

    Args:
        events: Chunks.
        done: Whether `[DONE]` ends the stream.
    """

    async def handle(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        response = await open_stream(request)
        for event in events:
            await response.write(event if isinstance(event, bytes) else sse(event))
        if done:
            await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    return handle
