"""Conversions by rules."""

from collections import deque
from fractions import Fraction

from units.errors import UnknownConversion


class Converter:
    """Converts amounts between units."""

    def __init__(self) -> None:
        self._factors: dict[str, dict[str, Fraction]] = {}

    def add_rule(self, source: str, target: str, factor: Fraction) -> None:
        """State that one of `source` is `factor` of `target`."""
        self._factors.setdefault(source, {})[target] = Fraction(factor)
        self._factors.setdefault(target, {})[source] = 1 / Fraction(factor)

    def convert(self, amount: Fraction, source: str, target: str) -> Fraction:
        """The amount in another unit, by the way with the fewest rules.

        Raises:
            UnknownConversion: There is none.
        """
        reached = {source: Fraction(amount)}
        ahead = deque([source])
        while ahead:
            unit = ahead.popleft()
            if unit == target and unit in self._factors:
                return reached[unit]
            for following, factor in self._factors.get(unit, {}).items():
                if following not in reached:
                    reached[following] = reached[unit] * factor
                    ahead.append(following)
        raise UnknownConversion(source, target)
