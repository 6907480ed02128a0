"""Exact answers: where they stand, what a comparison ignores, and the published accuracies of recorded outputs."""

import json
from typing import Any

import pytest
from evalrouter_server.grading import ExactGrader, Verdict, grade
from evalrouter_server.grading.normal_form import normal_form
from hypothesis import given
from hypothesis import strategies as st

from tests.shared_data import shared

PUBLISHED_RULE = ExactGrader.model_validate(
    {"extraction": {"after": ["the answer is "], "until": "end"}, "ignore": ["final_stop"]}
)
"""The rule of BIG-Bench Hard's chain-of-thought evaluation."""


def verdict(output: str, *answers: str, **settings: Any) -> Verdict:
    grader = ExactGrader.model_validate(settings)
    return grade(grader, output=output, target={"answers": list(answers)}, finish_reason="stop")


@pytest.mark.parametrize(
    "task", ["boolean_expressions", "date_understanding", "navigate", "object_counting", "word_sorting"]
)
def test_published_accuracies_are_reproduced(task: str) -> None:
    recorded = shared("data", "bbh", "recorded")
    lines = (recorded / f"code-davinci-002-cot.{task}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    scores = [
        grade(PUBLISHED_RULE, output=row["output"], target={"answer": row["target"]}, finish_reason=None).score
        for row in rows
    ]
    published = json.loads((recorded / "published_accuracy.json").read_text())
    assert len(rows) == 250
    assert sum(scores) / len(scores) * 100 == published[task]


def test_characters_are_compared() -> None:
    assert verdict(" Paris \n", "Paris").correct
    assert not verdict("paris", "Paris").correct
    assert not verdict("Paris.", "Paris").correct


@pytest.mark.parametrize(
    ("output", "ignored", "correct"),
    [
        ("PARIS", ["case"], True),
        ("Paris!", ["punctuation"], True),
        ("Pa-ris", ["punctuation"], True),
        ("The Paris", ["articles"], True),
        ("Paris...", ["final_stop"], True),
        ("the  PARIS.", ["case", "articles"], False),
        ("the  PARIS.", "squad", True),
        ("Paris, the city", "squad", False),
    ],
)
def test_what_a_comparison_ignores(output: str, ignored: Any, correct: bool) -> None:
    assert verdict(output, "Rome", "Paris", ignore=ignored).correct is correct


@pytest.mark.parametrize(
    ("extraction", "extracted", "rule"),
    [
        ("answer", "4", "marker"),
        ("whole", "So the answer is 3.\nNo: the answer is 4\nDone.", "whole"),
        ({"after": ["the answer is "]}, "4", "after"),
        ({"after": ["the answer is "], "which": "first"}, "3.", "after"),
        ({"after": ["the answer is "], "until": "end"}, "4\nDone.", "after"),
        ({"after": ["Result:", "No: "]}, "the answer is 4", "after"),
        ({"after": ["The answer is "]}, None, "no_answer"),
    ],
)
def test_where_the_answer_stands(extraction: Any, extracted: str | None, rule: str) -> None:
    found = verdict("So the answer is 3.\nNo: the answer is 4\nDone.", "4", extraction=extraction)
    assert (found.extracted, found.rule) == (extracted, rule)


def test_the_squad_form_is_the_evaluation_scripts() -> None:
    assert normal_form("  The U.S.A.'s  “an”\tApple-pie, a  lá carte!", "squad") == "usas “ ” applepie lá carte"


@given(st.text(max_size=200))
def test_normal_forms_are_stable(text: str) -> None:
    once = normal_form(text, "squad")
    assert normal_form(once, ("case", "white_space")) == once


@given(st.text(max_size=200), st.sampled_from(["answer", "whole"]))
def test_no_output_breaks_the_grader(output: str, extraction: str) -> None:
    found = verdict(output, "Paris", extraction=extraction)
    assert (found.extracted is None) == (found.rule == "no_answer")
    assert found == verdict(f"{output}\n \t\n", "Paris", extraction=extraction)


@given(st.text(min_size=1, max_size=50))
def test_a_whole_text_is_right_for_itself(text: str) -> None:
    if "<" not in text and text.strip():
        assert verdict(text, text, extraction="whole").correct


def test_a_text_is_a_list_of_one() -> None:
    assert grade(ExactGrader(), output="Paris", target={"answer": "Paris"}, finish_reason="stop").correct
