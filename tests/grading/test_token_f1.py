"""The overlap of words, by SQuAD's and by DROP's rules."""

from typing import Any

import pytest
from evalrouter_server.grading import TokenF1Grader, Verdict, grade
from hypothesis import given
from hypothesis import strategies as st


def verdict(output: str, answers: list[Any], **settings: Any) -> Verdict:
    return grade(TokenF1Grader(**settings), output=output, target={"answers": answers}, finish_reason="stop")


@pytest.mark.parametrize(
    ("output", "answers", "score", "correct"),
    [
        ("The Denver Broncos.", ["Denver Broncos"], 1.0, True),
        ("Denver", ["Denver Broncos"], 2 / 3, False),
        ("Denver Denver", ["Denver Broncos"], 0.5, False),
        ("Carolina", ["Denver Broncos"], 0.0, False),
        ("the year 2015", ["in 2014", "2015"], 2 / 3, False),
        ("the", ["a"], 1.0, True),
        ("the", ["cat"], 0.0, False),
    ],
)
def test_squad(output: str, answers: list[str], score: float, correct: bool) -> None:
    found = verdict(output, answers)
    assert found.score == pytest.approx(score)
    assert found.correct is correct


@pytest.mark.parametrize(
    ("output", "answers", "score", "correct"),
    [
        ("5", ["5"], 1.0, True),
        ("5.0", ["5"], 1.0, True),
        ("$5", ["5"], 1.0, True),
        ("5 yards", ["5"], 0.67, False),
        ("6 yards", ["5 yards"], 0.0, False),
        ("yards", ["field yards"], 0.67, False),
        ("the 44-yard field goal", ["44 yard field goal"], 1.0, True),
        ("Smith", [["Smith", "Jones"]], 0.5, False),
        ("Jones; Smith", [["Smith", "Jones"]], 1.0, True),
        ("Jones; Smith; Brown", [["Smith", "Jones"]], 0.67, False),
        ("Rome", ["Paris", ["Rome"]], 1.0, True),
    ],
)
def test_drop(output: str, answers: list[Any], score: float, correct: bool) -> None:
    found = verdict(output, answers, style="drop", separator=";")
    assert (found.score, found.correct) == (score, correct)


WORDS = st.lists(st.sampled_from(["red", "green", "7", "seven", "a"]), min_size=1, max_size=6).map(" ".join)


@given(WORDS, WORDS, st.sampled_from(["squad", "drop"]))
def test_the_score_is_a_fraction_and_whole_for_itself(said: str, accepted: str, style: Any) -> None:
    found = verdict(said, [accepted], style=style)
    assert 0 <= found.score <= 1
    assert found.score == 1 or not found.correct
    assert verdict(said, [said], style=style).correct
    assert verdict(said, [accepted, said], style=style).score == 1


@given(st.text(max_size=200), st.sampled_from(["squad", "drop"]))
def test_no_output_breaks_the_grader(output: str, style: Any) -> None:
    found = verdict(output, ["Paris", "7"], style=style)
    assert (found.extracted is None) == (found.rule == "no_answer")
    assert found == verdict(f"{output}\n \t\n", ["Paris", "7"], style=style)


@pytest.mark.parametrize("target", [{}, {"answers": []}, {"answers": [[]]}, {"answers": [[1]]}, {"answers": "x"}])
def test_a_target_without_spans_is_refused(target: Any) -> None:
    with pytest.raises(ValueError, match="lists of texts"):
        grade(TokenF1Grader(style="drop"), output="x", target=target, finish_reason="stop")
