"""Mathematical answers: where the expression stands, which ones are equal, and that none takes more than its time."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from evalrouter_server.grading import MathGrader, Verdict, mathematics
from evalrouter_server.runners.equality import BoundedEquality, EqualityUnavailable
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def equality() -> Iterator[BoundedEquality]:
    bounded = BoundedEquality(cpu_seconds=2)
    yield bounded
    bounded.close()


def verdict(output: str, *answers: str, finish_reason: str = "stop") -> Verdict:
    target = {"answers": list(answers)}
    return mathematics.grade(
        MathGrader(),
        output=output,
        target=target,  # type: ignore[arg-type]
        finish_reason=finish_reason,
        equality=lambda expected, found: expected == found,
    )


@pytest.mark.parametrize(
    ("output", "finish_reason", "extracted", "rule"),
    [
        (r"So $x = \boxed{\frac{1}{2}}$.", "stop", r"\frac{1}{2}", "boxed"),
        (r"First \boxed{1}, then \boxed{2}. The answer is 2.", "stop", "2", "boxed"),
        (r"The answer is $\frac12$.", "stop", r"\frac12", "marker"),
        ("ANSWER: (1, 2)", "stop", "(1, 2)", "marker"),
        ("**Answer:** \\(x+1\\)", "stop", "x+1", "marker"),
        (r"We get $a=1$ and \[x^2\]", "stop", "x^2", "last_formula"),
        ("Let me see.\n42.", "stop", "42", "last_line"),
        ("Let me see.\n42", "length", None, "no_answer"),
        (r"\boxed{42}", "length", "42", "boxed"),
        ("1+" * 501, "stop", None, "no_answer"),
        ("", "stop", None, "no_answer"),
    ],
)
def test_where_the_expression_stands(output: str, finish_reason: str, extracted: str | None, rule: str) -> None:
    found = verdict(output, "42", finish_reason=finish_reason)
    assert (found.extracted, found.rule) == (extracted, rule)


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        (r"\frac12", "0.5", True),
        ("5", "x=5", True),
        (r"\frac{\sqrt{2}}{2}", r"1/\sqrt2", True),
        ("x^2+2x+1", "(x+1)^2", True),
        (r"\{1,2\}", r"\{2,1\}", True),
        (r"\left[0,1\right)", "[0,1)", True),
        (r"\pi", "3.14159", False),
        ("(1,2)", "(2,1)", False),
        ("2", "3", False),
        ("2", "import os", False),
        ("2", "\\frac{", False),
    ],
)
def test_which_expressions_are_equal(equality: BoundedEquality, expected: str, found: str, same: bool) -> None:
    assert equality(expected, found) is same


def test_a_comparison_that_never_ends_is_ended_in_any_thread(equality: BoundedEquality) -> None:
    started = time.monotonic()
    with ThreadPoolExecutor(2) as threads:
        asked = [threads.submit(equality, "1", text) for text in ("9^{9^{9^9}}", "2-1")]
        assert [future.result(60) for future in asked] == [None, True]
    assert time.monotonic() - started < 60
    assert equality("1", "3-2") is True


def test_a_closed_one_compares_no_more() -> None:
    bounded = BoundedEquality()
    bounded.close()
    with pytest.raises(EqualityUnavailable, match="ending"):
        bounded("1", "2")


def test_what_cannot_be_told_is_wrong_and_marked() -> None:
    found = mathematics.grade(
        MathGrader(), output="9^9", target={"answer": "1"}, finish_reason="stop", equality=lambda *_: None
    )
    assert found == Verdict(0.0, False, "9^9", "limit")


@given(st.text(max_size=300), st.sampled_from(["stop", "length"]))
def test_no_output_breaks_the_grader(output: str, finish_reason: str) -> None:
    found = verdict(output, "42", finish_reason=finish_reason)
    assert (found.extracted is None) == (found.rule == "no_answer")
    assert found == verdict(f"{output}\n \t\n", "42", finish_reason=finish_reason)
