"""The nearest names to one that means nothing; for messages only, never for resolving."""

from collections.abc import Iterable
from difflib import get_close_matches

COUNT = 5
"""The most names that are suggested."""


def nearest(text: str, names: Iterable[str]) -> list[str]:
    """The names that look most like a text, best first.

    Args:
        text: What was asked for.
        names: What there is.
    """
    by_folded = {name.casefold(): name for name in names}
    return [by_folded[folded] for folded in get_close_matches(text.casefold(), by_folded, n=COUNT, cutoff=0.5)]
