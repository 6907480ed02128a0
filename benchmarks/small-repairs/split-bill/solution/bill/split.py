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
    if cents < 0:
        return [-share for share in shares(-cents, weights)]
    split = [cents * weight // total for weight in weights]
    losses = [cents * weight % total for weight in weights]
    order = sorted(range(len(weights)), key=lambda place: (-losses[place], place))
    for place in order[: cents - sum(split)]:
        split[place] += 1
    return split
