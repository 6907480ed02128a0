"""Reports: a run, or a comparison of runs, as one HTML page that loads nothing."""

from evalrouter_server.reports.comparison import comparison_report
from evalrouter_server.reports.run import run_report

__all__ = ["comparison_report", "run_report"]
