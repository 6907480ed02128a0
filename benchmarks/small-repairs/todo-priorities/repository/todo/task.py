"""A task."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """Something to do.

    Attributes:
        text: What.
        is_done: Whether it is done.
    """

    text: str
    is_done: bool = False
