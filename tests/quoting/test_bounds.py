"""Input bounds: no byte-level tokeniser gives more tokens than UTF-8 bytes, whatever the text."""

import json
from typing import Any

import pytest
from evalrouter_server.quoting.bounds import (
    TOKENS_FOR_TOOLS,
    TOKENS_PER_MESSAGE,
    TOKENS_PER_REQUEST,
    UnboundedInputError,
    worst_case_input_tokens,
    worst_case_tokens_of_items,
)
from hypothesis import given
from hypothesis import strategies as st


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


@given(st.lists(st.text(), max_size=5))
def test_the_bound_covers_every_byte(texts: list[str]) -> None:
    fixed = TOKENS_PER_REQUEST + TOKENS_PER_MESSAGE * len(texts)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    assert worst_case_input_tokens([user(text) for text in texts]) >= size + fixed


def test_parts_count_like_one_text_and_what_joins_them() -> None:
    """Some servers join the parts by line ends, each of them a token."""
    parts = [{"type": "text", "text": "Zürich"}, {"type": "text", "text": "!"}]
    joined = worst_case_input_tokens([user("Zürich!")])
    assert worst_case_input_tokens([user(parts)]) == joined + 2 * TOKENS_PER_MESSAGE


@pytest.mark.parametrize("count", [worst_case_input_tokens, worst_case_tokens_of_items])
@pytest.mark.parametrize(
    "arguments", ["[" + "1," * 500 + "1]", '{"x":[' + "1e15," * 500 + "1]}", '{"a":"\u00fc"}', "{"]
)
def test_arguments_count_as_a_chat_template_writes_them_anew(count: Any, arguments: str) -> None:
    function = {"name": "look", "arguments": arguments}
    called = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }
    try:
        anew = json.dumps(json.loads(arguments), ensure_ascii=False)
    except ValueError:
        anew = arguments
    assert count([called]) >= max(len(arguments), len(anew))


def test_tools_and_calls_count() -> None:
    messages = [user("hello")]
    tool: dict[str, Any] = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}
    assert worst_case_input_tokens(messages, [tool]) > worst_case_input_tokens(messages) + TOKENS_FOR_TOOLS
    called: dict[str, Any] = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "function": {"arguments": "x" * 500}}],
    }
    assert worst_case_input_tokens([called]) > 500


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "image_url", "image_url": {"url": "x"}}],
        [{"type": "file", "text": "x"}],
        [{"text": "x", "image_url": "x"}],
        [7],
        7,
    ],
)
def test_what_cannot_be_bounded_is_refused(content: Any) -> None:
    with pytest.raises(UnboundedInputError):
        worst_case_input_tokens([user(content)])
