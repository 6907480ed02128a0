"""Writing tasks."""

from todo.task import Task


def render(tasks: list[Task]) -> str:
    """Write tasks, one a line: open ones first, then by priority."""
    ordered = sorted(tasks, key=lambda task: (task.is_done, task.priority is None, task.priority or ""))
    return "\n".join(map(_line, ordered))


def _line(task: Task) -> str:
    return ("x " if task.is_done else "") + (f"({task.priority}) " if task.priority else "") + task.text
