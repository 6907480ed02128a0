"""Grading: pure functions from a model's output and a target to a verdict; one module a grader family."""

from collections.abc import Mapping

from pydantic import JsonValue

from evalrouter_server.grading import numeric, text
from evalrouter_server.grading.spec import GraderSpec, NumericGrader, TextGrader, Verdict

__all__ = ["GraderSpec", "NumericGrader", "TextGrader", "Verdict", "grade"]


def grade(grader: GraderSpec, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None) -> Verdict:
    """Grade one output with the benchmark's own grader.

    Args:
        grader: The manifest's grader.
        output: The whole text of the model's answer.
        target: The item's target: `{"answer": NUMBER}` for `numeric` (as text, so that it is exact),
            `{"answers": [TEXT, ...]}` with every accepted answer for `exact` and `short_answer`.
        finish_reason: Why the model stopped, in the words of the chat completions wire; `length` is an output that
            the token limit cut off; None where it is not known.

    Returns:
        The verdict; an output without an answer is a wrong one with rule `no_answer`.

    Raises:
        ValueError: The target does not have the form that the grader takes.
    """
    if isinstance(grader, NumericGrader):
        return numeric.grade(grader, output=output, target=target, finish_reason=finish_reason)
    return text.grade(grader, output=output, target=target, finish_reason=finish_reason)
