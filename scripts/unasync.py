"""Sync code from async code: one table of names and a few rules of grammar.

The rules work on the text, not on tokens, because names in docstrings, comments and error messages must follow too.
A name is replaced only as a whole word. Whatever differs in more than names belongs into a module outside the
converted folders that offers both forms (`AsyncX` and `X`).
"""

from __future__ import annotations

import re

HEADER = "# Generated from {source} by scripts/regen; do not edit.\n\n"

NAMES = {
    "_async": "_sync",
    "AsyncIterator": "Iterator",
    "asynccontextmanager": "contextmanager",
    "StopAsyncIteration": "StopIteration",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "aclose": "close",
    "aclosing": "closing",
    "aiter_bytes": "iter_bytes",
    "aiter_lines": "iter_lines",
    "anext": "next",
    "aread": "read",
    "asyncio_detailed": "sync_detailed",
    "get_async_httpx_client": "get_httpx_client",
    "set_async_httpx_client": "set_httpx_client",
}
"""Names that do not follow a rule, each replaced wherever it stands alone."""

GRAMMAR = {
    "async def, for, with": (r"\basync (?=(?:def|for|with)\b)", ""),
    "await": (r"\bawait ", ""),
    "asyncio.sleep": (r"\basyncio\.sleep\b", "time.sleep"),
    "asyncio.Lock": (r"\basyncio\.Lock\b", "threading.Lock"),
    "import asyncio": (r"^( *)import asyncio$", r"\1import threading\n\1import time"),
    "AsyncName": (r"\bAsync(?=[A-Z])", ""),
    "asynchronous": (r"\b(?:an asynchronous|an async)\b", "a synchronous"),
}
"""Patterns by name, with what replaces them. Imports that a rule adds and nothing uses are removed by the formatter."""


class Converter:
    """Converts modules and remembers which rules were of use."""

    def __init__(self) -> None:
        rules = {name: (rf"\b{name}\b", twin) for name, twin in NAMES.items()} | GRAMMAR
        self._rules = {name: (re.compile(pattern, re.MULTILINE), twin) for name, (pattern, twin) in rules.items()}
        self.unused_rules = set(rules)

    def convert(self, text: str, source: str) -> str:
        """Returns the sync form of a module.

        Args:
            text: The async module.
            source: Its path, named in the header of the result.
        """
        for name, (pattern, twin) in self._rules.items():
            text, count = pattern.subn(twin, text)
            if count:
                self.unused_rules.discard(name)
        return HEADER.format(source=source) + text
