"""What a chat request may hold, and that its bounds hold."""

import json
from decimal import Decimal
from typing import Any

import pytest
from evalrouter_server.gateway.chat_request import adapt_to_dialect, prepare
from evalrouter_server.gateway.dialects import Dialect, dialect_of, dialect_of_endpoint
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.usage import estimate
from evalrouter_server.gateway.wire import Prepared, RequestRefused
from evalrouter_server.quoting.price import Price, Tier, Usage, charge_microusd, worst_case_microusd
from hypothesis import given
from hypothesis import strategies as st

PRICE = Price(
    input_usd_per_mtok=Decimal(1),
    output_usd_per_mtok=Decimal(4),
    cached_input_usd_per_mtok=Decimal("0.1"),
    cache_write_usd_per_mtok=Decimal("1.25"),
    source="test",
    version="1",
    tiers=(Tier(above_input_tokens=500, input_usd_per_mtok=Decimal(2), output_usd_per_mtok=Decimal(3)),),
)
MESSAGES = [{"role": "user", "content": "Hi"}]
TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "Look it up", "parameters": {"type": "object", "properties": {}}},
}


def prepared(body: dict[str, Any], dialect: Dialect | None = None) -> Prepared:
    async def connect() -> Upstream:
        return upstream

    upstream = Upstream("http://127.0.0.1:1/v1", None, "upstream-name", dialect or Dialect())
    route = RunRoute("run_1", "gpt-5", frozenset({"gpt-5", "openai/gpt-5"}), PRICE, 256, connect)
    return prepare({"model": "gpt-5", "messages": MESSAGES} | body, route, upstream)


def test_the_output_limit_is_set_on_every_call() -> None:
    request = prepared({})
    assert request.body == {"model": "upstream-name", "messages": MESSAGES, "max_tokens": 256}
    assert (request.output_tokens, request.streamed) == (256, False)
    assert prepared({"max_tokens": 7}).body["max_tokens"] == 7
    both = prepared({"max_tokens": 9, "max_completion_tokens": 8})
    assert both.body["max_tokens"] == both.output_tokens == 8
    assert "max_completion_tokens" not in both.body
    assert prepared({"max_tokens": None}).output_tokens == 256


def test_openai_gets_its_own_field_and_the_tier_that_the_price_is_for() -> None:
    body = prepared({"max_tokens": 7}, dialect_of("openai", "gpt-5")).body
    assert (body["max_completion_tokens"], body["service_tier"]) == (7, "default")
    assert "max_tokens" not in body
    assert "service_tier" not in prepared({}, dialect_of("groq", "llama-3.3-70b-versatile")).body


@pytest.mark.parametrize(
    ("provider", "slug", "effort"),
    [
        ("openai", "gpt-5", "minimal"),
        ("openai", "gpt-5-mini-2025-08-07", "minimal"),
        ("openai", "gpt-5.4", "low"),
        ("openai", "gpt-6-sol", "low"),
        ("openai", "o3", "low"),
        ("openai", "o1-mini", None),
        ("openai", "gpt-4.1", None),
        ("anthropic", "claude-haiku-4-5", None),
    ],
)
def test_the_built_in_runner_speaks_each_models_words(provider: str, slug: str, effort: str | None) -> None:
    upstream = Upstream("https://example.invalid", None, slug, dialect_of(provider, slug))
    asked = {"temperature": 0, "stop": ["Q:"], "reasoning_effort": "minimal", "messages": MESSAGES}
    adapted = adapt_to_dialect(asked, upstream)
    assert adapted.get("reasoning_effort") == effort
    assert ("temperature" in adapted) is (slug in ("gpt-4.1", "claude-haiku-4-5"))
    assert ("stop" in adapted) is ("temperature" in adapted)


def test_a_connection_to_a_known_provider_speaks_as_that_does() -> None:
    assert dialect_of_endpoint("https://api.openai.com/v1", "o3") == dialect_of("openai", "o3")
    assert dialect_of_endpoint("http://127.0.0.1:8000/v1", "o3") == Dialect()


def test_more_choices_multiply_the_output() -> None:
    request = prepared({"n": 3, "max_tokens": 10})
    assert (request.output_tokens, request.body["n"]) == (30, 3)


def test_a_stream_asks_for_its_usage() -> None:
    hidden = prepared({"stream": True})
    assert hidden.body["stream_options"] == {"include_usage": True}
    assert (hidden.streamed, hidden.shows_usage) == (True, False)
    assert prepared({"stream": True, "stream_options": {"include_usage": True}}).shows_usage is True
    assert "stream_options" not in prepared({"stream": False}).body


def test_tools_and_formats_are_bounded_as_input() -> None:
    plain = prepared({}).input_tokens
    assert prepared({"tools": [TOOL]}).input_tokens > plain + len(json.dumps(TOOL))
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    assert prepared({"response_format": schema}).input_tokens > plain + len(json.dumps(schema))
    assert prepared({"functions": [TOOL["function"]]}).input_tokens > plain
    assert prepared({"tools": [TOOL]}).body["tools"] == [TOOL]


UNBOUNDED: dict[str, dict[str, Any]] = {
    "hosted tool": {"tools": [{"type": "web_search"}]},
    "tool without a type": {"tools": [{}]},
    "best_of": {"best_of": 2},
    "service_tier": {"service_tier": "priority"},
    "service_tier auto": {"service_tier": "auto"},
    "store": {"store": True},
    "previous_response_id": {"previous_response_id": "resp_1"},
    "prediction": {"prediction": {"type": "content", "content": "x"}},
    "audio": {"audio": {"voice": "alloy", "format": "wav"}},
    "modalities": {"modalities": ["text", "audio"]},
    "web_search_options": {"web_search_options": {}},
    "fallback models": {"models": ["a", "b"]},
    "plugins": {"plugins": [{"id": "web"}]},
    "unknown": {"brand_new_field": 1},
    "stream option": {"stream": True, "stream_options": {"brand_new": True}},
    "image": {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]},
    "file": {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "file-1"}}]}]},
    "earlier audio": {"messages": [{"role": "assistant", "content": "", "audio": {"id": "audio_1"}}]},
    "unknown message field": {"messages": [{"role": "user", "content": "x", "brand_new": 1}]},
    "hour-long cache": {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
            }
        ]
    },
}


@pytest.mark.parametrize("body", UNBOUNDED.values(), ids=UNBOUNDED.keys())
def test_what_has_no_bound_is_refused_by_name(body: dict[str, Any]) -> None:
    with pytest.raises(RequestRefused) as refused:
        prepared(body)
    assert (refused.value.code, refused.value.status) == ("unbounded_request", 400)
    assert refused.value.param in body


INVALID: dict[str, dict[str, Any]] = {
    "no messages": {"messages": []},
    "messages no list": {"messages": "Hi"},
    "message no object": {"messages": ["Hi"]},
    "max_tokens 0": {"max_tokens": 0},
    "max_tokens -1": {"max_tokens": -1},
    "max_tokens text": {"max_tokens": "7"},
    "max_tokens true": {"max_tokens": True},
    "max_tokens fraction": {"max_tokens": 1.5},
    "n 0": {"n": 0},
    "n many": {"n": 1000},
    "stream text": {"stream": "yes"},
    "stream_options": {"stream": True, "stream_options": []},
    "tools": {"tools": {}},
    "functions": {"functions": 1},
    "model": {"model": 5},
}


@pytest.mark.parametrize("body", INVALID.values(), ids=INVALID.keys())
def test_malformed_requests_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(RequestRefused) as refused:
        prepared(body)
    assert refused.value.code == "invalid_request"


@pytest.mark.parametrize("name", ["gpt-5-mini", "gpt-5-2025-08-07", "GPT-5", "", "gpt"])
def test_another_models_name_is_refused(name: str) -> None:
    with pytest.raises(RequestRefused, match="ask for gpt-5") as refused:
        prepared({"model": name})
    assert (refused.value.code, refused.value.status) == ("model_not_in_run", 404)


def test_harmless_fields_pass_and_free_values_are_left_out() -> None:
    body = prepared(
        {"temperature": 0.5, "stop": ["x"], "user": "u", "store": False, "service_tier": "default", "best_of": 1}
    ).body
    assert body.keys() == {"model", "messages", "max_tokens", "temperature", "stop", "user"}


texts = st.text(max_size=60)
messages_lists = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["system", "user", "assistant"]),
            "content": texts | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts}), max_size=3),
        }
    ),
    min_size=1,
    max_size=5,
)


@given(
    messages=messages_lists,
    tools=st.lists(st.just(TOOL), max_size=3),
    n=st.integers(1, 8),
    limit=st.integers(1, 500),
    data=st.data(),
)
def test_no_usage_within_the_bounds_costs_more_than_the_worst_case(
    messages: list[dict[str, Any]], tools: list[Any], n: int, limit: int, data: st.DataObject
) -> None:
    request = prepared({"messages": messages, "tools": tools, "n": n, "max_tokens": limit})
    fresh = data.draw(st.integers(0, request.input_tokens))
    cached = data.draw(st.integers(0, request.input_tokens - fresh))
    written = request.input_tokens - fresh - cached
    usage = Usage(fresh, cached, written, data.draw(st.integers(0, request.output_tokens)))
    worst = worst_case_microusd(PRICE, request.input_tokens, request.output_tokens)
    assert charge_microusd(PRICE, usage) <= worst
    read = estimate(request.reads, [])
    assert charge_microusd(PRICE, Usage(read.input_tokens)) <= worst
