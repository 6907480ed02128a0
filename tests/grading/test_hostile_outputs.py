"""Megabytes of hostile output cost every grader no more than linear work, and never an error."""

import time
from typing import Any

import pytest
from evalrouter_server.grading import (
    ExactGrader,
    JsonFieldGrader,
    MathGrader,
    MultipleChoiceGrader,
    NumericGrader,
    PureGrader,
    RegexGrader,
    ShortAnswerGrader,
    TokenF1Grader,
    grade,
)

MEGABYTES = 5
CPU_SECONDS = 60
"""Far above the seconds that the slowest takes on a busy machine, far below the hours of quadratic work."""

ANSWERS = {"answers": ["Paris"]}
NUMERIC: PureGrader = NumericGrader()
LAST_NUMBER: PureGrader = NumericGrader(extraction="last_number")
CHOICE: PureGrader = MultipleChoiceGrader()
EXACT: PureGrader = ExactGrader(extraction="whole", ignore="squad")
SHORT: PureGrader = ShortAnswerGrader()
TARGETS: dict[str, dict[str, Any]] = {
    "numeric": {"answer": "1"},
    "multiple_choice": {"answer": "B", "choices": ["Porto", "Lisbon", "Faro", "Braga"]},
}


@pytest.mark.parametrize(
    ("grader", "repeated"),
    [
        (EXACT, "<think>"),
        (EXACT, "Question:\n"),
        (NUMERIC, "\\boxed{"),
        (LAST_NUMBER, "-1 "),
        (CHOICE, "x\n"),
        (CHOICE, "The answer is not A or "),
        (SHORT, "\u0315\u0300\u05ae"),
        (RegexGrader(pattern="(?P<answer>(x|xx)*y|x)"), "x"),
        (RegexGrader(pattern="(?P<answer>(x|xx)*y)", which="first"), "x"),
        (TokenF1Grader(style="drop", extraction="whole", separator=" "), "x "),
        (JsonFieldGrader(pointer="/x"), '{"a":'),
        (JsonFieldGrader(pointer="/x"), '{"a":1,'),
        (MathGrader(), "\\[x"),
    ],
    ids=lambda value: value.kind if hasattr(value, "kind") else ascii(value),
)
def test_work_is_linear(grader: PureGrader, repeated: str) -> None:
    size = MEGABYTES << 20
    output = (repeated * (size // len(repeated) + 1))[:size]
    started = time.process_time()
    verdict = grade(grader, output=output, target=TARGETS.get(grader.kind, ANSWERS), finish_reason="stop")
    assert time.process_time() - started < CPU_SECONDS
    assert len(verdict.extracted or "") <= 20_000
