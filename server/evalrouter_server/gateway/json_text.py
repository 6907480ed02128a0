"""JSON from outside, decoded so that whatever comes of it can be stored and sent on.

Python's decoder takes more than RFC 8259 allows: NaN and the infinities, which no other decoder and no PostgreSQL
takes back, and halves of surrogate pairs, which are no text in UTF-8. Providers send both. It also makes an infinity
of a number that is too large for it, such as 1e999.
"""

import json
import math
import re
from typing import Any

_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")


def decode(content: bytes | bytearray | str) -> Any:
    """Decode a JSON text.

    Args:
        content: The text, or its bytes in UTF-8.

    Returns:
        The value: NaN, the infinities and numbers beyond a float's range are None, a half of a surrogate pair is
        U+FFFD.

    Raises:
        ValueError: It is not JSON, or nested too deeply to be decoded.
    """
    try:
        value = json.loads(content, parse_constant=lambda _: None, parse_float=_finite)
        return _whole(value) if _may_have_halves(content) else value
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


def _may_have_halves(content: bytes | bytearray | str) -> bool:
    """Halves come from escapes, or from bytes of their own that start with 0xED in UTF-8."""
    if isinstance(content, str):
        return "\\u" in content or _HALF_OF_A_PAIR.search(content) is not None
    return b"\\u" in content or b"\xed" in content or b"\x00" in content


def _whole(value: Any) -> Any:
    match value:
        case str():
            return _HALF_OF_A_PAIR.sub("\ufffd", value)
        case list():
            return [_whole(item) for item in value]
        case dict():
            return {_whole(name): _whole(item) for name, item in value.items()}
    return value
