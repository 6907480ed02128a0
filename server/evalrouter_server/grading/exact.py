"""Text answers that must be an accepted one, character by character but for what the manifest says to ignore."""

from collections.abc import Mapping

from pydantic import JsonValue

from evalrouter_server.grading.completion import final_text
from evalrouter_server.grading.extraction import find_answer
from evalrouter_server.grading.normal_form import normal_form
from evalrouter_server.grading.spec import ExactGrader, Verdict
from evalrouter_server.grading.targets import accepted_texts


def grade(grader: ExactGrader, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None) -> Verdict:
    """Grade a text answer; see `evalrouter_server.grading.grade`."""
    accepted = accepted_texts(target)
    answer = find_answer(grader.extraction, final_text(output, finish_reason))
    if answer is None:
        return Verdict.none()
    found = normal_form(answer.text, grader.ignore)
    return Verdict.of(found in [normal_form(text, grader.ignore) for text in accepted], answer.text, answer.rule)
