"""Amounts."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalrouter.errors import InvalidArgumentError
from evalrouter.money import Usd, format_usd, from_microusd, parse_price, parse_usd, to_microusd

micro = st.integers(min_value=1, max_value=10**15)


@pytest.mark.parametrize(
    ("given_value", "amount"),
    [
        (5, "5"),
        ("0.25", "0.25"),
        (0.1, "0.1"),
        (1e-6, "0.000001"),
        (2.5e3, "2500"),
        ("1e3", "1000"),
        (Decimal("1.500000000"), "1.5"),
        (Decimal("1E+3"), "1000"),
        (10**9, "1000000000"),
        ("+3", "3"),
        (".5", "0.5"),
    ],
)
def test_amounts_are_read_exactly(given_value: Usd, amount: str) -> None:
    assert str(parse_usd(given_value)) == amount


@pytest.mark.parametrize(
    "wrong",
    [
        *(float("nan"), float("inf"), float("-inf"), 0, -1, 0.0, "0", "-0", True, False, None),
        *("1,000", "1_000", "$5", "5 USD", "5€", "", " ", "abc", "1e", "0x10", "٥", "NaN", "Infinity", "1 000", " 5"),
        *(0.1 + 0.2, "0.0000001", Decimal("NaN"), Decimal("Infinity"), 10**9 + 1, "1000000000.000001", "1e999", 1e300),
        *(b"5", [5], {"usd": 5}),
    ],
)
def test_everything_else_is_refused_by_name_and_value(wrong: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^max_cost=.* is not an amount of USD: .*\.$") as caught:
        parse_usd(wrong)  # type: ignore[arg-type]
    assert isinstance(caught.value, ValueError)


def test_a_long_value_is_cut_in_the_error() -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        parse_usd("9" * 5000)
    assert len(str(caught.value)) < 250


@given(micro)
def test_micro_usd_survive_every_form(amount: int) -> None:
    usd = from_microusd(amount)
    assert to_microusd(usd) == amount
    assert to_microusd(parse_usd(usd)) == amount
    assert to_microusd(parse_usd(f"{usd:f}")) == amount
    assert to_microusd(parse_usd(str(usd))) == amount


@given(st.integers(min_value=1, max_value=10**12))
def test_a_float_counts_by_its_shortest_form(amount: int) -> None:
    assert to_microusd(parse_usd(float(from_microusd(amount)))) == amount


@given(st.text(max_size=12))
def test_no_text_is_misread(text: str) -> None:
    try:
        amount = parse_usd(text)
    except InvalidArgumentError:
        return
    assert amount == Decimal(text)
    assert 0 < amount <= 10**9


def test_a_fraction_of_a_micro_dollar_has_no_wire_form() -> None:
    with pytest.raises(ValueError, match="whole number"):
        to_microusd(Decimal("0.0000001"))


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("5", "$5.00"),
        ("0.25", "$0.25"),
        ("0.000125", "$0.000125"),
        ("0", "$0.00"),
        ("-1.5", "-$1.50"),
        ("1E+1", "$10.00"),
    ],
)
def test_amounts_for_a_reader(amount: str, text: str) -> None:
    assert format_usd(Decimal(amount)) == text


def test_prices_may_be_nothing_and_fine() -> None:
    assert parse_price(0, "input_price") == 0
    assert parse_price("0.000000000001", "input_price") == Decimal("1e-12")
    for wrong in (-1, "1e-13", 10**9, True, float("nan")):
        with pytest.raises(InvalidArgumentError, match="input_price="):
            parse_price(wrong, "input_price")
