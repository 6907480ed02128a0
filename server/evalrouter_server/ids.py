"""IDs: a prefix and a lowercase ULID, which sorts by creation; derived IDs have the same form."""

import hashlib
from typing import Literal

from ulid import ULID

Prefix = Literal[
    "ws",
    "key",
    "conn",
    "model",
    "bench",
    "item",
    "quote",
    "run",
    "task",
    "call",
    "entry",
    "tx",
    "topup",
    "gwkey",
    "inst",
    "req",
    "upload",
]


def new_id(prefix: Prefix) -> str:
    """A fresh ID, such as `run_01j9zx3v5n8q2r4t6w8y0a2c4e`."""
    return f"{prefix}_{str(ULID()).lower()}"


def derived_id(prefix: Prefix, *parts: str) -> str:
    """The ID that these parts always have, on every machine: the first 128 bits of their sha256."""
    digest = hashlib.sha256("\x1f".join(parts).encode()).digest()
    return f"{prefix}_{str(ULID.from_bytes(digest[:16])).lower()}"
