"""Shares of an amount."""


def shares(cents: int, weights: list[int]) -> list[int]:
    """Split an amount by weights.

    Args:
        cents: The amount.
        weights: One for each person, none negative, not all 0.

    Raises:
        ValueError: The weights are not valid.
    """
    total = sum(weights)
    if total <= 0 or min(weights) < 0:
        raise ValueError("weights must not be negative, and not all 0")
    return [round(cents * weight / total) for weight in weights]
