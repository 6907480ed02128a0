"""Metrics: from the scores of graded tasks to values with standard errors and 95% intervals; pure."""

from evalrouter_server.metrics.attempts import attempt_metrics
from evalrouter_server.metrics.summary import (
    Metric,
    MetricName,
    ScoredTask,
    across_groups,
    by_group,
    headline,
    summarise,
)

__all__ = [
    "Metric",
    "MetricName",
    "ScoredTask",
    "across_groups",
    "attempt_metrics",
    "by_group",
    "headline",
    "summarise",
]
