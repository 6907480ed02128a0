"""Grading: pure functions from a model's output and a target to a verdict; one module a grader family."""

from collections.abc import Mapping

from pydantic import JsonValue

from evalrouter_server.grading import (
    exact,
    json_field,
    mathematics,
    multiple_choice,
    numeric,
    regex,
    short_answer,
    token_f1,
)
from evalrouter_server.grading.spec import (
    After,
    CodeGrader,
    CustomGrader,
    ExactGrader,
    GraderSpec,
    JsonFieldGrader,
    JudgeGrader,
    LimitGrader,
    MathGrader,
    MultipleChoiceGrader,
    NumericGrader,
    PureGrader,
    RegexGrader,
    RepositoryGrader,
    ShortAnswerGrader,
    TokenF1Grader,
    Verdict,
)

__all__ = [
    "After",
    "CodeGrader",
    "CustomGrader",
    "ExactGrader",
    "GraderSpec",
    "JsonFieldGrader",
    "JudgeGrader",
    "LimitGrader",
    "MathGrader",
    "MultipleChoiceGrader",
    "NumericGrader",
    "PureGrader",
    "RegexGrader",
    "RepositoryGrader",
    "ShortAnswerGrader",
    "TokenF1Grader",
    "Verdict",
    "grade",
]


def grade(grader: PureGrader, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None) -> Verdict:
    """Grade one output with the benchmark's own grader.

    Args:
        grader: The manifest's grader.
        output: The whole text of the model's answer.
        target: The item's target: `{"answer": NUMBER}` for `numeric` (as text, so that it is exact),
            `{"answer": LETTER, "choices": [TEXT, ...]}` for `multiple_choice`, `{"answers": [TEXT, ...]}` with every
            accepted answer, or `{"answer": TEXT}`, for the others. For `token_f1` in DROP's style an accepted answer
            may be a list of spans; for `json_field` it is any JSON value.
        finish_reason: Why the model stopped, in the words of the chat completions wire; `length` is an output that
            the token limit cut off; None where it is not known.

    Returns:
        The verdict; an output without an answer is a wrong one with rule `no_answer`. It takes linear time, save for
        `math`, which is bounded in `evalrouter_server.runners.equality`.

    Raises:
        ValueError: The target does not have the form that the grader takes.
    """
    match grader:
        case NumericGrader():
            return numeric.grade(grader, output=output, target=target, finish_reason=finish_reason)
        case MultipleChoiceGrader():
            return multiple_choice.grade(grader, output=output, target=target, finish_reason=finish_reason)
        case ExactGrader():
            return exact.grade(grader, output=output, target=target, finish_reason=finish_reason)
        case ShortAnswerGrader():
            return short_answer.grade(grader, output=output, target=target, finish_reason=finish_reason)
        case RegexGrader():
            return regex.grade(grader, output=output, target=target, finish_reason=finish_reason)
        case TokenF1Grader():
            return token_f1.grade(grader, output=output, target=target, finish_reason=finish_reason)
        case JsonFieldGrader():
            return json_field.grade(grader, output=output, target=target, finish_reason=finish_reason)
        case MathGrader():
            return mathematics.grade(grader, output=output, target=target, finish_reason=finish_reason)
