"""A provider's double that has an agent use a tool before it answers, over each of the three wires."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from aiohttp import web

from tests.upstreams import messages, responses
from tests.upstreams.scripted import Handler, answer, completion, open_stream, sse, usage

type Reply = Callable[[dict[str, Any]], str]
"""The final text for a request."""

type Steps = Callable[[dict[str, Any]], Iterable[tuple[str, Mapping[str, Any]]]]
"""The tools to use for a request, with their arguments."""

INPUT_TOKENS, OUTPUT_TOKENS = 10, 5
"""What each call is said to have used."""

_CALL_ID = "call_1"


def use_tool_then_answer(tools: Mapping[str, Mapping[str, Any]], reply: Reply) -> Handler:
    """Have each conversation that offers one of these tools use it once; then answer.

    A request without such a tool, as for a title, is answered at once.

    Args:
        tools: Arguments by the tool's name; the first that is offered is used.
        reply: Gives the answer.
    """

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        wire = request.path.rpartition("/")[2]
        tool = next((name for name in tools if name in offered(body)), None)
        if tool is None or tool_results(body):
            return await _ANSWERS[wire](reply(body))(request, body)
        return await _CALLS[wire](request, body, tool, json.dumps(tools[tool]))

    return handle


def use_tools_then_answer(steps: Steps, reply: Reply) -> Handler:
    """Have each conversation that offers tools use some one after the other; then answer. Over Chat Completions alone.

    Args:
        steps: Gives the tools with their arguments for what a conversation begins with.
        reply: Gives the answer.
    """

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        used = len(tool_results(body))
        ahead = list(steps(body))[used:] if offered(body) else []
        if not ahead:
            return await answer(reply(body))(request, body)
        tool, arguments = ahead[0]
        return await _call_by_chat(request, body, tool, json.dumps(arguments), f"call_{used + 1}")

    return handle


def offered(body: Mapping[str, Any]) -> list[str]:
    """The names of the tools that a request offers, by whichever wire."""
    return [str(tool.get("function", tool).get("name")) for tool in body.get("tools") or ()]


def tool_results(body: Mapping[str, Any]) -> list[str]:
    """What the tools of a conversation gave, by whichever wire, as text."""
    items = body.get("messages") or body.get("input") or ()
    found = [item.get("content") for item in items if item.get("role") == "tool"]
    found += [item.get("output") for item in items if item.get("type") == "function_call_output"]
    blocks = [block for item in items if isinstance(item.get("content"), list) for block in item["content"]]
    found += [block.get("content") for block in blocks if block.get("type") == "tool_result"]
    return [part if isinstance(part, str) else json.dumps(part) for part in found]


async def _call_by_chat(
    request: web.Request, body: dict[str, Any], tool: str, arguments: str, call_id: str = _CALL_ID
) -> web.StreamResponse:
    call = {"id": call_id, "type": "function", "function": {"name": tool, "arguments": arguments}}
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
        await response.write(sse({**head, "choices": [], "usage": usage(INPUT_TOKENS, OUTPUT_TOKENS)}))
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


async def _call_by_responses(
    request: web.Request, body: dict[str, Any], tool: str, arguments: str
) -> web.StreamResponse:
    call = {"type": "function_call", "id": "fc_double", "call_id": _CALL_ID, "name": tool, "status": "completed"}
    whole = responses.response_of("", body, responses.usage(fresh=INPUT_TOKENS, output=OUTPUT_TOKENS))
    whole["output"] = [call | {"arguments": arguments}]
    if not body.get("stream"):
        return web.json_response(whole)
    place = {"item_id": "fc_double", "output_index": 0}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": whole | {"status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": call | {"arguments": ""}},
        {"type": "response.function_call_arguments.delta", **place, "delta": arguments},
        {"type": "response.function_call_arguments.done", **place, "arguments": arguments},
        {"type": "response.output_item.done", "output_index": 0, "item": call | {"arguments": arguments}},
        {"type": "response.completed", "response": whole},
    ]
    return await _stream(request, (event | {"sequence_number": number} for number, event in enumerate(events)))


async def _call_by_messages(
    request: web.Request, body: dict[str, Any], tool: str, arguments: str
) -> web.StreamResponse:
    use = {"type": "tool_use", "id": _CALL_ID, "name": tool}
    whole = messages.message_of("", body, messages.usage(fresh=INPUT_TOKENS, output=OUTPUT_TOKENS))
    whole |= {"content": [use | {"input": json.loads(arguments)}], "stop_reason": "tool_use"}
    if not body.get("stream"):
        return web.json_response(whole)
    part = {"type": "input_json_delta", "partial_json": arguments}
    ended = {"stop_reason": "tool_use", "stop_sequence": None}
    return await _stream(
        request,
        iter(
            [
                {"type": "message_start", "message": whole | {"content": [], "stop_reason": None}},
                {"type": "content_block_start", "index": 0, "content_block": use | {"input": {}}},
                {"type": "content_block_delta", "index": 0, "delta": part},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": ended, "usage": {"output_tokens": OUTPUT_TOKENS}},
                {"type": "message_stop"},
            ]
        ),
    )


async def _stream(request: web.Request, events: Iterator[dict[str, Any]]) -> web.StreamResponse:
    response = await open_stream(request)
    for event in events:
        await response.write(sse(event, name=event["type"]))
    await response.write_eof()
    return response


def _answer_by_responses(text: str) -> Handler:
    return responses.answer(text, responses.usage(fresh=INPUT_TOKENS, output=OUTPUT_TOKENS))


def _answer_by_messages(text: str) -> Handler:
    return messages.answer(text, messages.usage(fresh=INPUT_TOKENS, output=OUTPUT_TOKENS))


def _answer_by_chat(text: str) -> Handler:
    return answer(text, report=usage(INPUT_TOKENS, OUTPUT_TOKENS))


_ANSWERS = {"completions": _answer_by_chat, "responses": _answer_by_responses, "messages": _answer_by_messages}
_CALLS = {"completions": _call_by_chat, "responses": _call_by_responses, "messages": _call_by_messages}
