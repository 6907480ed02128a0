"""From any Python value to JSON text: taken at once, bounded, without secrets, and never raising."""

import json
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from evalrouter.tracing.redaction import may_hold_secret, redact

LONGEST_CONTENT = 120 * 1024
"""Characters of JSON that one input, output, error or set of attributes keeps: a server takes spans of 512 KiB."""
UNREADABLE = '"[unreadable]"'
_DEEPEST = 64
_LARGEST_INTEGER = 2**63


def snapshot(value: Any, longest: int = LONGEST_CONTENT) -> str:
    """JSON text in ASCII of what a value is now.

    Pydantic models, attrs and data classes are read by their fields, dates and the like by their text; of other objects
    only the type is kept, because nobody knows what their `repr` shows. Longer text is replaced by its beginning.

    Args:
        value: Anything.
        longest: Characters to keep.
    """
    try:
        text = _encode(value)
        if "\\u0000" in text or "\\ud" in text or text.count("{") + text.count("[") > _DEEPEST:
            text = _encode(_plain(value, 0))
        if may_hold_secret(text):
            text = _encode(redact(json.loads(text)))
        return text if len(text) <= longest else _excerpt(text, longest)
    except Exception:
        return UNREADABLE


def _encode(value: Any) -> str:
    try:
        return _ENCODER.encode(value)
    except Exception:
        return _ENCODER.encode(_plain(value, 0))


def _excerpt(text: str, longest: int) -> str:
    return _ENCODER.encode({"truncated": True, "characters": len(text), "start": text[: longest // 2]})


def _plain(value: Any, depth: int) -> Any:
    """The same in JSON's own types, whatever it is: keys that are no text, NaN, half a surrogate pair, cycles."""
    match value:
        case None | bool():
            return value
        case str():
            return str(value).encode("utf-8", "replace").decode().replace("\0", "\ufffd")
        case int():
            return int(value) if -_LARGEST_INTEGER <= value < _LARGEST_INTEGER else "[large integer]"
        case float():
            return float(value) if value - value == 0 else str(float(value))
    if depth > _DEEPEST:
        return "[too deep]"
    try:
        match value:
            case Mapping():
                return {_name(name): _plain(item, depth + 1) for name, item in list(value.items())}
            case list() | tuple():
                return [_plain(item, depth + 1) for item in list(value)]
        return _plain(_fields(value), depth + 1)
    except Exception:
        return "[unreadable]"


def _name(name: Any) -> str:
    return str(_plain(name, _DEEPEST) if isinstance(name, str) else _plain(_text(name), _DEEPEST))


def _text(name: Any) -> str:
    return str(name) if isinstance(name, int | float | bool | UUID | date | PurePath) else _type_of(name)


def _fields(value: Any) -> Any:
    """What JSON's encoder can go on with."""
    match value:
        case set() | frozenset():
            return list(value)
        case bytes() | bytearray() | memoryview():
            return f"[{len(value)} bytes]"
        case datetime() | date() | time():
            return value.isoformat()
        case UUID() | Decimal() | PurePath():
            return str(value)
        case Enum():
            return value.value
        case BaseException():
            return _describe(value)
        case type():
            return f"[{value.__module__}.{value.__qualname__}]"
        case Mapping():
            return dict(value)
    kind = type(value)
    if callable(dump := getattr(kind, "model_dump", None)):
        return dump(value)
    names = getattr(kind, "__dataclass_fields__", None) or [
        field.name for field in getattr(kind, "__attrs_attrs__", ())
    ]
    return {name: getattr(value, name, None) for name in names} if names else _type_of(value)


def _describe(error: BaseException) -> dict[str, str]:
    """An exception's type and message."""
    return {"type": type(error).__name__, "message": str(error)}


def _type_of(value: Any) -> str:
    return f"[{type(value).__module__}.{type(value).__qualname__}]"


_ENCODER = json.JSONEncoder(allow_nan=False, default=_fields)
