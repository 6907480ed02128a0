"""A field of a JSON document that stands in an output, fenced, in prose or by itself.

The document is the last object or array in the final text in which the pointer finds a value; one that stands inside
another is not looked at by itself. Where nothing is found, an output that is one JSON value as a whole counts too.
"""

import json
import re
from collections.abc import Mapping
from decimal import Decimal

from pydantic import JsonValue

from evalrouter_server.grading.completion import final_text
from evalrouter_server.grading.extraction import LONGEST_ANSWER
from evalrouter_server.grading.normal_form import normal_form
from evalrouter_server.grading.spec import JsonFieldGrader, Verdict
from evalrouter_server.grading.targets import accepted_values

LONGEST_OUTPUT = 100_000
"""Characters at the end of an output in which a document is looked for."""

_MOST_WASTED = 1_000_000
"""Characters read in vain, of documents that turn out to be none, after which no more is looked for."""

_OPENING = re.compile(r"\{(?=\s*[\"}])|\[")
MISSING = object()
"""What `at_pointer` gives where a pointer finds nothing."""

_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=lambda word: word)


def grade(
    grader: JsonFieldGrader, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None
) -> Verdict:
    """Grade a field of a JSON document; see `evalrouter_server.grading.grade`."""
    accepted = accepted_values(target)
    value = _find(final_text(output, finish_reason).text[-LONGEST_OUTPUT:], grader.pointer)
    if value is MISSING:
        return Verdict.none()
    if grader.compare == "typed":
        correct = any(_same(value, other) for other in accepted)
    else:
        said = normal_form(_text(value), grader.ignore)
        correct = said in [normal_form(_text(other), grader.ignore) for other in accepted]
    return Verdict.of(correct, _text(value)[:LONGEST_ANSWER], "pointer")


def _find(text: str, pointer: str) -> object:
    found, place, wasted = MISSING, 0, 0
    while (opening := _OPENING.search(text, place)) is not None and wasted <= _MOST_WASTED:
        place = opening.start()
        try:
            document, end = _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            wasted += error.pos - place
            place += 1
        except (ValueError, RecursionError):
            wasted += LONGEST_OUTPUT
            place += 1
        else:
            value = at_pointer(document, pointer)
            found, place = found if value is MISSING else value, end
    if found is MISSING:
        try:
            return at_pointer(_DECODER.decode(text), pointer)
        except (ValueError, RecursionError):
            return MISSING
    return found


def at_pointer(document: object, pointer: str) -> object:
    """The value that a pointer finds in a document (RFC 6901); `MISSING` where it finds none."""
    value = document
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isascii() and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return MISSING
    return value


def _same(value: object, other: object) -> bool:
    """Whether two JSON values are the same: numbers by value, true and false apart from them."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, int | float | Decimal) and isinstance(other, int | float | Decimal):
        return _exact(value) == _exact(other)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_same, value, other))
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_same(value[name], other[name]) for name in value)
    return type(value) is type(other) and value == other


def _exact(number: int | float | Decimal) -> int | Decimal:
    return Decimal(repr(number)) if isinstance(number, float) else number


def _text(value: object) -> str:
    return str(value) if isinstance(value, str | Decimal) else json.dumps(value, ensure_ascii=False, default=float)
