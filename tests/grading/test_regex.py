"""Answers that a pattern finds."""

from typing import Any

import pytest
from evalrouter_server.grading import RegexGrader, Verdict, grade
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

STRICT = r"#### (?P<answer>-?[0-9.,]+)"
FLEXIBLE = r"(?P<answer>-?[$0-9.,]{2,}|-?[0-9]+)"


def verdict(output: str, *answers: str, **settings: Any) -> Verdict:
    grader = RegexGrader.model_validate(settings)
    return grade(grader, output=output, target={"answers": list(answers)}, finish_reason="stop")


@pytest.mark.parametrize(
    ("settings", "extracted", "correct"),
    [
        ({"pattern": STRICT, "which": "first"}, "7", False),
        ({"pattern": STRICT}, "1,018", False),
        ({"pattern": STRICT, "remove": [","]}, "1,018", True),
        ({"pattern": FLEXIBLE, "remove": [",", r"\$", r"\.$"]}, "$1,018.", True),
        ({"pattern": "(?i)SO (?P<answer>[a-z]+)", "ignore": ["case"]}, "it", False),
        ({"pattern": "nothing (?P<answer>x)"}, None, False),
        ({"pattern": "So|(?P<answer>never)"}, None, False),
    ],
)
def test_which_match_is_the_answer(settings: Any, extracted: str | None, correct: bool) -> None:
    found = verdict("#### 7\n#### 1,018\nSo it is $1,018.", "1018", **settings)
    assert (found.extracted, found.correct) == (extracted, correct)
    assert found.rule == ("no_answer" if extracted is None else "pattern")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(?<=a)(?P<answer>b)", "not a pattern of RE2"),
        (r"(?P<answer>a)\1", "not a pattern of RE2"),
        ("(?P<answer>a", "not a pattern of RE2"),
        ("(a)", "no group"),
        ("(?P<answer>(a{1000}){1000})", "not a pattern of RE2"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RegexGrader(pattern=pattern)


@given(st.text(st.characters(), max_size=200), st.sampled_from(["first", "last"]))
def test_no_output_breaks_the_grader(output: str, which: str) -> None:
    found = verdict(output, "7", pattern=r"(?P<answer>\pL+|\d+)", which=which)
    assert (found.extracted is None) == (found.rule == "no_answer")
    assert found == verdict(f"{output}\n \t\n", "7", pattern=r"(?P<answer>\pL+|\d+)", which=which)


def test_half_a_character_is_no_error() -> None:
    assert verdict("\ud83d is 7", "7", pattern=r"is (?P<answer>\d)").correct
