"""What is read from the harnesses' logs, and which task a call belongs to."""

from typing import Any

import pytest
from evalrouter_server.gateway.attribution import Attribution
from evalrouter_server.grading import Verdict
from evalrouter_server.harnesses.adopting import is_full_name
from evalrouter_server.harnesses.results import read_inspect, read_lm_eval, sample_key


def row(doc_id: int, name: str, answer: str, score: float) -> dict[str, Any]:
    return {
        "doc_id": doc_id,
        "resps": [["The answer is 18."]],
        "filtered_resps": [answer],
        "filter": name,
        "metrics": ["exact_match"],
        "exact_match": score,
    }


def test_the_named_filter_counts_and_the_others_are_noted() -> None:
    rows = [row(3, "strict", "18", 1.0), row(3, "flexible", "[invalid]", 0.0)]
    strict = read_lm_eval("task", rows, filter_name=None)[sample_key(["task", 3])]
    assert strict.verdict == Verdict(1.0, True, "18", "strict")
    assert strict.details == {"metric": "exact_match", "scores": {"strict": 1.0, "flexible": 0.0}}
    flexible = read_lm_eval("task", rows, filter_name="flexible")[sample_key(["task", 3])]
    assert flexible.verdict == Verdict(0.0, False, None, "no_answer")


def test_a_metric_that_is_no_number_is_an_error_and_not_wrong() -> None:
    rows = [row(0, "none", "x", 0.0) | {"exact_match": [1, 2]}]
    assert read_lm_eval("task", rows, filter_name=None)[sample_key(["task", 0])].error is not None


@pytest.mark.parametrize(
    ("value", "score"), [("C", 1.0), ("I", 0.0), ("P", 0.5), ("N", 0.0), (True, 1.0), (0.25, 0.25), (1, 1.0)]
)
def test_inspects_marks_are_scores(value: Any, score: float) -> None:
    sample = {"id": "a", "output": "x", "scorer": "match", "value": value, "answer": "x", "error": None}
    result = read_inspect([sample])[sample_key("a")]
    assert (result.verdict.score, result.verdict.correct, result.error) == (score, score == 1.0, None)


@pytest.mark.parametrize("value", [{"a": 1}, [1], "good", None])
def test_an_inspect_score_of_several_values_is_an_error_and_not_wrong(value: Any) -> None:
    sample = {"id": 1, "output": "x", "scorer": "match", "value": value, "answer": None, "error": None}
    assert read_inspect([sample])[sample_key(1)].error is not None


def user(text: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


def test_a_call_is_the_tasks_that_asks_the_same() -> None:
    calls = Attribution.of([("one", user("a")), ("two", user("b")), ("three", user("b"))])
    found = [calls.take({"messages": user(text)}) for text in ("b", [{"type": "text", "text": "b"}], "b", "a")]
    assert [call and call.task_id for call in found] == ["two", "three", "three", "one"]
    assert calls.take({"messages": user("c")}) is None
    assert calls.unattributed == 1


def test_with_other_examples_the_last_message_decides() -> None:
    calls = Attribution.of([("one", [*user("example"), *user("a")]), ("two", [*user("example"), *user("b")])])
    found = calls.take({"messages": [*user("another"), *user("b")]})
    assert found is not None
    assert found.task_id == "two"
    assert found.messages == [*user("another"), *user("b")]


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("lm-eval/gsm8k_cot", True),
        ("inspect/inspect_evals/gsm8k,fewshot=0", True),
        ("lm-eval/../x", False),
        ("lm-eval/", False),
        ("gsm8k", False),
        ("openai/gpt-5", False),
        ("inspect/a b", False),
    ],
)
def test_a_tasks_full_name(name: str, full: bool) -> None:
    assert is_full_name(name) is full
