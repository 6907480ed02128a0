"""Point estimates, standard errors and 95% intervals of a run's scores.

Repeats of one question are not independent, so errors are clustered by question (Miller 2024, "Adding Error Bars to
Evals", arXiv 2411.00640, section 2.2), with the usual correction k / (k - 1) for k clusters; with one repeat that is
the ordinary standard error of a mean. Binary scores get the Wilson score interval (Wilson 1927), which keeps its
coverage for small samples and near 0 and 1, where a normal interval does not (Bowyer et al. 2025, arXiv 2503.01747);
with repeats its n is the effective sample size, n over the design effect (Kish 1965). Other scores get the t interval
with k - 1 degrees of freedom.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.special import ndtri, stdtrit

CONFIDENCE = 0.95
"""The confidence level of every interval."""

type MetricName = Literal["accuracy", "mean_score"]


@dataclass(frozen=True, slots=True)
class ScoredTask:
    """The score of one graded task.

    Attributes:
        item_id: The question; tasks of one question are its repeats.
        score: From 0.0 to 1.0.
        group: The benchmark's own group of the question, where it has groups.
    """

    item_id: str
    score: float
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """One value of a run with its uncertainty.

    Attributes:
        name: `accuracy` for binary scores, `mean_score` for others.
        value: The mean over the graded tasks.
        n: How many graded tasks it covers.
        standard_error: The standard error of the value, clustered by question; None with fewer than two questions.
        low: The lower end of the 95% interval; None where none can be given.
        high: The upper end of the 95% interval; None where none can be given.
        method: How the interval was made: `wilson` or `t`.
    """

    name: str
    value: float
    n: int
    standard_error: float | None
    low: float | None
    high: float | None
    method: str


def summarise(tasks: Sequence[ScoredTask], *, name: MetricName = "accuracy") -> Metric | None:
    """The mean of the scores with its standard error and 95% interval.

    Args:
        tasks: The graded tasks, and only those: a task that could not be finished is missing, not wrong.
        name: `accuracy` if every score is 0 or 1, `mean_score` otherwise.

    Returns:
        The metric; None where nothing was graded.

    Raises:
        ValueError: A score is not finite, or not 0 or 1 under `accuracy`.
    """
    if not tasks:
        return None
    for task in tasks:
        if not math.isfinite(task.score) or (name == "accuracy" and task.score not in (0.0, 1.0)):
            raise ValueError(f"the score {task.score} of item {task.item_id} does not fit the metric {name}")
    value = math.fsum(task.score for task in tasks) / len(tasks)
    clusters = _clusters(tasks)
    error = clustered_standard_error(clusters, value)
    if name == "accuracy":
        low, high = wilson_interval(value, _effective_n(value, len(tasks), len(clusters), error))
        return Metric(name, value, len(tasks), error, low, high, "wilson")
    if error is None:
        return Metric(name, value, len(tasks), None, None, None, "t")
    reach = float(stdtrit(len(clusters) - 1, (1 + CONFIDENCE) / 2)) * error
    return Metric(name, value, len(tasks), error, value - reach, value + reach, "t")


def by_group(tasks: Sequence[ScoredTask], *, name: MetricName = "accuracy") -> dict[str, Metric]:
    """The metric of each group, in the groups' alphabetical order; tasks without a group are left out."""
    groups: dict[str, list[ScoredTask]] = defaultdict(list)
    for task in tasks:
        if task.group is not None:
            groups[task.group].append(task)
    summaries = ((group, summarise(members, name=name)) for group, members in sorted(groups.items()))
    return {group: metric for group, metric in summaries if metric is not None}


def headline(metrics: Iterable[Metric], name: MetricName = "accuracy") -> float | None:
    """The value that stands for the run: that of the manifest's first metric; None where nothing was graded."""
    return next((metric.value for metric in metrics if metric.name == name), None)


def wilson_interval(proportion: float, n: float) -> tuple[float, float]:
    """The 95% Wilson score interval of a proportion.

    Args:
        proportion: The observed proportion, from 0 to 1.
        n: The (effective) number of independent observations; more than 0, not always whole.

    Returns:
        The lower and the upper end, within 0 and 1.
    """
    z = float(ndtri((1 + CONFIDENCE) / 2))
    centre = (proportion + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(proportion * (1 - proportion) / n + z * z / (4 * n * n))
    low = 0.0 if proportion == 0 else max(0.0, centre - reach)
    high = 1.0 if proportion == 1 else min(1.0, centre + reach)
    return low, high


def clustered_standard_error(clusters: Sequence[Sequence[float]], mean: float) -> float | None:
    """The standard error of the mean of all scores when only the clusters are independent.

    Args:
        clusters: The scores of each question.
        mean: The mean of all scores.

    Returns:
        The standard error; None with fewer than two clusters.
    """
    count = len(clusters)
    if count < 2:
        return None
    total = sum(map(len, clusters))
    squares = math.fsum(math.fsum(score - mean for score in cluster) ** 2 for cluster in clusters)
    return math.sqrt(squares * count / (count - 1)) / total


def _clusters(tasks: Sequence[ScoredTask]) -> list[list[float]]:
    clusters: dict[str, list[float]] = defaultdict(list)
    for task in tasks:
        clusters[task.item_id].append(task.score)
    return list(clusters.values())


def _effective_n(proportion: float, n: int, clusters: int, error: float | None) -> float:
    """The number of independent observations that carry as much information as these; n with one repeat each."""
    if clusters == n:
        return float(n)
    if not error:
        return float(clusters)
    # The clustered error has the correction k / (k - 1); taken out, one repeat each gives exactly n.
    variance = error**2 * (clusters - 1) / clusters
    return min(float(n), max(1.0, proportion * (1 - proportion) / variance))
