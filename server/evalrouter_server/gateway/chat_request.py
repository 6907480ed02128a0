"""What a chat request may hold so that its cost has a bound, and how its output limit is set.

Everything that is not known to cost nothing beyond input and output tokens is refused: hosted tools and searches
are paid by the request, state on the provider's side adds input that nobody here can count, predictions bill
rejected tokens.
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
    refuse_long_cache,
    refuse_unknown,
    unbounded,
    whole_number,
)
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.wire import Prepared
from evalrouter_server.quoting.bounds import UnboundedInputError, worst_case_input_tokens

HARMLESS_FIELDS = frozenset(
    {
        "enable_thinking",
        "frequency_penalty",
        "function_call",
        "logit_bias",
        "logprobs",
        "metadata",
        "min_p",
        "parallel_tool_calls",
        "presence_penalty",
        "prompt_cache_key",
        "reasoning",
        "reasoning_effort",
        "reasoning_format",
        "repetition_penalty",
        "safety_identifier",
        "seed",
        "stop",
        "temperature",
        "thinking",
        "tool_choice",
        "top_k",
        "top_logprobs",
        "top_p",
        "user",
        "verbosity",
    }
)
"""Fields that are passed on untouched: none adds to the price or to the bounded tokens."""

FREE_VALUES: Mapping[str, tuple[Any, ...]] = {
    "store": (False,),
    "service_tier": ("default", "standard"),
    "modalities": (["text"],),
    "best_of": (1,),
}
"""Fields that are harmless with these values only; they are left out of what is sent."""

MOST_CHOICES = 128

_MESSAGE_FIELDS = frozenset(
    {
        "role",
        "content",
        "name",
        "tool_calls",
        "tool_call_id",
        "function_call",
        "refusal",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "annotations",
    }
)
_TOOL_TYPES = frozenset({"function", "custom"})
_READ_FIELDS = ("messages", "tools", "functions", "response_format")


def prepare(body: Mapping[str, Any], route: RunRoute, upstream: Upstream) -> Prepared:
    """Check, bound and complete a chat request.

    Args:
        body: The caller's request; a field that is null counts as absent.
        route: The run's way to its model.
        upstream: The endpoint.

    Returns:
        The request with its bounds: the input by its bytes, the output by the limit that is set on it, once for
        each choice.

    Raises:
        RequestRefused: It is malformed (`invalid_request`), names a model that the run does not have
            (`model_not_in_run`), or its cost has no bound (`unbounded_request`).
    """
    fields = {name: value for name, value in body.items() if value is not None}
    model = checked_model(fields.pop("model", None), route)
    messages = _messages(fields.get("messages"))
    streamed = flag(fields.pop("stream", False), "stream")
    stream_options = fields.pop("stream_options", {})
    limit = _output_limit(fields, route)
    choices = whole_number(fields.get("n", 1), "n", most=MOST_CHOICES)
    definitions = [*_tools(fields), *_functions(fields), *_response_format(fields)]
    refuse_unknown(fields, harmless=HARMLESS_FIELDS | {*_READ_FIELDS, "n"}, free_values=FREE_VALUES)
    texts, images = without_images(messages, "messages")
    try:
        input_tokens = worst_case_input_tokens(texts, definitions)
        input_tokens += bound_of(images, upstream.dialect.image_tokens, "messages")
    except UnboundedInputError as error:
        unbounded("messages", str(error))
    shows_usage = _shows_usage(stream_options)
    sent = {name: value for name, value in fields.items() if name not in FREE_VALUES}
    sent["model"] = upstream.model
    sent[upstream.dialect.output_limit_field] = limit
    if upstream.dialect.service_tier is not None:
        sent["service_tier"] = upstream.dialect.service_tier
    if streamed:
        sent |= {"stream": True, "stream_options": {**stream_options, "include_usage": True}}
    return Prepared(
        path="/chat/completions",
        body=sent,
        streamed=streamed,
        model_requested=model,
        input_tokens=input_tokens,
        output_tokens=limit * choices,
        reads=tuple(json.dumps(part, ensure_ascii=False) for part in (*texts, *definitions)),
        shows_usage=shows_usage,
    )


def adapt_to_dialect(body: Mapping[str, Any], upstream: Upstream) -> dict[str, Any]:
    """The built-in runner's request as the model takes it.

    A reasoning model takes neither temperature nor stop sequences, and the least effort that a protocol may ask for is
    the least that it knows; other models take no effort at all.

    Args:
        body: The runner's request.
        upstream: The endpoint.
    """
    adapted = dict(body)
    if not upstream.dialect.takes_temperature:
        adapted.pop("temperature", None)
        adapted.pop("stop", None)
    if upstream.dialect.least_effort is None:
        adapted.pop("reasoning_effort", None)
    elif adapted.get("reasoning_effort") == "minimal":
        adapted["reasoning_effort"] = upstream.dialect.least_effort
    return adapted


def lower_output_limit(body: Mapping[str, Any], most: int) -> dict[str, Any]:
    """A request whose output limits are not above what its run was quoted for.

    Args:
        body: The request.
        most: The run's limit, in tokens.
    """
    limits = {
        name: min(body[name], most)
        for name in ("max_tokens", "max_completion_tokens")
        if isinstance(body.get(name), int) and not isinstance(body[name], bool)
    }
    return {**body, **limits}


def _messages(messages: Any) -> list[dict[str, Any]]:
    if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
        invalid("messages", "`messages` must be a list of at least one message, each an object")
    for message in messages:
        for name in message:
            if name not in _MESSAGE_FIELDS and message[name] is not None:
                unbounded(
                    "messages", f"the message field {name[:80]!r} is not known to be free of extra cost; leave it out"
                )
        for part in content if isinstance(content := message.get("content"), list) else ():
            if isinstance(part, dict):
                refuse_long_cache(part, "messages")
    return messages


def _output_limit(fields: dict[str, Any], route: RunRoute) -> int:
    asked = [
        whole_number(fields.pop(name), name, most=10**7)
        for name in ("max_tokens", "max_completion_tokens")
        if name in fields
    ]
    return min(asked, default=route.output_token_limit)


def _tools(fields: Mapping[str, Any]) -> list[Any]:
    tools = fields.get("tools", [])
    if not isinstance(tools, list):
        invalid("tools", "`tools` must be a list")
    for tool in tools:
        kind = kind_of(tool, "tools")
        if kind not in _TOOL_TYPES:
            unbounded(
                "tools", f"a hosted tool ({str(kind)[:80]!r}) is paid by use, not by token; send function tools only"
            )
        for place in (tool, tool.get("function")):
            if isinstance(place, dict):
                refuse_long_cache(place, "tools")
    return tools


def _functions(fields: Mapping[str, Any]) -> list[Any]:
    functions = fields.get("functions", [])
    if not isinstance(functions, list):
        invalid("functions", "`functions` must be a list")
    return functions


def _response_format(fields: Mapping[str, Any]) -> list[Any]:
    return [fields["response_format"]] if "response_format" in fields else []


def _shows_usage(options: Any) -> bool:
    if not isinstance(options, dict):
        invalid("stream_options", "`stream_options` must be an object")
    if unknown := options.keys() - {"include_usage", "include_obfuscation"}:
        unbounded("stream_options", f"the option {min(unknown)[:80]!r} is not known; leave it out")
    return flag(options.get("include_usage") or False, "stream_options.include_usage")
