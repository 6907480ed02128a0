"""How a run ends: from its results to status, reason and metrics; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evalrouter_server.metrics import (
    Metric,
    MetricName,
    ScoredTask,
    across_groups,
    attempt_metrics,
    by_group,
    headline,
    summarise,
)


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The score of one of the benchmark's groups with its uncertainty; the names are those of the contract."""

    name: str
    score: float | None
    n: int
    standard_error: float | None
    low: float | None
    high: float | None
    method: str | None


@dataclass(frozen=True, slots=True)
class Ending:
    """The last word on a run.

    Attributes:
        status: `completed`, `partial`, `cancelled` or `failed`.
        reason: Why it is not `completed`; None where it is.
        score: The primary metric; None where nothing was graded.
        metrics: All metrics.
        groups: The groups' scores.
    """

    status: str
    reason: str | None
    score: float | None
    metrics: tuple[Metric, ...]
    groups: tuple[GroupScore, ...]


def decide(
    *,
    selected: int,
    graded: Sequence[ScoredTask],
    failed: int,
    first_error: str | None,
    cancelled: bool,
    stopped_because: str | None,
    metric: MetricName,
    groups: Sequence[str],
) -> Ending:
    """Decide how a run ends.

    Args:
        selected: Tasks in the plan.
        graded: The graded tasks.
        failed: Tasks that ended in an error.
        first_error: Code and message of the first of them.
        cancelled: Whether somebody cancelled the run.
        stopped_because: Why no further task was begun, such as an exhausted budget; None where all were tried.
        metric: The benchmark's primary metric.
        groups: The benchmark's groups, in the order in which they are shown.
    """
    metrics = _metrics(graded, metric)
    of_group = by_group(graded, name=metric)
    status, reason = _status(selected, len(graded), failed, first_error, cancelled, stopped_because)
    return Ending(
        status=status,
        reason=reason,
        score=headline(metrics, metric),
        metrics=metrics,
        groups=tuple(_group(name, of_group.get(name)) for name in groups),
    )


def _metrics(graded: Sequence[ScoredTask], metric: MetricName) -> tuple[Metric, ...]:
    """The headline first, then what groups and repeats add to it."""
    found = (summarise(graded, name=metric), across_groups(graded, name=metric))
    attempts = attempt_metrics(graded) if metric == "accuracy" else ()
    return (*(each for each in found if each is not None), *attempts)


def _group(name: str, metric: Metric | None) -> GroupScore:
    if metric is None:
        return GroupScore(name, None, 0, None, None, None, None)
    return GroupScore(name, metric.value, metric.n, metric.standard_error, metric.low, metric.high, metric.method)


def _status(
    selected: int, graded: int, failed: int, first_error: str | None, cancelled: bool, stopped_because: str | None
) -> tuple[str, str | None]:
    if cancelled:
        return "cancelled", "cancelled: by request"
    if graded == selected:
        return "completed", None
    if stopped_because is not None:
        return "partial", stopped_because
    status, count = ("failed", f"all {failed}") if graded == 0 else ("partial", f"{failed} of {selected}")
    return status, f"tasks_failed: {count} tasks failed, the first with {first_error}"
