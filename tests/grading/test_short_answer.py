"""Short text answers: what is fair to accept and what is not."""

from typing import Any

import pytest
from evalrouter_server.grading import ShortAnswerGrader, Verdict, grade
from hypothesis import given
from hypothesis import strategies as st


def verdict(output: str, *answers: str) -> Verdict:
    return grade(ShortAnswerGrader(), output=output, target={"answers": list(answers)}, finish_reason="stop")


@pytest.mark.parametrize(
    ("output", "answers"),
    [
        ("Paris", ["Paris"]),
        ("paris.", ["Paris"]),
        ("**Paris**", ["Paris"]),
        ("The capital of France is Paris.", ["Paris"]),
        ("\n\nParis\nIt lies on the Seine.", ["Paris"]),
        ("Let me think.\nANSWER: Paris", ["Paris"]),
        ('The answer is "Paris".', ["Paris"]),
        ("<think>Rome? No.</think>Paris", ["Paris"]),
        ("The Pacific Ocean", ["Pacific"]),
        ("São Paulo", ["Sao Paulo"]),
        ("STRASSE", ["Straße"]),
        ("There are 7 days in a week.", ["7", "seven"]),
        ("1,200", ["1200"]),
        ("7 + 5 = 12.", ["12"]),
        ("A", ["A"]),
        ("It's Leonardo da Vinci", ["Leonardo da Vinci", "Leonardo"]),
    ],
)
def test_accepted(output: str, answers: list[str]) -> None:
    assert verdict(output, *answers).correct


@pytest.mark.parametrize(
    ("output", "answers"),
    [
        ("Parisian", ["Paris"]),
        ('The answer is "water".', ["Ice"]),
        ("It is not Paris", ["Paris"]),
        ("It isn't Paris", ["Paris"]),
        ("Paris or Rome", ["Paris"]),
        ("Rome or Paris", ["Paris"]),
        ("Rome\nParis", ["Paris"]),
        ("Rome, Berlin, Madrid, Lisbon, Vienna, Prague, Oslo, Cairo, Tokyo, Lima, Quito, Riga, Paris", ["Paris"]),
        ("120", ["12"]),
        ("1.5", ["5"]),
        ("-5", ["minus five"]),
        ("ANSWER: Rome, once Paris\nANSWER: Rome", ["Paris"]),
        ("It is a word", ["A"]),
        ("", ["Paris"]),
    ],
)
def test_refused(output: str, answers: list[str]) -> None:
    assert not verdict(output, *answers).correct


def test_a_negative_number_is_not_its_positive() -> None:
    assert verdict("-5", "-5").correct
    assert not verdict("5", "-5").correct


def test_an_empty_output_is_no_answer() -> None:
    assert verdict(" \n", "Paris") == Verdict(0.0, False, None, "no_answer")


@given(st.from_regex(r"[A-Za-z]{2,9}( [A-Za-z]{2,9}){0,2}", fullmatch=True))
def test_an_answer_is_right_for_itself(answer: str) -> None:
    assert verdict(answer, answer).correct
    assert verdict(f"{answer.upper()}!", answer).correct


@given(st.text(max_size=200))
def test_no_output_breaks_the_grader(output: str) -> None:
    assert verdict(output, "Paris").score in (0.0, 1.0)


@pytest.mark.parametrize("target", [{}, {"answers": []}, {"answers": "Paris"}, {"answers": [1]}])
def test_a_target_that_is_no_list_of_texts_is_refused(target: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="list of texts"):
        grade(ShortAnswerGrader(), output="Paris", target=target, finish_reason="stop")
