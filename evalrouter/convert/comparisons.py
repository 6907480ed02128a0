"""Comparisons of runs."""

from collections.abc import Sequence
from typing import Any

from evalrouter_api import models as wire
from evalrouter_api.api.runs import compare_runs, report_comparison

from evalrouter import types
from evalrouter.convert.request import Request
from evalrouter.convert.runs import metric, run
from evalrouter.money import from_microusd


def compare(baseline_id: str, other_ids: Sequence[str]) -> Request[types.Comparison]:
    """Runs beside a baseline."""
    return Request(
        compare_runs.get_kwargs(baseline_id, with_=list(other_ids)), compare_runs.parse_response, _comparison
    )


def report(baseline_id: str, other_ids: Sequence[str]) -> dict[str, Any]:
    """The arguments of the request for the same as a page."""
    return report_comparison.get_kwargs(baseline_id, with_=list(other_ids))


def _comparison(found: wire.Comparison) -> types.Comparison:
    return types.Comparison(baseline=run(found.baseline), others=tuple(map(_run_comparison, found.others)))


def _run_comparison(found: wire.RunComparison) -> types.RunComparison:
    return types.RunComparison(
        run=run(found.run),
        shared=found.shared,
        baseline_only=found.baseline_only,
        run_only=found.run_only,
        baseline_metric=metric(found.baseline_metric),
        run_metric=metric(found.run_metric),
        difference=types.Difference(
            value=found.difference.value,
            standard_error=found.difference.standard_error,
            low=found.difference.low,
            high=found.difference.high,
            method=found.difference.method,
        ),
        test=found.test.name,
        p_value=found.test.p_value,
        p_value_adjusted=found.test.p_value_adjusted,
        smallest_detectable_difference=found.smallest_detectable_difference,
        differing=found.differing,
        both_right=found.both_right,
        both_wrong=found.both_wrong,
        gained=found.gained,
        lost=found.lost,
        flips=tuple(map(_flip, found.flips)),
        baseline_cost=from_microusd(found.baseline_charge_microusd),
        run_cost=from_microusd(found.run_charge_microusd),
    )


def _flip(found: wire.Flip) -> types.Flip:
    return types.Flip(
        item_id=found.item_id,
        group=found.group,
        question=found.question,
        target=found.target.to_dict(),
        kind=found.kind,
        baseline=_side(found.baseline),
        run=_side(found.run),
    )


def _side(found: wire.FlipSide) -> types.FlipSide:
    return types.FlipSide(
        score=found.score,
        answers=tuple(types.GivenAnswer(each.task_id, each.answer, each.is_extracted) for each in found.answers),
    )
