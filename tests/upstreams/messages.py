"""What a provider says on the Messages wire, as handlers of a `ScriptedUpstream`."""

from collections.abc import Iterator, Mapping
from typing import Any

from aiohttp import web

from tests.upstreams.scripted import Handler, open_stream, sse

_ALL = 10**6


def answer(text: str, report: Mapping[str, Any] | None, *, events: int = _ALL, **changes: Any) -> Handler:
    """Answer with a text, streamed where that is asked for.

    Args:
        text: The text.
        report: The usage; None leaves it out.
        events: How many events of a stream come before it ends.
        changes: Other fields of the message.
    """

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        whole = message_of(text, body, report) | changes
        if not body.get("stream"):
            return web.json_response(whole)
        stream = await open_stream(request)
        for number, event in enumerate(events_of(text, whole)):
            if number < events:
                await stream.write(sse(event, name=event["type"]))
        await stream.write_eof()
        return stream

    return handle


def message_of(text: str, body: Mapping[str, Any], report: Mapping[str, Any] | None) -> dict[str, Any]:
    """A whole message."""
    return {
        "id": "msg_double",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
    } | ({} if report is None else {"usage": report})


def events_of(text: str, whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of its stream; its last count is the whole one."""
    report = whole.get("usage")
    start = (
        whole
        | {"content": [], "stop_reason": None}
        | ({} if report is None else {"usage": {**report, "output_tokens": 1}})
    )
    yield {"type": "message_start", "message": start}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "ping"}
    for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
    yield {"type": "content_block_stop", "index": 0}
    counted = {} if report is None else {"usage": {"output_tokens": report["output_tokens"]}}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, **counted}
    yield {"type": "message_stop"}


def usage(*, fresh: int, cached: int = 0, written: int = 0, output: int = 0, reasoning: int = 0) -> dict[str, Any]:
    """A report of tokens; those of the cache stand beside the input, and thinking is output."""
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": written,
        "output_tokens": output,
    }
