"""Charges are exact, rounded up once, and never above the worst case."""

from typing import Any

import pytest
from evalrouter_server.quoting.price import Price, Tier, Usage, charge_microusd, worst_case_microusd
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

RATES = st.decimals(min_value=0, max_value=200, places=4)
TOKENS = st.integers(0, 500_000)


@st.composite
def prices(draw: st.DrawFn) -> Price:
    sizes = sorted(draw(st.sets(st.integers(0, 400_000), max_size=3)))
    return Price(
        source="test",
        version="1",
        tiers=tuple(Tier(above_input_tokens=size, **draw(rates())) for size in sizes),
        **draw(rates()),
    )


def rates() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "input_usd_per_mtok": RATES,
            "output_usd_per_mtok": RATES,
            "cached_input_usd_per_mtok": st.none() | RATES,
            "cache_write_usd_per_mtok": st.none() | RATES,
        }
    )


def price(input_rate: str = "1.25", output_rate: str = "10", **more: object) -> Price:
    return Price.model_validate(
        {"input_usd_per_mtok": input_rate, "output_usd_per_mtok": output_rate, "source": "t", "version": "1", **more}
    )


@given(prices(), TOKENS, TOKENS, TOKENS, TOKENS, TOKENS, TOKENS)
def test_no_usage_within_the_bounds_costs_more_than_the_worst_case(
    given_price: Price, plain: int, cached: int, written: int, output: int, more_input: int, more_output: int
) -> None:
    usage = Usage(plain, cached, written, output)
    bound = worst_case_microusd(given_price, usage.all_input_tokens + more_input, output + more_output)
    assert charge_microusd(given_price, usage) <= bound


@given(prices(), TOKENS, TOKENS, TOKENS, TOKENS)
def test_worst_case_grows_with_the_bounds(given_price: Price, tokens: int, more: int, output: int, extra: int) -> None:
    smaller = worst_case_microusd(given_price, tokens, output)
    assert smaller <= worst_case_microusd(given_price, tokens + more, output + extra)


@given(prices())
def test_a_price_survives_json(given_price: Price) -> None:
    assert Price.model_validate_json(given_price.model_dump_json()) == given_price


def test_charge_is_rounded_up_once() -> None:
    assert charge_microusd(price("0.1", "0.2"), Usage(input_tokens=1, output_tokens=1)) == 1
    assert charge_microusd(price("1.25", "10"), Usage(input_tokens=100, output_tokens=20)) == 325
    assert charge_microusd(price("1.25", "10"), Usage(input_tokens=101, output_tokens=20)) == 327
    assert charge_microusd(price(), Usage()) == 0


def test_kinds_of_input_have_their_own_rates() -> None:
    rated = price("3", "15", cached_input_usd_per_mtok="0.3", cache_write_usd_per_mtok="3.75")
    assert charge_microusd(rated, Usage(10, 100, 1000, 7, 5)) == 30 + 30 + 3750 + 105
    assert charge_microusd(price("3", "15"), Usage(10, 100, 1000, 7)) == 3 * 1110 + 105


def test_a_tier_holds_for_the_whole_call() -> None:
    tier = {"above_input_tokens": 200_000, "input_usd_per_mtok": "2.5", "output_usd_per_mtok": "15"}
    tiered = price("1.25", "10", tiers=[tier])
    assert charge_microusd(tiered, Usage(input_tokens=200_000, output_tokens=2)) == 250_020
    assert charge_microusd(tiered, Usage(input_tokens=200_001, output_tokens=2)) == 500_033
    assert charge_microusd(tiered, Usage(cached_input_tokens=200_001)) == 500_003


def test_a_cheaper_tier_does_not_lower_the_worst_case() -> None:
    tier = {"above_input_tokens": 100, "input_usd_per_mtok": "0", "output_usd_per_mtok": "0"}
    assert worst_case_microusd(price("10", "10", tiers=[tier]), 101, 10) == 1110


@pytest.mark.parametrize("rate", ["-1", "NaN", "Infinity", "1e400", "free"])
def test_a_rate_that_is_no_amount_is_refused(rate: str) -> None:
    with pytest.raises(ValidationError):
        price(rate)


def test_tiers_must_ascend() -> None:
    tier = {"above_input_tokens": 100, "input_usd_per_mtok": "1", "output_usd_per_mtok": "1"}
    with pytest.raises(ValidationError, match="ascend"):
        price(tiers=[tier, tier])


def test_free_means_free_in_every_kind_and_tier() -> None:
    tier = {"above_input_tokens": 100, "input_usd_per_mtok": "0", "output_usd_per_mtok": "1"}
    assert price("0", "0").is_free
    assert not price("0", "0", cache_write_usd_per_mtok="1").is_free
    assert not price("0", "0", tiers=[tier]).is_free


def test_negative_tokens_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Usage(input_tokens=-1)
    with pytest.raises(ValueError, match="negative"):
        worst_case_microusd(price(), 1, -1)
