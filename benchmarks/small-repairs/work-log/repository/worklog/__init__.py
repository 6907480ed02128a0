"""Time spent on projects."""

from worklog.report import report

__all__ = ["report"]
