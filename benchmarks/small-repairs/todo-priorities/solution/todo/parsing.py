"""Reading tasks."""

import re

from todo.task import Task

_PRIORITY = re.compile(r"\(([A-Z])\) ")


def parse(line: str) -> Task:
    """Read a task: `x ` at the beginning says that it is done, then `(A) ` what its priority is."""
    line = line.strip()
    is_done = line.startswith("x ")
    if is_done:
        line = line[2:].strip()
    found = _PRIORITY.match(line)
    if found:
        return Task(line[found.end() :].strip(), is_done, found[1])
    return Task(line, is_done)
