"""Documents of comparisons."""

from typing import TYPE_CHECKING

from evalrouter_cli.documents.runs import metric, run_facts
from evalrouter_cli.documents.values import Document
from evalrouter_cli.formats import plain

if TYPE_CHECKING:
    from evalrouter.types import Comparison, Flip, FlipSide, RunComparison


def comparison(value: "Comparison") -> Document:
    """Runs beside a baseline."""
    return {"baseline": run_facts(value.baseline), "others": [_run_comparison(each) for each in value.others]}


def _run_comparison(value: "RunComparison") -> Document:
    difference = value.difference
    return {
        "run": run_facts(value.run),
        "shared": value.shared,
        "baseline_only": value.baseline_only,
        "run_only": value.run_only,
        "baseline_metric": {"name": value.baseline_metric.name, **metric(value.baseline_metric)},
        "run_metric": {"name": value.run_metric.name, **metric(value.run_metric)},
        "difference": {
            "value": difference.value,
            "standard_error": difference.standard_error,
            "low": difference.low,
            "high": difference.high,
            "method": difference.method,
        },
        "test": value.test,
        "p_value": value.p_value,
        "p_value_adjusted": value.p_value_adjusted,
        "smallest_detectable_difference": value.smallest_detectable_difference,
        "differing": value.differing,
        "both_right": value.both_right,
        "both_wrong": value.both_wrong,
        "gained": value.gained,
        "lost": value.lost,
        "flips": [_flip(flip) for flip in value.flips],
        "baseline_cost_usd": plain(value.baseline_cost),
        "run_cost_usd": plain(value.run_cost),
    }


def _flip(value: "Flip") -> Document:
    return {
        "item_id": value.item_id,
        "group": value.group,
        "question": value.question,
        "target": dict(value.target),
        "kind": value.kind,
        "baseline": _side(value.baseline),
        "run": _side(value.run),
    }


def _side(value: "FlipSide") -> Document:
    return {
        "score": value.score,
        "answers": [
            {"task_id": each.task_id, "answer": each.answer, "is_extracted": each.is_extracted}
            for each in value.answers
        ],
    }
