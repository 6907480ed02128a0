"""Regular expressions of manifests, run by RE2: no pattern and no text can make a match take more than linear time."""

from collections.abc import Iterator
from functools import lru_cache

import re2

_ANSWER = b"answer"


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern.encode(), options)


def checked_pattern(pattern: str) -> str:
    """The pattern, if RE2 can run it.

    Raises:
        ValueError: It cannot.
    """
    try:
        _compiled(pattern)
    except re2.error as error:
        said = error.args[0].decode() if isinstance(error.args[0], bytes) else error.args[0]
        raise ValueError(
            f"{pattern!r} is not a pattern of RE2's syntax, which has no look-around and no back-references: {said}"
        ) from None
    return pattern


def with_answer_group(pattern: str) -> str:
    """The pattern, if it has a group named `answer`.

    Raises:
        ValueError: It has none.
    """
    if _ANSWER not in _compiled(pattern).groupindex:
        raise ValueError(f"{pattern!r} has no group (?P<answer>...), so it does not say what the answer is")
    return pattern


def answers(pattern: str, text: str) -> Iterator[str]:
    """What the `answer` group of a pattern matches in a text, in order; a match without the group is passed over."""
    for match in _compiled(pattern).finditer(_encoded(text)):
        if (answer := match.group(_ANSWER)) is not None:
            yield answer.decode(errors="replace")


def without(pattern: str, text: str) -> str:
    """A text without what a pattern matches."""
    kept: bytes = _compiled(pattern).sub(b"", _encoded(text))
    return kept.decode(errors="replace")


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")
