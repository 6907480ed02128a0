"""Each wire with what a test needs to speak it on both sides: a further wire is one more entry of `KITS`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evalrouter_server.gateway.chat import ChatWire
from evalrouter_server.gateway.messages import MessagesWire
from evalrouter_server.gateway.responses import ResponsesWire
from evalrouter_server.gateway.wire import Wire

from tests.upstreams import faults, messages, responses, scripted
from tests.upstreams.scripted import Handler

PARAMETERS = {"type": "object", "properties": {"place": {"type": "string", "description": "Where to look"}}}
LONG = {"type": "ephemeral", "ttl": "1h"}
"""A mark that keeps the prompt in the provider's cache for longer than the price is for."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request in no wire's words.

    Attributes:
        text: The user's words.
        limit: The output limit; None names none.
        system: The system prompt.
        turns: Earlier turns, the user's and the model's in turn.
        tools: How many tools of its own the caller offers.
        tool_result: What one of them said.
        reasoning: Whether the model is to reason.
        schema: Whether the answer must be of a form.
        choices: How many answers; wires that give one only refuse more.
    """

    text: str = "What is the capital of France?"
    limit: int | None = 100
    system: str | None = None
    turns: tuple[str, ...] = ()
    tools: int = 0
    tool_result: str | None = None
    reasoning: bool = False
    schema: bool = False
    choices: int = 1


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a provider counts, in disjoint kinds."""

    fresh: int = 10
    cached: int = 0
    written: int = 0
    output: int = 5
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class WireKit:
    """One wire.

    Attributes:
        wire: Its implementation.
        path: Below the endpoint's root.
        body: A request.
        answer: The provider's answer, by text and counts; no counts where they are None.
        image: What makes a request have an image of these bytes.
        truncated: A stream that ends after its first text.
        unbounded: Requests whose cost has no bound, by the field that they are refused for.
        hosted_tool: A tool that the provider would run; None where those are refused.
    """

    wire: Callable[[], Wire]
    path: str
    body: Callable[[Ask], dict[str, Any]]
    answer: Callable[[str, Tokens | None], Handler]
    image: Callable[[str], dict[str, Any]]
    truncated: Handler
    unbounded: dict[str, dict[str, Any]]
    hosted_tool: dict[str, Any] | None


def _chat_body(ask: Ask) -> dict[str, Any]:
    turns = [{"role": ("user", "assistant")[number % 2], "content": text} for number, text in enumerate(ask.turns)]
    system = [{"role": "system", "content": ask.system}] if ask.system else []
    called: list[dict[str, Any]] = []
    if ask.tool_result is not None:
        call = {"id": "call_1", "type": "function", "function": {"name": "look0", "arguments": '{"place": "here"}'}}
        called = [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": ask.tool_result},
        ]
    body: dict[str, Any] = {
        "model": "double",
        "messages": [*system, *turns, {"role": "user", "content": ask.text}, *called],
    }
    if ask.limit is not None:
        body["max_tokens"] = ask.limit
    if ask.tools:
        functions = [
            {"name": f"look{number}", "description": "Look", "parameters": PARAMETERS} for number in range(ask.tools)
        ]
        body["tools"] = [{"type": "function", "function": function} for function in functions]
    if ask.reasoning:
        body["reasoning_effort"] = "high"
    if ask.schema:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "x", "schema": PARAMETERS}}
    if ask.choices > 1:
        body["n"] = ask.choices
    return body


def _chat_answer(text: str, tokens: Tokens | None) -> Handler:
    if tokens is None:
        return scripted.answer(text, report=None)
    report = scripted.usage(
        tokens.fresh + tokens.cached + tokens.written,
        tokens.output,
        prompt_tokens_details={"cached_tokens": tokens.cached, "cache_write_tokens": tokens.written},
        completion_tokens_details={"reasoning_tokens": tokens.reasoning},
    )
    return scripted.answer(text, report=report)


def _responses_body(ask: Ask) -> dict[str, Any]:
    turns = [
        {"type": "message", "role": ("user", "assistant")[number % 2], "content": text}
        for number, text in enumerate(ask.turns)
    ]
    words: dict[str, Any] = {"role": "user", "content": [{"type": "input_text", "text": ask.text}]}
    body: dict[str, Any] = {"model": "double", "input": [*turns, words]}
    if ask.system:
        body["instructions"] = ask.system
    if ask.tool_result is not None:
        body["input"] += [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA" * 20},
            {"type": "function_call", "call_id": "call_1", "name": "look0", "arguments": '{"place": "here"}'},
            {"type": "function_call_output", "call_id": "call_1", "output": ask.tool_result},
        ]
    if ask.limit is not None:
        body["max_output_tokens"] = ask.limit
    if ask.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": f"look{number}",
                "description": "Look",
                "parameters": PARAMETERS,
                "strict": False,
            }
            for number in range(ask.tools)
        ]
    if ask.reasoning:
        body |= {"reasoning": {"effort": "high", "summary": "auto"}, "include": ["reasoning.encrypted_content"]}
    if ask.schema:
        body["text"] = {"format": {"type": "json_schema", "name": "x", "schema": PARAMETERS}}
    return body | ({"n": ask.choices} if ask.choices > 1 else {})


def _responses_answer(text: str, tokens: Tokens | None) -> Handler:
    return responses.answer(text, None if tokens is None else responses.usage(**_counts(tokens)))


def _messages_body(ask: Ask) -> dict[str, Any]:
    turns = [{"role": ("user", "assistant")[number % 2], "content": text} for number, text in enumerate(ask.turns)]
    called: list[dict[str, Any]] = []
    if ask.tool_result is not None:
        use = {"type": "tool_use", "id": "toolu_1", "name": "look0", "input": {"place": "here"}}
        result = [{"type": "text", "text": ask.tool_result}]
        called = [
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, use]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": result}]},
        ]
    words = {"role": "user", "content": [{"type": "text", "text": ask.text}]}
    body: dict[str, Any] = {"model": "double", "messages": [*turns, words, *called]}
    if ask.system:
        body["system"] = [{"type": "text", "text": ask.system, "cache_control": {"type": "ephemeral"}}]
    if ask.limit is not None:
        body["max_tokens"] = ask.limit
    if ask.tools:
        body["tools"] = [
            {"name": f"look{number}", "description": "Look", "input_schema": PARAMETERS} for number in range(ask.tools)
        ]
    if ask.reasoning:
        body |= {"thinking": {"type": "enabled", "budget_tokens": 50}, "output_config": {"effort": "high"}}
    if ask.schema:
        body["output_config"] = {"format": {"type": "json_schema", "schema": PARAMETERS}}
    return body | ({"n": ask.choices} if ask.choices > 1 else {})


def _messages_answer(text: str, tokens: Tokens | None) -> Handler:
    return messages.answer(text, None if tokens is None else messages.usage(**_counts(tokens)))


def _counts(tokens: Tokens) -> dict[str, int]:
    return {
        "fresh": tokens.fresh,
        "cached": tokens.cached,
        "written": tokens.written,
        "output": tokens.output,
        "reasoning": tokens.reasoning,
    }


def _user(part: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [part]}]


KITS: dict[str, WireKit] = {
    "chat": WireKit(
        ChatWire,
        "chat/completions",
        _chat_body,
        _chat_answer,
        lambda data: {"messages": _user({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}})},
        faults.truncated_stream(),
        {
            "tools": {"tools": [{"type": "web_search"}]},
            "store": {"store": True},
            "best_of": {"best_of": 2},
            "service_tier": {"service_tier": "priority"},
            "previous_response_id": {"previous_response_id": "resp_1"},
            "messages": {"messages": _user({"type": "file", "file": {"file_id": "file_1"}})},
            "messages ": {"messages": _user({"type": "image_url", "image_url": {"url": "x"}, "cache_control": LONG})},
            "messages  ": {"messages": _user({"text": "x", "image_url": "https://example.invalid/a.png"})},
            "tools ": {"tools": [{"type": "function", "function": {"name": "x"}, "cache_control": LONG}]},
            "brand_new_field": {"brand_new_field": 1},
        },
        None,
    ),
    "responses": WireKit(
        ResponsesWire,
        "responses",
        _responses_body,
        _responses_answer,
        lambda data: {"input": _user({"type": "input_image", "image_url": f"data:image/png;base64,{data}"})},
        responses.answer("Paris is it", responses.usage(fresh=10, output=5), events=4),
        {
            "previous_response_id": {"previous_response_id": "resp_1"},
            "conversation": {"conversation": "conv_1"},
            "prompt": {"prompt": {"id": "pmpt_1"}},
            "background": {"background": True},
            "service_tier": {"service_tier": "flex"},
            "n": {"n": 2},
            "context_management": {"context_management": [{"type": "compaction"}]},
            "input": {"input": _user({"type": "input_file", "file_id": "file_1"})},
            "input ": {"input": _user({"type": "input_image", "image_url": "https://example.invalid/a.png"})},
            "input  ": {"input": [{"type": "item_reference", "id": "msg_1"}]},
            "input   ": {"input": [{"type": "brand_new_item"}]},
            "input    ": {"input": _user({"file_id": "file_1"})},
            "input     ": {"input": _user({"image_url": "https://example.invalid/a.png"})},
            "tool_choice": {"tool_choice": {"type": "web_search"}},
            "brand_new_field": {"brand_new_field": 1},
        },
        {"type": "web_search"},
    ),
    "messages": WireKit(
        MessagesWire,
        "messages",
        _messages_body,
        _messages_answer,
        lambda data: {"messages": _user({"type": "image", "source": {"type": "base64", "data": data}})},
        messages.answer("Paris is it", messages.usage(fresh=10, output=5), events=4),
        {
            "mcp_servers": {"mcp_servers": [{"type": "url", "url": "https://example.invalid", "name": "x"}]},
            "container": {"container": "c_1"},
            "service_tier": {"service_tier": "priority"},
            "speed": {"speed": "fast"},
            "inference_geo": {"inference_geo": "us"},
            "n": {"n": 2},
            "messages": {"messages": _user({"type": "image", "source": {"type": "file", "file_id": "file_1"}})},
            "messages ": {
                "messages": _user({"type": "document", "source": {"type": "url", "url": "https://x.invalid"}})
            },
            "messages  ": {
                "messages": _user(
                    {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "image", "source": {}}]}
                )
            },
            "messages   ": {
                "messages": _user({"type": "image", "source": {"type": "base64", "data": "AA"}, "cache_control": LONG})
            },
            "tools": {"tools": [{"name": "x", "cache_control": LONG}]},
            "cache_control": {"cache_control": LONG},
            "tool_choice": {"tool_choice": {"type": "tool", "name": "web_search"}},
            "brand_new_field": {"brand_new_field": 1},
        },
        {"type": "web_search_20250305", "name": "web_search"},
    ),
}
