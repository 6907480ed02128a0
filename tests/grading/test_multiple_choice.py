"""Multiple choice: the shared hard cases, and where the letter of an answer is found."""

import json
from string import ascii_uppercase
from typing import Any

import pytest
from evalrouter_server.grading import MultipleChoiceGrader, Verdict, grade
from hypothesis import given
from hypothesis import strategies as st

from tests.shared_data import SHARED

CITIES = ["Porto", "Lisbon", "Faro", "Braga"]


def verdict(
    output: str, gold: str = "C", finish_reason: str | None = "stop", choices: list[str] | None = None, count: int = 4
) -> Verdict:
    target: dict[str, Any] = {"answer": gold} if choices is None else {"answer": gold, "choices": choices}
    return grade(MultipleChoiceGrader(choices=count), output=output, target=target, finish_reason=finish_reason)


CASES: list[dict[str, Any]] = json.loads((SHARED / "cases" / "mcq_cases.json").read_text()) if SHARED else []


@pytest.mark.skipif(not CASES, reason="the shared data folder is not beside this checkout")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['kind']}")
def test_hard_case(case: dict[str, Any]) -> None:
    choices = case["choices"] and list(case["choices"].values())
    found = verdict(case["output"], case["gold"], case["finish_reason"], choices, len(case["letters"]))
    assert (found.extracted, found.correct) == (case["expected"], case["correct"])


@pytest.mark.parametrize(
    ("output", "extracted", "rule"),
    [
        ("C", "C", "letter"),
        ("(C)", "C", "letter"),
        ("**C.**", "C", "letter"),
        ("B\n\nWait, that is wrong.\n\nC", "C", "letter"),
        ("C) because heat flows", "C", "label"),
        ("I would go for **C** here.", "C", "marker"),
        ("Perhaps **C** fits here.", "C", "label"),
        ("A. too small\nB. too large\nC. fits", None, "contradiction"),
        ("answer: c", "C", "marker"),
        ("That makes 5%.\nAnswer D", "D", "marker"),
        ("Answer - (C).", "C", "marker"),
        ("Ans: C", "C", "marker"),
        ("The answer is: C", "C", "marker"),
        ("<answer>C</answer>", "C", "marker"),
        ("It is either B or C. I will go with C.", "C", "marker"),
        ("Hence (C).", "C", "marker"),
        ("A is incorrect. C is correct. D is incorrect.", "C", "marker"),
        ("故选：C", "C", "marker"),
        ("Option C", "C", "letter"),
        ("Answer: A man walks", None, "no_answer"),
        ("Answer: C++", None, "no_answer"),
        ("The answer is clearly C.", "C", "marker"),
        ("The answer is option (C), as B is too small.", "C", "marker"),
        ("Answer:\n\n**C**", "C", "marker"),
        ("The correct option is C.", "C", "marker"),
        ("C is the correct answer; A is not.", "C", "marker"),
        (r"\boxed{\text{C}}", "C", "marker"),
        (r"$\boxed{(C)}$", "C", "marker"),
        ("**Answer:** (C) 12 km", "C", "marker"),
        ("The answer is A or C.", None, "contradiction"),
        ("Answer: A, C", None, "contradiction"),
        ("The answer is a car.", None, "no_answer"),
        ("The answer is not C.", None, "no_answer"),
        ("Answer: C\n\nThe answer is consistent with the data.", "C", "marker"),
        ("If we add them up, the answer is C.", "C", "marker"),
        ("As A is not valid the answer is C.", "C", "marker"),
        ("The wrong answer is C.", None, "no_answer"),
        ("Answer: C. I don't think the answer is B.", "C", "marker"),
        ("Answer: C\nQuestion: what next?\nAnswer: A", "C", "marker"),
        ("A cat sat on the mat.", None, "no_answer"),
        ("C-4 is an explosive.", None, "no_answer"),
        ("ANSWER: none of these", None, "no_answer"),
        ("", None, "no_answer"),
    ],
)
def test_where_the_letter_is_found(output: str, extracted: str | None, rule: str) -> None:
    found = verdict(output)
    assert (found.extracted, found.rule) == (extracted, rule)


@pytest.mark.parametrize(
    ("output", "extracted"),
    [
        ("Lisbon", "B"),
        ("It is Lisbon.", "B"),
        ("Answer: lisbon", "B"),
        (r"\boxed{\text{Lisbon}}", "B"),
        ("Portugal has many towns.\nThe capital is Lisbon.", "B"),
        ("Lisbon or Porto", None),
        ("It is not Lisbon.", None),
        ("Lisbonne", None),
        ("The answer is Madrid.", None),
    ],
)
def test_a_choice_is_named_by_its_text(output: str, extracted: str | None) -> None:
    assert verdict(output, choices=CITIES).extracted == extracted


def test_a_longer_choice_hides_the_one_within() -> None:
    assert verdict("It lies north east.", choices=["north", "north east", "east", "south"]).extracted == "B"


@pytest.mark.parametrize(
    ("output", "extracted"),
    [
        ("C", "C"),
        ("(C) 12\nSince the", "C"),
        ("Answer: C\nLet me ch", "C"),
        ("Let me see.\n\nC", None),
        ("I think\n\n(C)", None),
    ],
)
def test_of_a_cut_off_output_markers_and_the_first_line_count(output: str, extracted: str | None) -> None:
    assert verdict(output, finish_reason="length").extracted == extracted


@given(st.integers(2, 26), st.data())
def test_every_letter_is_read_in_every_form(count: int, data: Any) -> None:
    letter = data.draw(st.sampled_from(ascii_uppercase[:count]))
    for form in (
        "Answer: {}",
        "The answer is ({}).",
        r"\boxed{{{}}}",
        "{}",
        "({})",
        "**{}**",
        "{}. Yes",
        "{} is correct.",
    ):
        assert verdict(form.format(letter), letter, count=count).correct, form


@given(st.text(max_size=300), st.sampled_from(["stop", "length", None]))
def test_no_output_breaks_the_grader(output: str, finish_reason: str | None) -> None:
    found = verdict(output, finish_reason=finish_reason, choices=CITIES)
    assert (found.extracted is None) == (found.rule in ("no_answer", "contradiction"))
    assert found == verdict(f"{output}\n \t\n", finish_reason=finish_reason, choices=CITIES)


@pytest.mark.parametrize(
    ("settings", "target", "message"),
    [
        ({}, {"answer": "A"}, "2 to 26 choices"),
        ({}, {"answer": "A", "choices": ["one"]}, "2 to 26 choices"),
        ({"choices": 4}, {"answer": "E"}, "one of A to D"),
        ({"choices": 4}, {}, "one of A to D"),
        ({"choices": 4}, {"answer": "AB"}, "one of A to D"),
    ],
)
def test_a_target_without_its_letter_is_refused(settings: Any, target: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        grade(MultipleChoiceGrader(**settings), output="A", target=target, finish_reason="stop")
