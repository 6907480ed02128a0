"""A provider's double that has an agent use a tool before it answers, over the Chat Completions wire."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from tests.upstreams.scripted import Handler, answer, completion, open_stream, sse, usage

type Reply = Callable[[dict[str, Any]], str]
"""The final text for a request."""


def use_tool_then_answer(names: tuple[str, ...], arguments: Mapping[str, Any], reply: Reply) -> Handler:
    """Have each conversation that offers one of these tools use it once; then answer.

    A request without tools, such as for a title, is answered at once.

    Args:
        names: Names that the tool may have; the first that is offered is used.
        arguments: The tool's arguments.
        reply: Gives the answer.
    """

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        offered = [tool["function"]["name"] for tool in body.get("tools") or ()]
        tool = next((name for name in names if name in offered), None)
        used = any(message["role"] == "tool" for message in body["messages"])
        if tool is None or used:
            return await answer(reply(body))(request, body)
        return await _call(request, body, tool, json.dumps(arguments))

    return handle


async def _call(request: web.Request, body: dict[str, Any], tool: str, arguments: str) -> web.StreamResponse:
    call = {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": arguments}}
    whole = completion("", body)
    whole["choices"][0] |= {"message": {"role": "assistant", "content": None, "tool_calls": [call]}}
    whole["choices"][0]["finish_reason"] = "tool_calls"
    if not body.get("stream"):
        return web.json_response(whole)
    head = {"id": whole["id"], "object": "chat.completion.chunk", "created": whole["created"], "model": body["model"]}
    first = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, **call}]}
    response = await open_stream(request)
    await response.write(sse({**head, "choices": [{"index": 0, "delta": first, "finish_reason": None}]}))
    await response.write(sse({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}))
    if (body.get("stream_options") or {}).get("include_usage"):
        await response.write(sse({**head, "choices": [], "usage": usage()}))
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response
