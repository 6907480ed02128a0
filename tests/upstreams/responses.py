"""What a provider says on the Responses wire, as handlers of a `ScriptedUpstream`."""

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
        changes: Other fields of the response.
    """

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        whole = response_of(text, body, report) | changes
        if not body.get("stream"):
            return web.json_response(whole)
        stream = await open_stream(request)
        for number, event in enumerate(events_of(text, whole)):
            if number < events:
                await stream.write(sse(event | {"sequence_number": number}, name=event["type"]))
        await stream.write_eof()
        return stream

    return handle


def response_of(text: str, body: Mapping[str, Any], report: Mapping[str, Any] | None) -> dict[str, Any]:
    """A whole response."""
    return {
        "id": "resp_double",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": body["model"],
        "output": [_message(text)],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": body.get("tools", []),
    } | ({} if report is None else {"usage": report})


def events_of(text: str, whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of its stream."""
    place = {"item_id": "msg_double", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    yield {"type": "response.created", "response": whole | {"status": "in_progress", "output": [], "usage": None}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": _message("") | {"content": []}}
    yield {"type": "response.content_part.added", **place, "part": part}
    for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": text, "logprobs": []}
    yield {"type": "response.output_item.done", "output_index": 0, "item": _message(text)}
    yield {"type": "response.completed", "response": whole}


def usage(*, fresh: int, cached: int = 0, written: int = 0, output: int = 0, reasoning: int = 0) -> dict[str, Any]:
    """A report of tokens."""
    return {
        "input_tokens": fresh + cached + written,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": fresh + cached + written + output,
    }


def _message(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {"type": "message", "id": "msg_double", "status": "completed", "role": "assistant", "content": content}
