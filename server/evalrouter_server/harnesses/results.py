"""What the harnesses say of each sample, read from their own logs; pure."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from evalrouter_server.grading import Verdict

type SampleKey = str
"""A sample's ID in its harness as JSON."""

_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's marks: correct, incorrect, partly, no answer."""


@dataclass(frozen=True, slots=True)
class SampleResult:
    """What a harness says of a sample.

    Attributes:
        output: The model's text, as the harness graded it.
        verdict: The harness's verdict.
        error: Why it could not be graded; None where it was.
        details: What else it says.
    """

    output: str
    verdict: Verdict
    error: str | None
    details: Mapping[str, JsonValue]


def sample_key(sample_id: JsonValue) -> SampleKey:
    """The key of a sample's ID."""
    return json.dumps(sample_id)


def read_inspect(rows: Iterable[Mapping[str, Any]]) -> dict[SampleKey, SampleResult]:
    """The results of Inspect's samples; its first scorer's score counts.

    Args:
        rows: What `run_inspect.py` writes of each sample.
    """
    return {sample_key(row["id"]): _inspect(row) for row in rows}


def _inspect(row: Mapping[str, Any]) -> SampleResult:
    error, score = row["error"], _number(row["value"])
    if error is None and score is None:
        error = f"the scorer {row['scorer']} gave no single number: {str(row['value'])[:100]}"
    verdict = Verdict(score or 0.0, score == 1.0, row["answer"] or None, str(row["scorer"] or "no_answer"))
    return SampleResult(row["output"], verdict, error, {"value": row["value"]})


def _number(value: Any) -> float | None:
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    return float(value) if isinstance(value, int | float) else None


def read_lm_eval(
    task: str, rows: Iterable[Mapping[str, Any]], *, filter_name: str | None
) -> dict[SampleKey, SampleResult]:
    """The results of lm-eval's samples.

    Args:
        task: The task that the samples log is of.
        rows: The log's rows, one for each document and filter.
        filter_name: Which filter's score counts; None: the first one's of each document.
    """
    found: dict[SampleKey, SampleResult] = {}
    scores: dict[SampleKey, dict[str, JsonValue]] = {}
    for row in rows:
        key = sample_key([task, row["doc_id"]])
        result = _lm_eval(row)
        scores.setdefault(key, {})[row["filter"]] = result.verdict.score
        if (filter_name is None and key not in found) or row["filter"] == filter_name:
            found[key] = result
    return {
        key: SampleResult(result.output, result.verdict, result.error, {**result.details, "scores": scores[key]})
        for key, result in found.items()
    }


def _lm_eval(row: Mapping[str, Any]) -> SampleResult:
    metric = row["metrics"][0] if row["metrics"] else None
    score = None if metric is None else _number(row[metric])
    error = None if score is not None else f"the metric {metric} is no single number"
    answer = row["filtered_resps"][0] if row["filtered_resps"] else None
    answer = answer if isinstance(answer, str) else None if answer is None else json.dumps(answer, ensure_ascii=False)
    if answer in ("[invalid]", ""):
        answer = None
    verdict = Verdict(score or 0.0, score == 1.0, answer, "no_answer" if answer is None else row["filter"])
    return SampleResult(row["resps"][0][0], verdict, error, {"metric": metric})
