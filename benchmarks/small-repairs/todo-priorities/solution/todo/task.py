"""A task."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """Something to do.

    Attributes:
        text: What.
        is_done: Whether it is done.
        priority: A capital letter, A the first; None: none.
    """

    text: str
    is_done: bool = False
    priority: str | None = None
