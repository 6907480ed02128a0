"""Metrics: from the scores of graded tasks to values with standard errors and 95% intervals; pure."""

from evalrouter_server.metrics.summary import Metric, ScoredTask, by_group, headline, summarise

__all__ = ["Metric", "ScoredTask", "by_group", "headline", "summarise"]
