"""A model's side that costs as little as it can: `python perf/upstream.py [DELAY_SECONDS]` prints its base URL.

It answers every Chat Completions request with the same text, after the delay, streamed where it is asked to.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aiohttp import web

MODEL = "double"
TEXT = "The total is 7 times 6, which is 42.\nANSWER: 42"
USAGE = {"prompt_tokens": 60, "completion_tokens": 20, "total_tokens": 80}
CHUNKS = 20


def _chunk(**fields: Any) -> bytes:
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": MODEL}
    return b"data: " + json.dumps(chunk | fields).encode() + b"\n\n"


_PARTS = [TEXT[start : start + 3] for start in range(0, CHUNKS * 3, 3)]
_STREAM = [
    *(_chunk(choices=[{"index": 0, "delta": {"content": part}, "finish_reason": None}]) for part in _PARTS),
    _chunk(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}]),
    _chunk(choices=[], usage=USAGE),
    b"data: [DONE]\n\n",
]
ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}],
        "usage": USAGE,
    }
).encode()


def application(delay_seconds: float) -> web.Application:
    """The upstream.

    Args:
        delay_seconds: How long each answer takes.
    """

    async def complete(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if delay_seconds:
            await asyncio.sleep(delay_seconds)
        if b'"stream": true' not in body and b'"stream":true' not in body:
            return web.Response(body=ANSWER, content_type="application/json")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for part in _STREAM:
            await response.write(part)
        await response.write_eof()
        return response

    application = web.Application(client_max_size=10_000_000)
    application.router.add_post("/v1/chat/completions", complete)
    return application


@contextlib.contextmanager
def upstream(delay_seconds: float = 0) -> Iterator[str]:
    """An upstream in a process of its own; gives its base URL.

    Args:
        delay_seconds: How long each answer takes.
    """
    command = [sys.executable, __file__, str(delay_seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def _serve(delay_seconds: float) -> None:
    runner = web.AppRunner(application(delay_seconds), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0))
