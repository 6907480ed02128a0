"""What a Responses request may hold so that its cost has a bound, and how its output limit is set.

State on the provider's side is refused, for nobody here can count the input that it adds: earlier responses,
conversations, stored prompts and files. Hosted tools are left out of what is sent, and the run says so: agents offer
them unasked, and they are paid by use.

Reference: https://platform.openai.com/docs/api-reference/responses/create
"""

import json
from collections.abc import Mapping
from typing import Any

from evalrouter_server.gateway.images import bound_of, without_images
from evalrouter_server.gateway.request_checks import (
    checked_model,
    flag,
    invalid,
    kind_of,
    objects,
    refuse_unknown,
    unbounded,
    whole_number,
)
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.wire import HOSTED_TOOLS_LEFT_OUT, Prepared
from evalrouter_server.quoting.bounds import answer_forms, worst_case_tokens_of_items

HARMLESS_FIELDS = frozenset(
    {
        "client_metadata",
        "include",
        "input",
        "instructions",
        "max_tool_calls",
        "metadata",
        "parallel_tool_calls",
        "prompt_cache_key",
        "reasoning",
        "safety_identifier",
        "stream_options",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "truncation",
        "user",
    }
)
"""Fields that are passed on untouched, or read here: none adds to the price or to the bounded tokens."""

FREE_VALUES: Mapping[str, tuple[Any, ...]] = {
    "background": (False,),
    "prompt_cache_retention": ("in_memory", "in-memory"),
    "service_tier": ("default", "auto"),
    "store": (False, True),
}
"""Fields that are harmless with these values only; they are left out of what is sent, which always stores nothing and
asks for the tier that the price is for."""

_ITEM_TYPES = frozenset(
    {
        "message",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "apply_patch_call_output",
        "reasoning",
    }
)
_TEXT_TYPES = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal"})
_TYPELESS_FIELDS = frozenset({"type", "text", "stdout", "stderr", "outcome"})
"""What a part without a type may hold: a text, or what a command of the caller's printed."""

_OWN_TOOLS = frozenset({"function", "custom", "local_shell", "apply_patch"})
"""Tools that the caller runs itself."""


def prepare(body: Mapping[str, Any], route: RunRoute, upstream: Upstream) -> Prepared:
    """Check, bound and complete a request; see `Wire.prepare`."""
    fields = {name: value for name, value in body.items() if value is not None}
    model = checked_model(fields.pop("model", None), route)
    streamed = flag(fields.pop("stream", False), "stream")
    limit = (
        whole_number(fields.pop("max_output_tokens"), "max_output_tokens", most=10**7)
        if "max_output_tokens" in fields
        else route.output_token_limit
    )
    if not isinstance(fields.get("instructions", ""), str):
        invalid("instructions", "`instructions` must be a text")
    texts, images = without_images(fields.get("input"), "input")
    items = _items(texts)
    tools, hosted = _tools(fields.get("tools", []), fields.get("tool_choice"))
    refuse_unknown(fields, harmless=HARMLESS_FIELDS, free_values=FREE_VALUES)
    reads = [*items, *(fields[name] for name in ("instructions", "text") if name in fields)]
    sent = {name: value for name, value in fields.items() if name not in FREE_VALUES}
    sent |= {"model": upstream.model, "max_output_tokens": limit, "store": False, "stream": streamed}
    if "tools" in sent:
        sent["tools"] = tools
    if upstream.dialect.service_tier is not None:
        sent["service_tier"] = upstream.dialect.service_tier
    return Prepared(
        path="/responses",
        body=sent,
        streamed=streamed,
        model_requested=model,
        input_tokens=worst_case_tokens_of_items(reads, [*tools, *answer_forms(fields.get("text"))])
        + bound_of(images, upstream.dialect.image_tokens, "input"),
        output_tokens=limit,
        reads=tuple(json.dumps(part, ensure_ascii=False) for part in (*reads, *tools)),
        flags=(HOSTED_TOOLS_LEFT_OUT,) if hosted else (),
    )


def _items(given: Any) -> list[Any]:
    if isinstance(given, str):
        return [given]
    items = objects(given, "input")
    if not items:
        invalid("input", "`input` must be a text or a list of at least one item")
    for item in items:
        kind = kind_of(item, "input") or "message"
        if kind not in _ITEM_TYPES:
            unbounded(
                "input", f"an input item of type {str(kind)[:80]!r} has no known bound on its tokens; leave it out"
            )
        for name in ("content", "output", "summary"):
            if isinstance(item.get(name), list):
                _check_parts(item[name])
            elif isinstance(item.get(name), dict) and kind not in ("shell_call_output", "local_shell_call_output"):
                invalid("input", f"an item's `{name}` must be a text or a list")
    return items


def _check_parts(parts: list[Any]) -> None:
    for part in parts:
        kind = kind_of(part, "input") if isinstance(part, dict) else type(part).__name__
        if kind not in _TEXT_TYPES and not (
            isinstance(part, dict) and kind is None and part.keys() <= _TYPELESS_FIELDS
        ):
            unbounded(
                "input", f"a content part of type {str(kind)[:80]!r} has no known bound on its tokens; send text only"
            )


def _tools(given: Any, choice: Any) -> tuple[list[Any], bool]:
    """The caller's own tools, and whether there were hosted ones."""
    tools = objects(given, "tools")
    own = [tool for tool in tools if kind_of(tool, "tools") in _OWN_TOOLS]
    if isinstance(choice, dict) and kind_of(choice, "tool_choice") not in (*_OWN_TOOLS, "allowed_tools"):
        unbounded("tool_choice", "a hosted tool is paid by use, not by token; choose a function tool")
    return own, len(own) < len(tools)
