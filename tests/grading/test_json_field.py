"""Fields of JSON documents in an output."""

import json
from typing import Any

import pytest
from evalrouter_server.grading import JsonFieldGrader, Verdict, grade
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError


def verdict(output: str, answer: Any, **settings: Any) -> Verdict:
    return grade(JsonFieldGrader(**settings), output=output, target={"answer": answer}, finish_reason="stop")


@pytest.mark.parametrize(
    ("output", "extracted"),
    [
        ('{"answer": "C"}', "C"),
        ('Here it is:\n```json\n{"answer": "C"}\n```\nDone [1].', "C"),
        ('First {"answer": "A"}, no: {"answer": "C"}.', "C"),
        ('{"answer": "C"} and {"other": 1}', "C"),
        ('In {braces} and [brackets: {"answer": "C"}', "C"),
        ('{"outer": {"answer": "A"}}', None),
        ('{"answer": "C"', None),
        ('{"answer": 1.50}', "1.50"),
        ('{"answer": {"b": [1, true, null]}}', '{"b": [1, true, null]}'),
        ("no JSON", None),
        ("", None),
    ],
)
def test_where_the_field_is_found(output: str, extracted: str | None) -> None:
    found = verdict(output, "C", pointer="/answer")
    assert (found.extracted, found.rule) == (extracted, "no_answer" if extracted is None else "pointer")


@pytest.mark.parametrize(
    ("pointer", "extracted"),
    [("/a~1b", "1"), ("/c/1/d~0", "2"), ("/c/01/d~0", "2"), ("/c/-", None), ("/c/9", None), ("/", "3"), ("/x", None)],
)
def test_a_pointer_walks_the_document(pointer: str, extracted: str | None) -> None:
    assert verdict('{"a/b": 1, "c": [0, {"d~": 2}], "": 3}', 0, pointer=pointer).extracted == extracted


@pytest.mark.parametrize(
    ("said", "accepted", "same"),
    [
        ("1", 1, True),
        ("1.0", 1, True),
        ("0.1", 0.1, True),
        ("1e2", 100, True),
        ("true", True, True),
        ("true", 1, False),
        ('"1"', 1, False),
        ("null", None, True),
        ('["a", 1]', ["a", 1.0], True),
        ('["a"]', ["a", 1], False),
        ('{"x": 1, "y": 2}', {"y": 2, "x": 1}, True),
        ("NaN", "NaN", True),
        ("1e999999999", 1, False),
        ("9" * 5000, 1, False),
    ],
)
def test_typed_values_are_compared(said: str, accepted: Any, same: bool) -> None:
    assert verdict(f'{{"v": {said}}}', accepted, pointer="/v").correct is same


def test_texts_are_compared_in_a_normal_form() -> None:
    settings: dict[str, Any] = {"pointer": "/v", "compare": "text"}
    assert verdict('{"v": " Paris "}', "Paris", **settings).correct
    assert not verdict('{"v": "paris"}', "Paris", **settings).correct
    assert verdict('{"v": "the paris!"}', "Paris", **settings, ignore="squad").correct
    assert verdict('{"v": 7}', "7", **settings).correct


def test_a_whole_output_may_be_one_value() -> None:
    assert verdict(" 7\n", 7).correct
    assert verdict('"C"', "C").correct


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_every_value_is_the_same_as_itself(value: Any) -> None:
    document = json.dumps({"value": value})
    if "<" not in document:
        assert verdict(document, value, pointer="/value").correct


@given(st.text(max_size=200) | st.text('{}[]",:1a ', max_size=60))
def test_no_output_breaks_the_grader(output: str) -> None:
    found = verdict(output, "x")
    assert (found.extracted is None) == (found.rule == "no_answer")
    assert found == verdict(f"{output}\n \t\n", "x")


@pytest.mark.parametrize("pointer", ["answer", "/a~2", "/a~"])
def test_what_is_no_pointer_is_refused(pointer: str) -> None:
    with pytest.raises(ValidationError):
        JsonFieldGrader(pointer=pointer)
