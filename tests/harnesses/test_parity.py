"""Our protocols beside the harnesses that they are of: the same questions, the same answers, the same verdicts."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from evalrouter import EvalRouter
from tests.e2e.provider import Provider
from tests.shared_data import needs_shared, shared
from tests.upstreams.replay import replay

COUNT = 200

FORMS: tuple[Callable[[str], str], ...] = (
    lambda number: f"The answer is {number}.",
    lambda number: f"ANSWER: {number}",
    lambda number: f"ANSWER: ${number}",
    lambda number: f"**ANSWER: {number}**",
    lambda number: f"ANSWER: {number}.00",
    lambda number: f"The answer is {number} dollars",
    lambda number: f"#### {number}",
    lambda number: f"ANSWER: {number}%",
    lambda number: f"ANSWER: {number}\n\nThat took 3 steps.",
    lambda number: f"The answer is {number}",
)
"""Ways to end an output; a question's digest chooses its way, so that each occurs about 20 times in 200."""


@dataclass(frozen=True, slots=True)
class Differing:
    """A question on which the verdicts differ: how its output ends, and both verdicts."""

    form: int
    theirs: bool | None
    ours: bool | None


@dataclass(slots=True)
class Parity:
    """What came of the comparison."""

    compared: int = 0
    same_prompt: int = 0
    theirs_right: int = 0
    ours_right: int = 0
    differing: list[Differing] = field(default_factory=list)


def form_of(question: str) -> int:
    return hashlib.sha256(question.encode()).digest()[0] % len(FORMS)


def recorded() -> dict[str, str]:
    """A model's published outputs by question, each with the last line in one of the forms."""
    lines = shared("data", "gsm8k", "recorded", "175b_finetuning.jsonl").read_text("utf-8").splitlines()
    outputs = {}
    for row in map(json.loads, lines):
        working, _, number = row["output"].rstrip().rpartition("A: ")
        outputs[row["question"]] = working + FORMS[form_of(row["question"])](number)
    return outputs


def question_in(prompt: Any, questions: dict[str, str]) -> str:
    """The question that a prompt ends with."""
    text = str(prompt[-1]["content"])
    return max(
        (question for question in questions if question in text), key=lambda found: (text.rfind(found), len(found))
    )


def compare(client: EvalRouter, theirs: str, ours: str, by: str | None) -> Parity:
    outputs = recorded()
    with Provider(replay(outputs)) as provider:
        model = provider.connect(client)
        sample = client.runs.create(
            benchmark=theirs, model=model, coverage={"mode": "sample", "sample_count": COUNT, "seed": 1}, wait=True
        )
        assert (sample.status, sample.coverage.graded) == ("completed", COUNT), sample.status_reason
        whole = client.runs.create(benchmark=ours, model=model, wait=True)
        assert (whole.status, whole.coverage.graded) == ("completed", 1319), whole.status_reason
        mine = {question_in(result.inputs["messages"], outputs): result for result in whole.results()}
        found = Parity()
        for result in sample.results():
            question = question_in(result.inputs["messages"], outputs)
            own = mine[question]
            found.compared += 1
            found.same_prompt += result.inputs["messages"] == own.inputs["messages"]
            verdict = result.correct if by is None else (result.details or {})["scores"][by] == 1.0
            found.theirs_right += bool(verdict)
            found.ours_right += bool(own.correct)
            if verdict != own.correct:
                found.differing.append(Differing(form_of(question), verdict, own.correct))
        print(f"{theirs} beside {ours}: {found}")
        return found


@pytest.mark.soak
@pytest.mark.timeout(3600)
@needs_shared
@pytest.mark.parametrize(
    ("theirs", "by", "ours", "explained"),
    [
        ("inspect/inspect_evals/gsm8k,fewshot=0", None, "gsm8k-inspect-zero-shot", {7}),
        ("lm-eval/gsm8k_cot", "strict-match", "gsm8k-lm-eval-cot", set()),
        ("lm-eval/gsm8k_cot", "flexible-extract", "gsm8k-lm-eval-cot-flexible", set()),
    ],
)
def test_verdicts_are_the_harnesss_own(
    client: EvalRouter, theirs: str, by: str | None, ours: str, explained: set[int]
) -> None:
    found = compare(client, theirs, ours, by)
    assert (found.compared, found.same_prompt) == (COUNT, COUNT)
    assert {differing.form for differing in found.differing} <= explained
    assert found.theirs_right > 0
