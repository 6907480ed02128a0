r"""Numeric answers: find the number that the model gives as its answer and compare it exactly.

Thinking and run-on text are cut first. Then the last explicit marker decides (`ANSWER: 18`, `#### 18`, `\boxed{18}`,
`The answer is 18`): of what follows it on its line, or on the next line where nothing does, the number after the last
`=` counts, else the first one. A marker without a number is no answer. With no marker it is the last number, unless
the token limit cut the output off. Numbers are compared as fractions, never rounded.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from evalrouter_server.grading.completion import Completion, final_text
from evalrouter_server.grading.numbers import Number, find_numbers, parse_number
from evalrouter_server.grading.spec import NumericGrader, Verdict

_MARKER = re.compile(
    r"""
      \#{4} (?= [\s*_]* [-\u2212]? [\\$€£¥]* [-\u2212]? [\d.] ) (?! \s* \d+ [.)] \s+ \w )  # a heading is no marker
    | \b answer [*_ ]* (?: : | =(?!=) )
    | \b answer [ ] (?:is|would[ ]be|will[ ]be|equals) \b [ ]* :?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BOX = re.compile(r"\\boxed\s*\{")


@dataclass(frozen=True, slots=True)
class _Marked:
    """The text that a marker points to, and where it starts."""

    text: str
    start: int


def grade(grader: NumericGrader, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None) -> Verdict:
    """Grade a numeric answer; see `evalrouter_server.grading.grade`."""
    answer = target.get("answer")
    gold = parse_number(str(answer))
    if gold is None:
        raise ValueError(f"the target of a numeric grader must be one number under 'answer', not {answer!r}")
    number, rule = _extract(grader, final_text(output, finish_reason))
    if number is None:
        return Verdict.of(False, None, rule)
    return Verdict.of(number.value == gold, number.text, rule)


def _extract(grader: NumericGrader, completion: Completion) -> tuple[Number | None, str]:
    marked = _last_marked(completion.text) if grader.extraction == "marker" else None
    if marked is not None:
        number = _answer_in(marked.text)
        return number, "no_answer" if number is None else "marker"
    numbers = [] if completion.cut_off else find_numbers(completion.text)
    return (numbers[-1], "last_number") if numbers else (None, "no_answer")


def _last_marked(text: str) -> _Marked | None:
    marked = [_Marked(_after(text, match.end()), match.end()) for match in _MARKER.finditer(text)]
    marked += [_Marked(_braced(text, match.end()), match.end()) for match in _BOX.finditer(text)]
    return max(marked, key=lambda candidate: candidate.start, default=None)


def _after(text: str, start: int) -> str:
    """The rest of the line, or the next line that says something where the rest is only markup or ends in a colon."""
    lines = (line.strip(" \t*_#$[]()\\") for line in text[start:].splitlines())
    return next((line for line in lines if line and not line.endswith(":")), "")


def _braced(text: str, start: int) -> str:
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place]
    return text[start:]


def _answer_in(text: str) -> Number | None:
    after_equals = find_numbers(text.rpartition("=")[2]) if "=" in text else []
    return next(iter(after_equals or find_numbers(text)), None)
