"""Numeric grading: the shared hard cases, the published verdicts, and rules that must hold for any number."""

import json
from fractions import Fraction
from typing import Any

import pytest
from evalrouter_server.grading import NumericGrader, Verdict, grade
from evalrouter_server.grading.numbers import find_numbers, parse_number
from hypothesis import given
from hypothesis import strategies as st

from tests.shared_data import SHARED, shared


def verdict(output: str, gold: str, finish_reason: str | None = "stop", **settings: Any) -> Verdict:
    return grade(NumericGrader(**settings), output=output, target={"answer": gold}, finish_reason=finish_reason)


CASES: list[dict[str, Any]] = json.loads((SHARED / "cases" / "numeric_cases.json").read_text()) if SHARED else []


@pytest.mark.skipif(not CASES, reason="the shared data folder is not beside this checkout")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['kind']}")
def test_hard_case(case: dict[str, Any]) -> None:
    assert verdict(case["output"], case["gold"], case["finish_reason"]).correct is case["correct"]


@pytest.mark.parametrize(("recording", "published"), [("6b_finetuning", 286), ("175b_finetuning", 458)])
def test_published_verdicts_are_reproduced(recording: str, published: int) -> None:
    questions = [json.loads(line) for line in shared("data", "gsm8k", "test.jsonl").read_text().splitlines()]
    golds = {row["question"]: row["answer"].rpartition("####")[2].strip() for row in questions}
    lines = shared("data", "gsm8k", "recorded", f"{recording}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    verdicts = [verdict(with_marker(row["output"]), golds[row["question"]]).correct for row in rows]
    assert len(rows) == 1319
    assert verdicts == [row["published_correct"] for row in rows]
    assert sum(verdicts) == published


def with_marker(output: str) -> str:
    """The recording with its last line `A: x` as the protocol's marker; a recording without one as it is."""
    working, _, last = output.rstrip().rpartition("\n")
    return f"{working}\nANSWER:{last.removeprefix('A:')}" if last.startswith("A:") else output


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("30 - 18", ["30", "18"]),
        ("30 -18", ["30", "18"]),
        ("(-3) is -4 = - 5", ["-3", "-4", "-5"]),
        ("$-5 and -$5", ["-5", "-5"]),
        ("COVID-19", ["19"]),
        ("- 18 eggs\n- 3 pears", ["-18", "3"]),
        ("5–10", ["5", "10"]),
        ("1,234.50", ["2469/2"]),
        ("84{,}000", ["84000"]),
        ("1, 2,3", ["1", "2", "3"]),
        (r"\frac{3}{4}", ["3/4"]),
        (r"-\dfrac{1}{2}", ["-1/2"]),
        ("1 1/2", ["3/2"]),
        ("12/0", []),
        ("1e3 1.2×10^{-3} 2 * 10**2", ["1000", "3/2500", "200"]),
        ("1e999999999", []),
        ("9" * 1000, []),
        (".5", ["1/2"]),
        ("no number", []),
    ],
)
def test_numbers_are_read_exactly(text: str, values: list[str]) -> None:
    assert [number.value for number in find_numbers(text)] == [Fraction(value) for value in values]


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=4))
def test_every_way_of_writing_a_number_has_the_same_value(number: Any) -> None:
    for text in (f"{number}", f"{number:,}", f"{number}".replace("-", "\u2212"), f"{number:,} dollars"):
        assert [found.value for found in find_numbers(text)] == [Fraction(number)]
    assert parse_number(str(number)) == Fraction(number)


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9))
def test_the_last_marker_decides_whatever_stands_before(gold: int, other: int) -> None:
    assert verdict(f"ANSWER: {other}\nNo, wait. It takes {other} more.\nANSWER: {gold}", str(gold)).correct
    assert verdict(f"So {other} it is.\nANSWER: {gold}", str(other)).correct is (gold == other)


@given(st.text(max_size=300), st.sampled_from(["stop", "length", None]))
def test_no_output_breaks_the_grader(output: str, finish_reason: str | None) -> None:
    result = verdict(output, "18", finish_reason)
    assert (result.extracted is None) == (result.rule == "no_answer")
    assert result.score == float(result.correct)


@pytest.mark.parametrize(
    ("output", "finish_reason", "extracted", "rule"),
    [
        ("So far 18", "length", None, "no_answer"),
        ("ANSWER: 18\nLet me check: 3", "length", "18", "marker"),
        ("72\n\nQuestion: Omar has 3 kites", "length", "72", "last_number"),
        ("<think>it must be 18", "stop", None, "no_answer"),
        ("it may be 50</think>\nANSWER: 18", "stop", "18", "marker"),
        ("ANSWER: unknown, though 18 is near\n", "stop", "18", "marker"),
        ("It is 18.\nANSWER: unknown", "stop", None, "no_answer"),
        ("**Answer:**\n\n18 eggs", "stop", "18", "marker"),
        ("The answer is as follows:\n3 + 4 = 7", "stop", "7", "marker"),
        ("#### Step 2: add up\nThat makes **18**", "stop", "18", "last_number"),
        ("#### 2. Add up\nThat makes **18**", "stop", "18", "last_number"),
        ("Restating it.\nQuestion: how many are left?\n#### 18", "stop", "18", "marker"),
        ("", "stop", None, "no_answer"),
    ],
)
def test_where_the_answer_is_found(output: str, finish_reason: str, extracted: str | None, rule: str) -> None:
    result = verdict(output, "18", finish_reason)
    assert (result.extracted, result.rule) == (extracted, rule)


def test_last_number_ignores_markers() -> None:
    assert verdict("ANSWER: 12\nCheck: 14", "14", extraction="last_number").correct
    assert verdict("ANSWER: 14", "14", "length", extraction="last_number").rule == "no_answer"


@pytest.mark.parametrize("target", [{}, {"answer": None}, {"answer": "12 or 13"}, {"answers": ["12"]}])
def test_a_target_that_is_not_a_number_is_refused(target: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be one number"):
        grade(NumericGrader(), output="12", target=target, finish_reason="stop")
