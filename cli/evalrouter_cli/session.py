"""The client that the commands use."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalrouter import EvalRouter


@contextmanager
def connect() -> "Iterator[EvalRouter]":
    """A client made from the environment; at the end of the context a server that it started is stopped."""
    from evalrouter import EvalRouter

    with EvalRouter() as client:
        yield client
