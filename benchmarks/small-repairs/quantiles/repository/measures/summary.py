"""Summaries of measurements."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Summary:
    """Five numbers that say how values are spread."""

    least: Fraction
    lower: Fraction
    median: Fraction
    upper: Fraction
    most: Fraction


def quantile(values: list[int], fraction: Fraction) -> Fraction:
    """The value below which a fraction of the values lies."""
    values.sort()
    return Fraction(values[int(len(values) * fraction)])


def summarise(values: list[int]) -> Summary:
    """The five numbers of some values."""
    quarters = [quantile(values, Fraction(n, 4)) for n in range(4)]
    return Summary(*quarters, Fraction(max(values)))
