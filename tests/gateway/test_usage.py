"""The table of how providers report tokens, a case for each difference."""

from typing import Any

import pytest
from evalrouter_server.gateway.usage import (
    MOST_TOKENS,
    OPENAI_USAGE,
    USAGE_BY_PROVIDER,
    estimate,
    find_report,
    read_report,
)
from evalrouter_server.quoting.price import Usage
from hypothesis import given
from hypothesis import strategies as st

CASES: list[tuple[str, dict[str, Any], Usage, int | None]] = [
    (
        "openai",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 40},
        },
        Usage(10, 60, 30, 50, 40),
        None,
    ),
    (
        "anthropic",
        {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150, "cached_tokens": 900},
        Usage(100, 900, 0, 50, 0),
        None,
    ),
    (
        "anthropic",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "cache_read_input_tokens": 900,
            "cache_creation_input_tokens": 70,
        },
        Usage(100, 900, 70, 50, 0),
        None,
    ),
    (
        "google",
        {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 450},
        Usage(100, 0, 0, 350, 300),
        None,
    ),
    (
        "deepseek",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "prompt_cache_hit_tokens": 64,
            "prompt_cache_miss_tokens": 36,
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(36, 64, 0, 50, 20),
        None,
    ),
    (
        "x-ai",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 350,
            "prompt_tokens_details": {"cached_tokens": 30},
            "completion_tokens_details": {"reasoning_tokens": 200},
            "cost_in_usd_ticks": 12_345_678,
        },
        Usage(70, 30, 0, 250, 200),
        1235,
    ),
    (
        "openrouter",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 0},
            "cost": 0.000123,
        },
        Usage(100, 0, 0, 50, 0),
        123,
    ),
    (
        "perplexity",
        {"prompt_tokens": 100, "completion_tokens": 50, "reasoning_tokens": 7, "cost": {"total_cost": 0.5}},
        Usage(100, 0, 0, 57, 7),
        500_000,
    ),
    ("moonshotai", {"prompt_tokens": 100, "completion_tokens": 50, "cached_tokens": 25}, Usage(75, 25, 0, 50, 0), None),
    ("groq", {"prompt_tokens": 100, "completion_tokens": 50, "queue_time": 0.01}, Usage(100, 0, 0, 50, 0), None),
    (
        "local",
        {"prompt_tokens": 31, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 24}},
        Usage(7, 24, 0, 4, 0),
        None,
    ),
]


@pytest.mark.parametrize(("provider", "report", "expected", "cost"), CASES, ids=[case[0] for case in CASES])
def test_each_providers_report_is_read_into_disjoint_kinds(
    provider: str, report: dict[str, Any], expected: Usage, cost: int | None
) -> None:
    read = read_report(report, USAGE_BY_PROVIDER.get(provider, OPENAI_USAGE))
    assert read is not None
    assert (read.usage, read.cost_microusd) == (expected, cost)


def test_every_row_of_the_table_has_a_case() -> None:
    assert {case[0] for case in CASES} >= USAGE_BY_PROVIDER.keys()


def test_more_cached_tokens_than_input_are_cut() -> None:
    report = {"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 50}}
    read = read_report(report, OPENAI_USAGE)
    assert read is not None
    assert read.usage == Usage(0, 10, 0, 1, 0)


def test_absurd_counts_and_costs_stay_storable() -> None:
    read = read_report(
        {"prompt_tokens": 10**40, "completion_tokens": 1, "cost": 1e300}, USAGE_BY_PROVIDER["openrouter"]
    )
    assert read is not None
    assert (read.usage.input_tokens, read.cost_microusd) == (MOST_TOKENS, 10**15)


@pytest.mark.parametrize("cost", [-1, "dear", "NaN", "1e999999", None, True, [1]])
def test_a_cost_that_is_none_is_left_out(cost: Any) -> None:
    read = read_report({"prompt_tokens": 1, "completion_tokens": 1, "cost": cost}, USAGE_BY_PROVIDER["openrouter"])
    assert read is not None
    assert read.cost_microusd is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
report_fields = st.sampled_from(
    ["prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "prompt_tokens_details", "cost"]
)


@given(
    report=st.dictionaries(report_fields, json_values | st.integers(0, 10**6)),
    provider=st.sampled_from(sorted(USAGE_BY_PROVIDER)),
)
def test_no_report_breaks_the_reading(report: dict[str, Any], provider: str) -> None:
    assert find_report({"usage": report}) == (report or None)
    read = read_report(report, USAGE_BY_PROVIDER[provider])
    if read is not None:
        assert read.usage.reasoning_tokens <= read.usage.output_tokens


def test_the_estimate_counts_three_bytes_to_a_token() -> None:
    assert estimate(["abc", "äöü"], ["abcd", ""]) == Usage(input_tokens=1 + 4 + 2 + 4, output_tokens=2)
    assert estimate(["abc"], ["abcd"], output_tokens=50) == Usage(input_tokens=5, output_tokens=50)


def test_a_report_of_no_tokens_at_all_is_none() -> None:
    assert read_report({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, OPENAI_USAGE) is None
