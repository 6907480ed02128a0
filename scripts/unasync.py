"""Sync code from async code: one table of names and a few rules of grammar.

The rules work on the text, not on syntax, because names in docstrings, comments and error messages must follow too. A
name is replaced only as a whole word. What differs in more than names belongs into a module outside the converted
folders that offers both forms (`AsyncX` and `X`).
"""

from __future__ import annotations

import re

NAMES = {
    "_async": "_sync",
    "AsyncByteStream": "SyncByteStream",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "aclose": "close",
    "aclosing": "closing",
    "aiter_bytes": "iter_bytes",
    "aiter_sse": "iter_sse",
    "aread": "read",
    "asynchronous": "synchronous",
    "pytest_asyncio": "pytest",
}
"""Names and their sync twins, each replaced wherever it stands alone."""

_GRAMMAR = {
    "async def, for, with": (r"\basync (?=(?:def|for|with)\b)", ""),
    "await": (r"\bawait ", ""),
    "AsyncName": (r"\bAsync(?=[A-Z])", ""),
}
# In this order: a name of its own wins over the rule for all names.
_RULES = {
    rule: (re.compile(pattern, re.MULTILINE), twin)
    for rule, (pattern, twin) in {
        **{name: (rf"\b{re.escape(name)}\b", twin) for name, twin in NAMES.items()},
        **_GRAMMAR,
    }.items()
}

_LEFT_OVER = re.compile(r"\b(?:async|await|asyncio|Async[A-Z]\w*)\b[.\w]*")


class NoSyncFormError(ValueError):
    """An async word that no rule turns into a sync one."""


class Converter:
    """Converts modules and remembers which rules were of use."""

    def __init__(self) -> None:
        self.unused_rules = set(_RULES)

    def convert(self, text: str, source: str) -> str:
        """Returns the sync form of a module, headed by a line that says where it comes from.

        Args:
            text: The async module.
            source: Its path, for the header and for errors.

        Raises:
            NoSyncFormError: Something async is left; the message names the line and the word.
        """
        for name, (pattern, twin) in _RULES.items():
            text, count = pattern.subn(twin, text)
            if count:
                self.unused_rules.discard(name)
        for number, line in enumerate(text.splitlines(), 1):
            if left := _LEFT_OVER.search(line):
                raise NoSyncFormError(
                    f'{source}, about line {number}: no rule of scripts/unasync.py gives "{left[0]}" a sync form. Word '
                    "it otherwise, add a rule, or move it into a module outside the converted folders that has both."
                )
        return f"# Generated from {source} by scripts/regen; do not edit.\n\n{text}"
