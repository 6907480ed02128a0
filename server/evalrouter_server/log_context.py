"""Which request and which run a line of the log is about, known wherever in the work on them it is written."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
run_id: ContextVar[str | None] = ContextVar("run_id", default=None)


@contextmanager
def about(variable: ContextVar[str | None], value: str) -> Iterator[None]:
    """Let what is logged meanwhile, and in tasks that are started meanwhile, be about a request or run.

    Args:
        variable: `request_id` or `run_id`.
        value: Its ID.
    """
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
