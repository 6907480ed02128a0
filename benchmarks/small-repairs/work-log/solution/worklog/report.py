"""The report."""

import re

from worklog.times import minutes

_DAY = 24 * 60
_LINE = re.compile(r"(\d+:\d+)-(\d+:\d+)(?:\s+-(\d+:\d+))?\s+(\S.*)", re.ASCII)


def report(lines: list[str]) -> dict[str, object]:
    """Add up the minutes of each project, and list the lines that are wrong."""
    totals: dict[str, int] = {}
    errors = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            project, spent = _entry(line.strip())
        except ValueError:
            errors.append(number)
        else:
            totals[project] = totals.get(project, 0) + spent
    return {"minutes": dict(sorted(totals.items())), "errors": errors}


def _entry(line: str) -> tuple[str, int]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError("another form")
    start, end, pause, rest = found.groups()
    project = rest.partition(":")[0].strip()
    spent = (minutes(end) - minutes(start)) % _DAY or _DAY
    spent -= minutes(pause) if pause else 0
    if not project or spent <= 0:
        raise ValueError("no project, or a break that is too long")
    return project, spent
