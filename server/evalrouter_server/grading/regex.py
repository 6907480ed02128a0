"""Answers that a manifest's own pattern finds."""

from collections import deque
from collections.abc import Mapping
from functools import reduce

from pydantic import JsonValue

from evalrouter_server.grading import linear_regex
from evalrouter_server.grading.completion import final_text
from evalrouter_server.grading.extraction import LONGEST_ANSWER
from evalrouter_server.grading.normal_form import normal_form
from evalrouter_server.grading.spec import RegexGrader, Verdict
from evalrouter_server.grading.targets import accepted_texts

SEARCHED = 20_000
"""Characters at the end of an output in which the last match is looked for: one match takes linear time, but there may
be as many as characters."""


def grade(grader: RegexGrader, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None) -> Verdict:
    """Grade an answer that a pattern finds; see `evalrouter_server.grading.grade`."""
    accepted = accepted_texts(target)
    text = final_text(output, finish_reason).text
    if grader.which == "first":
        answer = next(linear_regex.answers(grader.pattern, text), None)
    else:
        found = linear_regex.answers(grader.pattern, text[-SEARCHED:])
        answer = next(iter(deque(found, maxlen=1)), None)
    if answer is None:
        return Verdict.none()
    answer = answer[:LONGEST_ANSWER]
    return Verdict.of(_compared(answer, grader) in [_compared(text, grader) for text in accepted], answer, "pattern")


def _compared(text: str, grader: RegexGrader) -> str:
    kept = reduce(lambda rest, pattern: linear_regex.without(pattern, rest), grader.remove, text)
    return normal_form(kept, grader.ignore)
