"""The query part of addresses."""

import re
import string

_KEPT = frozenset((string.ascii_letters + string.digits + "-._~").encode())
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")


def parse(text: str) -> list[tuple[str, str]]:
    """Read a query."""
    pairs = (pair.partition("=") for pair in text.split("&") if pair)
    return [(_decoded(name), _decoded(value)) for name, _, value in pairs]


def build(pairs: list[tuple[str, str]]) -> str:
    """Write a query."""
    return "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in pairs)


def _decoded(text: str) -> str:
    data = text.replace("+", " ").encode()
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), data).decode(errors="replace")


def _encoded(text: str) -> str:
    return "".join(chr(byte) if byte in _KEPT else "+" if byte == 32 else f"%{byte:02X}" for byte in text.encode())
