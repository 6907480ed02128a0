"""Paired comparison of two runs on the questions that both graded; pure.

Two runs of one benchmark answer the same questions, so their difference is that of pairs, which leaves out how much
questions differ (Miller 2024, arXiv 2411.00640, section 4.2). Repeats of a question are averaged first, so that
questions are what is independent.

Scores of 0 or 1 tried once: the exact McNemar test (McNemar 1947), which counts only the questions on which the runs
disagree, and Newcombe's square-and-add interval of a difference of paired proportions (Newcombe 1998, Statistics in
Medicine 17, 2635-2650, method 10). All others: a seeded bootstrap over the questions (Efron and Tibshirani 1993); where
all questions differ by the same, mostly by nothing, it has nothing to vary, and the sign test and `_of_equal` stand in.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np
from scipy.special import betaincinv, ndtri
from scipy.stats import binomtest, bootstrap

from evalrouter_server.metrics.intervals import (
    CONFIDENCE,
    Interval,
    Z,
    clustered_standard_error,
    wilson_interval,
)
from evalrouter_server.metrics.summary import Metric, MetricName, ScoredTask, summarise

RESAMPLES = 9_999
SEED = 0
"""Of the bootstrap, so that the same runs always compare alike."""

POWER = 0.8
"""The chance with which a difference of the smallest detectable size is found."""

LEAST_FLIPS = 6
"""Questions that must flip the same way before the exact test is below 0.05: 2 x 0.5^6 = 0.031."""

BATCH_CELLS = 4_000_000
"""Resampled scores that the bootstrap holds at a time, which bounds its memory."""

TINY = 1e-9
"""A difference of scores that is one of rounding."""

type Test = Literal["mcnemar_exact", "paired_bootstrap", "sign_exact"]
type IntervalMethod = Literal["newcombe", "bootstrap", "wilson"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The other run's score less the baseline's; the names are those of the contract.

    Attributes:
        value: From -1 to 1; above 0 where the other run is better.
        standard_error: Of the paired difference; None with fewer than two questions.
        low: The lower end of the 95% interval.
        high: The upper end of the 95% interval.
        method: How the interval was made: `newcombe`, `bootstrap`, or `wilson` where all differ by the same.
    """

    value: float
    standard_error: float | None
    low: float
    high: float
    method: IntervalMethod


@dataclass(frozen=True, slots=True)
class Flip:
    """A question that one run gets right and the other wrong.

    Attributes:
        item_id: The question.
        kind: `gained` where the other run is right, `lost` where the baseline is.
        baseline_score: The baseline's score, the mean over its repeats.
        score: The other run's.
    """

    item_id: str
    kind: Literal["gained", "lost"]
    baseline_score: float
    score: float


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Two runs on the questions that both graded.

    Attributes:
        shared: How many questions these are.
        baseline: The baseline's metric over them.
        other: The other run's.
        difference: The other's less the baseline's.
        test: `mcnemar_exact`, `paired_bootstrap`, or `sign_exact` where all differ by the same.
        p_value: How likely a difference of at least this size would be if the runs were equally good; 1 where no score
            differs, so that there is nothing to tell by.
        smallest_detectable_difference: The smallest true difference that this many questions would show at the 5% level
            in 80% of comparisons; None where the questions cannot say.
        differing: Questions with another score.
        both_right: Questions that both get right: whose mean score over the repeats is one half at least.
        both_wrong: Questions that neither gets right.
        flips: The others, in the order of the baseline's tasks.
    """

    shared: int
    baseline: Metric
    other: Metric
    difference: Difference
    test: Test
    p_value: float
    smallest_detectable_difference: float | None
    differing: int
    both_right: int
    both_wrong: int
    flips: tuple[Flip, ...]


def compare(baseline: Sequence[ScoredTask], other: Sequence[ScoredTask]) -> PairedComparison | None:
    """Compare two runs on the questions that both graded.

    Args:
        baseline: The graded tasks of one run.
        other: Those of the other.

    Returns:
        The comparison; None where they share no question.
    """
    here, there = _by_question(baseline), _by_question(other)
    shared = [item_id for item_id in here if item_id in there]
    if not shared:
        return None
    scores = [*(here[item_id] for item_id in shared), *(there[item_id] for item_id in shared)]
    is_binary = all(score in (0.0, 1.0) for question in scores for score in question)
    tried_once = all(len(question) == 1 for question in scores)
    name: MetricName = "accuracy" if is_binary else "mean_score"
    pairs = [(fmean(here[item_id]), fmean(there[item_id])) for item_id in shared]
    gained = sum(before < 0.5 <= after for before, after in pairs)
    lost = sum(after < 0.5 <= before for before, after in pairs)
    both_right = sum(before >= 0.5 and after >= 0.5 for before, after in pairs)
    both_wrong = len(pairs) - gained - lost - both_right
    differences = [after - before for before, after in pairs]
    value = fmean(differences)
    error = clustered_standard_error([[each] for each in differences], value)
    exact = is_binary and tried_once
    test: Test
    method: IntervalMethod
    if exact:
        test, method = "mcnemar_exact", "newcombe"
        p_value = _sign_test(gained, lost)
        low, high = newcombe_interval(both_right, gained, lost, both_wrong)
    elif max(differences) - min(differences) < TINY:
        test, method = "sign_exact", "wilson"
        p_value = _sign_test(len(pairs) if abs(value) >= TINY else 0, 0)
        low, high = _of_equal(value, len(pairs))
    else:
        test, method = "paired_bootstrap", "bootstrap"
        p_value, (low, high) = _bootstrap(differences, value)
    return PairedComparison(
        shared=len(shared),
        baseline=_metric(baseline, frozenset(shared), name),
        other=_metric(other, frozenset(shared), name),
        difference=Difference(value, error, low, high, method),
        test=test,
        p_value=p_value,
        smallest_detectable_difference=_smallest_detectable(error, len(shared), exact),
        differing=sum(abs(each) >= TINY for each in differences),
        both_right=both_right,
        both_wrong=both_wrong,
        flips=tuple(
            Flip(item_id, "gained" if after > before else "lost", before, after)
            for item_id, (before, after) in zip(shared, pairs, strict=True)
            if (before >= 0.5) != (after >= 0.5)
        ),
    )


def newcombe_interval(both: int, gained: int, lost: int, neither: int) -> Interval:
    """The 95% interval of the difference of two paired proportions (Newcombe 1998, method 10).

    Args:
        both: Pairs with a success in both.
        gained: Pairs with a success in the second only.
        lost: Pairs with a success in the first only.
        neither: Pairs with none.

    Returns:
        The interval of the second proportion less the first, within -1 and 1.
    """
    n = both + gained + lost + neither
    first, second = (both + lost) / n, (both + gained) / n
    first_low, first_high = wilson_interval(first, n)
    second_low, second_high = wilson_interval(second, n)
    phi = _corrected_phi(both, gained, lost, neither)
    difference = second - first

    def reach(one: float, another: float) -> float:
        return math.sqrt(max(0.0, one * one - 2 * phi * one * another + another * another))

    return (
        max(-1.0, difference - reach(second - second_low, first_high - first)),
        min(1.0, difference + reach(second_high - second, first - first_low)),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of several comparisons, raised so that a false alarm among them all keeps its level (Holm 1979).

    Args:
        p_values: Of each comparison.

    Returns:
        The adjusted ones, in the same order.
    """
    adjusted = [0.0] * len(p_values)
    most = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        most = max(most, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = most
    return adjusted


def _corrected_phi(both: int, gained: int, lost: int, neither: int) -> float:
    """The correlation of the pairs, with the continuity correction of Newcombe's method 10."""
    n = both + gained + lost + neither
    margins = (both + gained) * (lost + neither) * (both + lost) * (gained + neither)
    if margins == 0:
        return 0.0
    product = both * neither - gained * lost
    corrected = max(product - n / 2, 0.0) if product > 0 else product
    return float(corrected / math.sqrt(margins))


def _sign_test(above: int, below: int) -> float:
    """The p-value of the questions that differ: which way each does is as the toss of a coin if the runs are equal."""
    return float(binomtest(above, above + below).pvalue) if above + below else 1.0


def _of_equal(value: float, n: int) -> Interval:
    """The interval where all of n questions differ by the same.

    Of all questions, at most Wilson's upper end for none of n differ by anything else, which is from -1 to 1.
    """
    others = wilson_interval(0.0, n)[1]
    return value - others * (1 + value), value + others * (1 - value)


def _bootstrap(differences: Sequence[float], value: float) -> tuple[float, Interval]:
    """The p-value and the percentile interval of the mean of the differences, by resampling questions."""
    found = bootstrap(
        (np.asarray(differences),),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, BATCH_CELLS // len(differences)),
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    moved = np.abs(found.bootstrap_distribution - value)
    as_far = int(np.count_nonzero(moved >= abs(value) * (1 - 1e-12)))
    interval = (max(-1.0, float(found.confidence_interval.low)), min(1.0, float(found.confidence_interval.high)))
    return (as_far + 1) / (RESAMPLES + 1), interval


def _smallest_detectable(error: float | None, n: int, exact: bool) -> float | None:
    """(z of the level + z of the power) x standard error (Miller 2024, section 5); no less than the exact test can see.

    That test needs `LEAST_FLIPS` flips the same way, which come about with the chance of the power where that share of
    the questions flips at which Bin(n, share) reaches them so often.
    """
    by_error = None if error is None or error < TINY else (Z + float(ndtri(POWER))) * error
    if not exact:
        return by_error
    if n < LEAST_FLIPS:
        return None
    least = float(betaincinv(LEAST_FLIPS, n - LEAST_FLIPS + 1, POWER))
    return min(1.0, max(by_error or 0.0, least))


def _by_question(tasks: Sequence[ScoredTask]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for task in tasks:
        found.setdefault(task.item_id, []).append(task.score)
    return found


def _metric(tasks: Sequence[ScoredTask], shared: frozenset[str], name: MetricName) -> Metric:
    found = summarise([task for task in tasks if task.item_id in shared], name=name)
    if found is None:
        raise ValueError("there is no shared task")
    return found
