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
    """The value below which a fraction of the values lies, interpolated."""
    if not values or not 0 <= fraction <= 1:
        raise ValueError("there must be values, and the fraction must be from 0 to 1")
    ordered = sorted(values)
    place = (len(ordered) - 1) * Fraction(fraction)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def summarise(values: list[int]) -> Summary | None:
    """The five numbers of some values; None where there are none."""
    if not values:
        return None
    return Summary(*(quantile(values, Fraction(n, 4)) for n in range(5)))
