"""Upper bounds of a call's input tokens, known before the call is made.

A byte-level tokeniser (byte-pair encoding over UTF-8, or SentencePiece with byte fallback) gives every token at least
one byte of the text, so a text never has more tokens than UTF-8 bytes. What surrounds the texts is bounded by fixed
allowances: role markers and separators for each message and each part of one; the opening, the start of the answer and
a short system prompt of the chat template's own for the request. Tools, and the form that an answer must have, are
written into the prompt in a provider's own way: their JSON may come out indented, hence the factor, and a provider may
add instructions on their use (Anthropic documents up to about 530 tokens), hence the allowance. The arguments of a
tool's call are JSON in a text, which chat templates decode and write out anew (`[1,1e15]` as
`[1, 1000000000000000.0]`): the longer of the two counts.

Should a provider ever report more than the bound, the charge is still cut to it: the bound is what was reserved.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

type Message = Mapping[str, JsonValue]

TOKENS_PER_MESSAGE = 16
"""Allowance for what a chat template writes around one message, or one part of a message."""

TOKENS_PER_REQUEST = 96
"""Allowance for what a chat template adds to a request: opening, its own system prompt, the start of the answer."""

TOKENS_FOR_TOOLS = 600
"""Allowance for a provider's own instructions on the use of tools and forms, once where there are any."""

TOOL_FACTOR = 2
"""How many times its JSON's bytes a tool definition may take as prompt text."""

_TYPELESS_FIELDS = frozenset({"type", "text", "cache_control"})
"""What a content part without a type may hold."""


class UnboundedInputError(ValueError):
    """A message holds a part whose tokens cannot be bounded beforehand."""


def worst_case_input_tokens(messages: Sequence[Message], tools: Sequence[JsonValue] = ()) -> int:
    """An upper bound of the input tokens of a chat request.

    Args:
        messages: Chat messages in the chat completions wire's form; contents are texts or lists of text parts.
        tools: Tool definitions in the same wire's form.

    Returns:
        Tokens.

    Raises:
        UnboundedInputError: A message holds something other than text, such as an image.
    """
    texts = sum(_content_bytes(message) for message in messages)
    definitions = sum(TOOL_FACTOR * _json_bytes(tool) for tool in tools)
    instructions = TOKENS_FOR_TOOLS if tools else 0
    return texts + definitions + instructions + TOKENS_PER_MESSAGE * len(messages) + TOKENS_PER_REQUEST


def worst_case_tokens_of_items(items: Sequence[JsonValue], tools: Sequence[JsonValue] = ()) -> int:
    """An upper bound of the input tokens of a request whose input is a list of typed items.

    Each item is taken with all of its JSON, which has at least the bytes of the texts in it; an item counts as many
    times the allowance for what surrounds a message as it has objects in it.

    Args:
        items: Input items, content blocks or messages of any wire, none of them an image or a file.
        tools: Tool definitions.

    Returns:
        Tokens.
    """
    texts = sum(
        _json_bytes(item) + _added_by_rewriting(item) + TOKENS_PER_MESSAGE * _objects_in(item) for item in items
    )
    definitions = sum(TOOL_FACTOR * _json_bytes(tool) for tool in tools)
    return texts + definitions + (TOKENS_FOR_TOOLS if tools else 0) + TOKENS_PER_REQUEST


def answer_forms(settings: JsonValue) -> list[JsonValue]:
    """The form that an answer must have, which a provider describes to the model as it does a tool; none: no entry.

    Args:
        settings: What holds it under `format`, in the words of the Responses or the Messages wire.
    """
    return [settings["format"]] if isinstance(settings, dict) and settings.get("format") is not None else []


def _objects_in(value: JsonValue) -> int:
    """A text is an object of its own, and so is each object of a list, at any depth."""
    if isinstance(value, dict):
        return 1 + sum(_objects_in(entry) for entry in value.values() if isinstance(entry, list))
    if isinstance(value, list):
        return sum(map(_objects_in, value))
    return 1


def _content_bytes(message: Message) -> int:
    total = 0
    for name, value in message.items():
        if name != "content":
            total += _json_bytes(value) + _added_by_rewriting(value)
        elif isinstance(value, str):
            total += _bytes(value)
        elif isinstance(value, list):
            total += sum(TOKENS_PER_MESSAGE + _part_bytes(part) for part in value)
        elif value is not None:
            raise UnboundedInputError(
                f"a message's content must be a text or a list of parts, not {type(value).__name__}"
            )
    return total


def _part_bytes(part: JsonValue) -> int:
    if isinstance(part, str):
        return _bytes(part)
    if isinstance(part, dict) and isinstance(text := part.get("text"), str) and _is_text(part):
        return _bytes(text)
    kind = part.get("type") if isinstance(part, dict) else type(part).__name__
    raise UnboundedInputError(f"a content part of type {kind!r} has no known bound on its tokens; send text parts only")


def _is_text(part: Mapping[str, JsonValue]) -> bool:
    """Some servers take a part without a type by what else it holds, such as an image."""
    return part.get("type") == "text" or (part.get("type") is None and part.keys() <= _TYPELESS_FIELDS)


def _json_bytes(value: JsonValue) -> int:
    return _bytes(value) if isinstance(value, str) else _bytes(json.dumps(value, ensure_ascii=False))


def _added_by_rewriting(value: JsonValue) -> int:
    """How many bytes longer the arguments of tools' calls may get by being decoded and encoded again."""
    if isinstance(value, list):
        return sum(map(_added_by_rewriting, value))
    if not isinstance(value, dict):
        return 0
    added = sum(_added_by_rewriting(entry) for entry in value.values() if isinstance(entry, dict | list))
    if isinstance(arguments := value.get("arguments"), str):
        with contextlib.suppress(ValueError, RecursionError):
            added += max(0, _json_bytes(json.loads(arguments)) - _bytes(arguments))
    return added


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
