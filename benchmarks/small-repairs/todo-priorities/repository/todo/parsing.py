"""Reading tasks."""

from todo.task import Task


def parse(line: str) -> Task:
    """Read a task: `x ` at the beginning says that it is done."""
    line = line.strip()
    if line.startswith("x "):
        return Task(line[2:].strip(), is_done=True)
    return Task(line)
