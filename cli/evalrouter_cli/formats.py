"""How amounts, scores, times and counts are written for a human reader."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

NOTHING = "-"


def usd(amount: "Decimal") -> str:
    """An amount in USD: plain digits, no exponent, at least cents."""
    digits = plain(amount)
    whole, _, fraction = digits.partition(".")
    return f"{whole}.{fraction:0<2}"


def plain(amount: "Decimal") -> str:
    """A decimal number as plain digits, without an exponent or needless zeros."""
    digits = f"{amount:f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def score(value: float | None) -> str:
    """A score from 0 to 1 with three decimals."""
    return NOTHING if value is None else f"{value:.3f}"


def count(number: int) -> str:
    """A count with thousands separators."""
    return f"{number:,}"


def moment(at: datetime | None) -> str:
    """A time in UTC to the second."""
    return NOTHING if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def duration(seconds: float) -> str:
    """A duration in the two largest units that say something."""
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
