"""The report."""

from worklog.times import minutes


def report(lines: list[str]) -> dict[str, object]:
    """Add up the minutes of each project."""
    totals: dict[str, int] = {}
    for line in lines:
        times, _, rest = line.partition(" ")
        start, _, end = times.partition("-")
        project = rest.partition(":")[0].strip()
        totals[project] = totals.get(project, 0) + max(0, minutes(end) - minutes(start))
    return {"minutes": totals, "errors": []}
