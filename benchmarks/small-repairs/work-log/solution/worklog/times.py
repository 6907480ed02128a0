"""Times of day."""

import re

_TIME = re.compile(r"(\d{1,2}):(\d{2})", re.ASCII)


def minutes(text: str) -> int:
    """Minutes since midnight of a time such as `9:05`.

    Raises:
        ValueError: There is no such time.
    """
    found = _TIME.fullmatch(text)
    if found is None or int(found[1]) > 23 or int(found[2]) > 59:
        raise ValueError(f"{text!r} is no time")
    return int(found[1]) * 60 + int(found[2])
