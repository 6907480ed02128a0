"""Writing tasks."""

from todo.task import Task


def render(tasks: list[Task]) -> str:
    """Write tasks, one a line."""
    return "\n".join(("x " if task.is_done else "") + task.text for task in tasks)
