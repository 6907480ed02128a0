r"""Numeric answers: find the number that the model gives as its answer and compare it exactly.

Thinking and run-on text are cut first. Then the last explicit marker decides (`ANSWER: 18`, `#### 18`, `\boxed{18}`,
`The answer is 18`): of what follows it on its line, or on the next line where nothing does, the number after the last
`=` counts, else the first one. A marker without a number is no answer. With no marker it is the last number, unless
the token limit cut the output off. Numbers are compared as fractions, never rounded.
"""

from collections.abc import Mapping

from pydantic import JsonValue

from evalrouter_server.grading.completion import Completion, final_text
from evalrouter_server.grading.markers import last_marked
from evalrouter_server.grading.numbers import Number, find_numbers, last_number, parse_number
from evalrouter_server.grading.spec import NumericGrader, Verdict


def grade(grader: NumericGrader, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None) -> Verdict:
    """Grade a numeric answer; see `evalrouter_server.grading.grade`."""
    answer = target.get("answer")
    gold = parse_number(str(answer))
    if gold is None:
        raise ValueError(f"the target of a numeric grader must be one number under 'answer', not {answer!r}")
    number, rule = _extract(grader, final_text(output, finish_reason))
    if number is None:
        return Verdict.none(rule)
    return Verdict.of(number.value == gold, number.text, rule)


def _extract(grader: NumericGrader, completion: Completion) -> tuple[Number | None, str]:
    marked = last_marked(completion.text) if grader.extraction == "marker" else None
    if marked is not None:
        number = _answer_in(marked)
        return number, "no_answer" if number is None else "marker"
    number = None if completion.cut_off else last_number(completion.text)
    return number, "no_answer" if number is None else "last_number"


def _answer_in(text: str) -> Number | None:
    after_equals = next(find_numbers(text.rpartition("=")[2]), None) if "=" in text else None
    return after_equals or next(find_numbers(text), None)
