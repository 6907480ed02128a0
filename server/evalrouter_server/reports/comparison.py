"""A comparison of runs as a page."""

from evalrouter_server.contract import models as contract
from evalrouter_server.reports.page import environment


def comparison_report(comparison: contract.Comparison) -> bytes:
    """Write the page of a comparison.

    Args:
        comparison: The comparison.

    Returns:
        The page.
    """
    return environment().get_template("comparison.html").render(comparison=comparison).encode()
