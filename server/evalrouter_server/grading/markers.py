"""Explicit markers of an answer in free text, for answers that are numbers or formulas."""

import re
from collections import deque

MARKER = re.compile(
    r"""
      \#{4} (?= [\s*_]* [-\u2212]? [\\$€£¥]* [-\u2212]? [\d.] ) (?! \s* \d+ [.)] \s+ \w )  # a heading is no marker
    | \b answer [*_ ]* (?: : | =(?!=) )
    | \b answer [ ] (?:is|would[ ]be|will[ ]be|equals) \b [ ]* :?
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""`ANSWER: 18`, `#### 18`, `The answer is 18`."""

BOX = re.compile(r"\\boxed\s*\{")
r"""`\boxed{18}`."""


def last_marked(text: str) -> str | None:
    """The text that the last marker or box points to; None where there is neither."""
    last = deque(MARKER.finditer(text), maxlen=1)
    last_box = deque(BOX.finditer(text), maxlen=1)
    if last_box and (not last or last_box[0].end() > last[0].end()):
        return braced(text, last_box[0].end())
    return _behind(text, last[0].end()) if last else None


def last_line_behind_marker(text: str) -> str | None:
    """The text that the last marker points to, boxes aside; None where there is no marker."""
    last = deque(MARKER.finditer(text), maxlen=1)
    return _behind(text, last[0].end(), markup=" \t*_#") if last else None


def braced(text: str, start: int) -> str:
    """The text up to the brace that closes the one before it; to the end where none does."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place]
    return text[start:]


def _behind(text: str, start: int, markup: str = " \t*_#$[]()\\") -> str:
    """The rest of the line, or the next line that says something where the rest is only markup or ends in a colon."""
    lines = (line.strip(markup) for line in text[start:].splitlines())
    return next((line for line in lines if line and not line.endswith(":")), "")
