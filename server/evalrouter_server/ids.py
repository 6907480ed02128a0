"""IDs: a prefix and a lowercase ULID, which sorts by creation; derived IDs have the same form."""

import hashlib
import os
import threading
import time
from typing import Literal

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
    "try",
    "entry",
    "tx",
    "topup",
    "gwkey",
    "dkey",
    "lease",
    "inst",
    "slot",
    "req",
    "upload",
]

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]


class _Ulids:
    """ULIDs that ascend: a new millisecond draws 80 random bits, within it the last 20 bits count up."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._millisecond = 0
        self._head = 0
        self._head_digits = ""
        self._count = 0

    def next(self) -> str:
        with self._lock:
            millisecond = time.time_ns() // 1_000_000
            if millisecond > self._millisecond:
                self._millisecond = millisecond
                random = int.from_bytes(os.urandom(10))
                self._begin(millisecond << 60 | random >> 20, random & _MOST)
            elif self._count < _MOST:
                self._count += 1
            else:
                self._begin(self._head + 1, 0)
            return f"{self._head_digits}{_PAIRS[self._count >> 10]}{_PAIRS[self._count & 1023]}"

    def _begin(self, head: int, count: int) -> None:
        self._head, self._count = head, count
        self._head_digits = _encode(head << 20)[:-4]


_MOST = 2**20 - 1

_ulids = _Ulids()
os.register_at_fork(after_in_child=_ulids.__init__)  # type: ignore[misc]


def new_id(prefix: Prefix) -> str:
    """A fresh ID, such as `run_01j9zx3v5n8q2r4t6w8y0a2c4e`; those of one process sort in the order they were made."""
    return f"{prefix}_{_ulids.next()}"


def derived_id(prefix: Prefix, *parts: str) -> str:
    """The ID that these parts always have, on every machine: the first 128 bits of their sha256."""
    digest = hashlib.sha256("\x1f".join(parts).encode()).digest()
    return f"{prefix}_{_encode(int.from_bytes(digest[:16]))}"


def _encode(number: int) -> str:
    """128 bits in 26 digits of Crockford's base 32, lowercase."""
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(120, -1, -10)])
