"""Point estimates, standard errors and 95% intervals of a run's scores, as a whole and by group.

Binary scores get the Wilson interval, with repeats at their effective sample size; other scores the t interval. Errors
are clustered by question. That answers how the score would vary over other questions of the same groups; where a
benchmark has groups, a second metric with errors clustered by group answers how it would vary over other groups.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evalrouter_server.metrics.intervals import (
    clustered_standard_error,
    effective_n,
    t_interval,
    wilson_interval,
)

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
        name: `accuracy` for binary scores, `mean_score` for others; `..._across_groups` with errors clustered by group;
            `pass@k`, `pass^k`.
        value: The mean over the graded tasks.
        n: How many graded tasks it covers; of `pass@k` and `pass^k` how many questions.
        standard_error: The standard error of the value; None with fewer than two clusters.
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
    """The mean of the scores with its standard error and 95% interval, clustered by question.

    Args:
        tasks: The graded tasks, and only those: a task that could not be finished is missing, not wrong.
        name: `accuracy` if every score is 0 or 1, `mean_score` otherwise.

    Returns:
        The metric; None where nothing was graded.

    Raises:
        ValueError: A score is not finite or not from 0 to 1, or not 0 or 1 under `accuracy`.
    """
    if not tasks:
        return None
    for task in tasks:
        if not 0 <= task.score <= 1 or (name == "accuracy" and task.score not in (0.0, 1.0)):
            raise ValueError(f"the score {task.score} of item {task.item_id} does not fit the metric {name}")
    value = mean(tasks)
    questions = clusters(tasks, lambda task: task.item_id)
    error = clustered_standard_error(questions, value)
    if name == "mean_score":
        return _by_t(name, value, len(tasks), len(questions), error)
    low, high = wilson_interval(value, effective_n(value, len(tasks), len(questions), error))
    return Metric(name, value, len(tasks), error, low, high, "wilson")


def across_groups(tasks: Sequence[ScoredTask], *, name: MetricName = "accuracy") -> Metric | None:
    """The same mean with its error clustered by group: how it would vary over other groups than these.

    The t interval has a degree of freedom for every group but one, since the normal one is too narrow where clusters
    are few (Cameron and Miller 2015, "A Practitioner's Guide to Cluster-Robust Inference").

    Args:
        tasks: The graded tasks.
        name: The metric whose mean it is.

    Returns:
        The metric `..._across_groups`; None with fewer than two groups.
    """
    grouped = [task for task in tasks if task.group is not None]
    groups = clusters(grouped, lambda task: task.group)
    if len(groups) < 2:
        return None
    value = mean(grouped)
    error = clustered_standard_error(groups, value)
    return _by_t(f"{name}_across_groups", value, len(grouped), len(groups), error)


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


def mean(tasks: Sequence[ScoredTask]) -> float:
    """The mean of the scores of at least one task."""
    return math.fsum(task.score for task in tasks) / len(tasks)


def clusters(tasks: Iterable[ScoredTask], of: Callable[[ScoredTask], str | None]) -> list[list[float]]:
    """The scores of the tasks that belong together.

    Args:
        tasks: The tasks.
        of: Names the cluster of a task.
    """
    found: dict[str | None, list[float]] = defaultdict(list)
    for task in tasks:
        found[of(task)].append(task.score)
    return list(found.values())


def _by_t(name: str, value: float, n: int, count: int, error: float | None) -> Metric:
    """A metric with the t interval over clusters; where they do not differ at all, with Wilson's, which then is wider.

    Wilson's holds for any scores from 0 to 1, since none vary more than those that are 0 or 1.
    """
    if error is None:
        return Metric(name, value, n, None, None, None, "t")
    if error == 0:
        return Metric(name, value, n, error, *wilson_interval(value, count), "wilson")
    return Metric(name, value, n, error, *t_interval(value, error, count), "t")
