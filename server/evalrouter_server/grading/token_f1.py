"""The overlap of an answer's words with those of an accepted answer, as SQuAD and DROP score it.

The score is the best F1 over the accepted answers, F1 being the harmonic mean of precision and recall over words; the
answer counts as correct where it is an accepted one in normal form (exact match).

- `squad` (Rajpurkar et al. 2016, arXiv:1606.05250): words of the SQuAD normal form, counted with their multiplicity.
- `drop` (Dua et al. 2019, arXiv:1903.00161): sets of words; words are split at hyphens too and numbers brought to one
  form; a span of an accepted answer that holds numbers scores only against one that shares a number with it. Spans are
  matched one to one so that the total is greatest, the mean is over the longer list, rounded to two decimals.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from evalrouter_server.grading.completion import final_text
from evalrouter_server.grading.extraction import find_answer
from evalrouter_server.grading.normal_form import normal_form
from evalrouter_server.grading.spec import TokenF1Grader, Verdict
from evalrouter_server.grading.targets import accepted_spans, accepted_texts

_MOST_SPANS = 100
"""Spans of an answer; what stands behind them is not read."""


def grade(grader: TokenF1Grader, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None) -> Verdict:
    """Grade by the overlap of words; see `evalrouter_server.grading.grade`."""
    spans = accepted_spans(target) if grader.style == "drop" else [[text] for text in accepted_texts(target)]
    answer = find_answer(grader.extraction, final_text(output, finish_reason))
    if answer is None:
        return Verdict.none()
    if grader.style == "squad":
        scores = [_squad(answer.text, text) for (text,) in spans]
    else:
        said = answer.text.split(grader.separator, _MOST_SPANS)[:_MOST_SPANS] if grader.separator else [answer.text]
        scores = [_drop(said, accepted) for accepted in spans]
    score, correct = max(f1 for f1, _ in scores), any(exact for _, exact in scores)
    return Verdict(score, correct, answer.text, answer.rule)


def _squad(answer: str, accepted: str) -> tuple[float, bool]:
    """F1 and exact match of one answer with one accepted answer."""
    said, expected = normal_form(answer, "squad").split(), normal_form(accepted, "squad").split()
    if not said or not expected:
        return float(said == expected), said == expected
    shared = (Counter(said) & Counter(expected)).total()
    return _f1(shared / len(said), shared / len(expected)), said == expected


def _drop(answer: Sequence[str], accepted: Sequence[str]) -> tuple[float, bool]:
    """F1 and exact match of the spans of one answer with those of one accepted answer."""
    said, expected = [_drop_form(span) for span in answer], [_drop_form(span) for span in accepted]
    total = _greatest_total([[_overlap(set(span), set(other)) for other in said] for span in expected])
    exact = len(said) == len(expected) and {tuple(span) for span in said} == {tuple(span) for span in expected}
    return round(total / max(len(said), len(expected)), 2), exact


def _drop_form(span: str) -> list[str]:
    words = span.lower().replace("-", " ").split(" ")
    return [part for word in words for part in _drop_word(word).split()]


def _drop_word(word: str) -> str:
    bare = word if _is_number(word) else normal_form(word, ("punctuation",))
    return str(float(bare)) if _is_number(bare) else normal_form(bare, ("articles",))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _overlap(said: set[str], expected: set[str]) -> float:
    numbers = {word for word in expected if _is_number(word)}
    if numbers and numbers.isdisjoint(said):
        return 0.0
    shared = len(said & expected)
    return _f1(shared / len(said) if said else 1.0, shared / len(expected) if expected else 1.0)


def _greatest_total(scores: list[list[float]]) -> float:
    """The greatest sum of scores with at most one in each row and each column."""
    if len(scores) == 1 or len(scores[0]) == 1:
        return max(score for row in scores for score in row)
    # scipy takes longer to import than everything else together, and only answers of several spans need it.
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(scores, maximize=True)
    return float(sum(scores[row][column] for row, column in zip(rows, columns, strict=True)))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
