"""What goes wrong between a gateway and a provider, as handlers of a `ScriptedUpstream`."""

import asyncio
from typing import Any

from aiohttp import web

from tests.upstreams.scripted import Handler, chunks, open_stream, sse, usage


def hang(seconds: float = 30.0) -> Handler:
    """Take the request and say nothing."""

    async def handle(_: web.Request, __: dict[str, Any]) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return web.Response()

    return handle


def cut() -> Handler:
    """Close the connection before the first byte."""

    async def handle(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    return handle


def truncated_body() -> Handler:
    """Promise more bytes than come, then close the connection."""

    async def handle(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"id": "chatcmpl-double", "choices": [')
        assert request.transport is not None
        request.transport.close()
        return response

    return handle


def truncated_stream(text: str = "Paris is it", *, after: int = 2, abort: bool = False) -> Handler:
    """Stream some chunks and end before the answer does.

    Args:
        text: The text that would have come.
        after: How many chunks come.
        abort: Whether the connection is broken, rather than ended in form.
    """

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        response = await open_stream(request)
        for chunk in chunks(text, body, usage())[:after]:
            await response.write(sse(chunk))
        if abort:
            await asyncio.sleep(0.05)
            assert request.transport is not None
            request.transport.abort()
        else:
            await response.write_eof()
        return response

    return handle


def stalled_stream(text: str = "Paris is it", *, after: int = 2, seconds: float = 30.0) -> Handler:
    """Stream some chunks and then say nothing more."""

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        response = await open_stream(request)
        for chunk in chunks(text, body, usage())[:after]:
            await response.write(sse(chunk))
        await asyncio.sleep(seconds)
        return response

    return handle


def slow_stream(text: str = "Paris is it", *, seconds: float = 0.1, pieces: int = 5) -> Handler:
    """Stream the whole answer, with a pause before each chunk."""

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        response = await open_stream(request)
        for chunk in chunks(text, body, usage(), pieces=pieces):
            await asyncio.sleep(seconds)
            await response.write(sse(chunk))
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    return handle


def slow(handler: Handler, seconds: float) -> Handler:
    """Another handler, after a pause."""

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await handler(request, body)

    return handle
