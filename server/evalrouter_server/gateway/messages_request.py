"""What an Anthropic Messages request may hold so that its cost has a bound, and how its output limit is set.

Hosted tools are left out of what is sent, and the run says so: agents offer them unasked, and they are paid by use.
Files, remote tool servers, containers and faster or regional serving are refused.

Reference: https://platform.claude.com/docs/en/api/messages
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evalrouter_server.gateway.images import bound_of, without_images
from evalrouter_server.gateway.request_checks import (
    checked_model,
    flag,
    invalid,
    kind_of,
    objects,
    refuse_long_cache,
    refuse_unknown,
    unbounded,
    whole_number,
)
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.wire import HOSTED_TOOLS_LEFT_OUT, Prepared
from evalrouter_server.quoting.bounds import answer_forms, worst_case_tokens_of_items

HARMLESS_FIELDS = frozenset(
    {
        "cache_control",
        "context_management",
        "messages",
        "metadata",
        "output_config",
        "stop_sequences",
        "system",
        "temperature",
        "thinking",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
    }
)
"""Fields that are passed on untouched, or read here: none adds to the price or to the bounded tokens."""

FREE_VALUES: Mapping[str, tuple[Any, ...]] = {
    "inference_geo": ("global",),
    "mcp_servers": ([],),
    "service_tier": ("standard_only", "auto"),
    "speed": ("standard",),
}
"""Fields that are harmless with these values only; they are left out of what is sent."""

TOKENS_PER_BUILT_IN_TOOL = 1_000
"""Allowance for a tool that the provider describes to the model itself; the documented ones take up to 735."""

LEAST_THINKING = 1_024
"""The least budget that the provider takes for thinking, in tokens."""

_BLOCK_TYPES = frozenset({"text", "tool_use", "tool_result", "thinking", "redacted_thinking"})
_BUILT_IN_TOOLS = ("bash_", "text_editor_", "memory_")
"""Tools that the provider describes and the caller runs."""


def prepare(body: Mapping[str, Any], route: RunRoute, upstream: Upstream) -> Prepared:
    """Check, bound and complete a request; see `Wire.prepare`."""
    fields = {name: value for name, value in body.items() if value is not None}
    model = checked_model(fields.pop("model", None), route)
    streamed = flag(fields.pop("stream", False), "stream")
    limit = (
        whole_number(fields.pop("max_tokens"), "max_tokens", most=10**7)
        if "max_tokens" in fields
        else route.output_token_limit
    )
    texts, images = without_images(fields.get("messages"), "messages")
    reads, tools, hosted = readable(fields | {"messages": texts})
    refuse_unknown(fields, harmless=HARMLESS_FIELDS, free_values=FREE_VALUES)
    sent = {name: value for name, value in fields.items() if name not in FREE_VALUES}
    sent |= {"model": upstream.model, "max_tokens": limit, "stream": streamed}
    if "tools" in sent:
        sent["tools"] = tools
    if "thinking" in sent:
        sent["thinking"] = _thinking(sent["thinking"], limit)
    if upstream.dialect.messages_service_tier is not None:
        sent["service_tier"] = upstream.dialect.messages_service_tier
    return Prepared(
        path="/messages",
        body=sent,
        streamed=streamed,
        model_requested=model,
        input_tokens=bound(reads, [*tools, *answer_forms(fields.get("output_config"))])
        + bound_of(images, upstream.dialect.image_tokens, "messages"),
        output_tokens=limit,
        reads=tuple(json.dumps(part, ensure_ascii=False) for part in (*reads, *tools)),
        flags=(HOSTED_TOOLS_LEFT_OUT,) if hosted else (),
    )


def readable(fields: Mapping[str, Any]) -> tuple[list[Any], list[Any], bool]:
    """What the model reads.

    Args:
        fields: The request's fields.

    Returns:
        System blocks and messages; the caller's own tools; whether there were hosted tools.

    Raises:
        RequestRefused: Something is malformed, or has no bound.
    """
    messages = objects(fields.get("messages"), "messages")
    if not messages:
        invalid("messages", "`messages` must be a list of at least one message")
    system = fields.get("system", [])
    blocks = [system] if isinstance(system, str) else objects(system, "system")
    for block in (*blocks, *_blocks(messages)):
        _check_block(block)
    for place in (fields, *(block for block in blocks if isinstance(block, dict))):
        refuse_long_cache(place, "cache_control")
    tools, hosted = _tools(fields.get("tools", []), fields.get("tool_choice"))
    formats = [fields["output_config"]] if "output_config" in fields else []
    return [*blocks, *messages, *formats], tools, hosted


def bound(reads: list[Any], tools: list[Any]) -> int:
    """An upper bound of the input tokens of what `readable` gives."""
    built_in = sum(1 for tool in tools if str(tool.get("type", "custom")).startswith(_BUILT_IN_TOOLS))
    return worst_case_tokens_of_items(reads, tools) + TOKENS_PER_BUILT_IN_TOOL * built_in


def _blocks(messages: list[dict[str, Any]]) -> Iterator[Any]:
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            yield from content
        elif not isinstance(content, str):
            invalid("messages", "a message's content must be a text or a list of blocks")


def _check_block(block: Any) -> None:
    if isinstance(block, str):
        return
    kind = kind_of(block, "messages") if isinstance(block, dict) else type(block).__name__
    if kind not in _BLOCK_TYPES:
        unbounded("messages", f"a block of type {str(kind)[:80]!r} has no known bound on its tokens; send text only")
    refuse_long_cache(block, "messages")
    content = block.get("content")
    if isinstance(content, dict):
        invalid("messages", "a block's content must be a text or a list of blocks")
    for part in content if isinstance(content, list) else ():
        _check_block(part)


def _tools(given: Any, choice: Any) -> tuple[list[Any], bool]:
    """The caller's own tools, and whether there were hosted ones."""
    tools = objects(given, "tools")
    own = [
        tool
        for tool in tools
        if (kind := kind_of(tool, "tools") or "custom") == "custom" or kind.startswith(_BUILT_IN_TOOLS)
    ]
    for tool in own:
        refuse_long_cache(tool, "tools")
    named = choice.get("name") if isinstance(choice, dict) else None
    if named is not None and named not in [tool.get("name") for tool in own]:
        unbounded("tool_choice", "a hosted tool is paid by use, not by token; choose a tool of your own")
    return own, len(own) < len(tools)


def _thinking(asked: Any, limit: int) -> Any:
    """Thinking is output; a budget for it that is beyond the limit is cut to what the provider takes."""
    budget = asked.get("budget_tokens") if isinstance(asked, dict) else None
    if not isinstance(budget, int) or budget < limit or limit <= LEAST_THINKING:
        return asked
    return asked | {"budget_tokens": max(LEAST_THINKING, limit // 2)}
