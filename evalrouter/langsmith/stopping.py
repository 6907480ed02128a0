"""Ends the process cleanly: every pause ends at once, a read from LangSmith is broken off, a write never is."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from evalrouter.langsmith.errors import StopRequestedError


class Stop:
    """Whether the process was asked to end."""

    def __init__(self) -> None:
        self._event = Event()
        self._may_break_off = False

    @property
    def is_requested(self) -> bool:
        """Whether it was."""
        return self._event.is_set()

    def request(self) -> None:
        """Asks for it, from any thread."""
        self._event.set()

    def check(self) -> None:
        """Ends here if it was.

        Raises:
            StopRequestedError: It was.
        """
        if self._event.is_set():
            raise StopRequestedError

    def sleep(self, seconds: float) -> None:
        """Waits.

        Args:
            seconds: How long, at least 0.

        Raises:
            StopRequestedError: The process was asked to end before or meanwhile.
        """
        if self._event.wait(seconds):
            raise StopRequestedError

    @contextmanager
    def may_break_off(self) -> Iterator[None]:
        """Within it nothing is changed, so that a signal ends it at once."""
        self.check()
        self._may_break_off = True
        try:
            yield
        finally:
            self._may_break_off = False

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Makes SIGINT and SIGTERM ask for it; only in the main thread."""

        def handle(_number: int, _frame: FrameType | None) -> None:
            self._event.set()
            if self._may_break_off:
                self._may_break_off = False
                raise StopRequestedError

        before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
