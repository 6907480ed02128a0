"""Times of day."""


def minutes(text: str) -> int:
    """Minutes since midnight of a time such as `9:05`."""
    hours, _, rest = text.partition(":")
    return int(hours) * 60 + int(rest)
