"""Conversions by rules."""

from fractions import Fraction


class Converter:
    """Converts amounts between units."""

    def __init__(self) -> None:
        self._factors: dict[tuple[str, str], Fraction] = {}

    def add_rule(self, source: str, target: str, factor: Fraction) -> None:
        """State that one of `source` is `factor` of `target`."""
        self._factors[source, target] = Fraction(factor)

    def convert(self, amount: Fraction, source: str, target: str) -> Fraction:
        """The amount in another unit."""
        return amount * self._factors[source, target]
