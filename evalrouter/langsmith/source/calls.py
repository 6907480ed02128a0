"""Calls to LangSmith: one at a time, at one pace, tried again by one policy; its client does neither."""

import time
from collections.abc import Callable
from typing import Any

from attrs import define, frozen

from evalrouter.langsmith.errors import MissingInterfaceError, SourceError, SourceRefusedError, SourceUnavailableError
from evalrouter.langsmith.patience import retrying
from evalrouter.langsmith.stopping import Stop
from evalrouter.retry import RETRIED_STATUSES

SLOWEST_SECONDS = 10.0
FIRST_INTERVAL_SECONDS = 0.1
FASTER_AFTER = 50
"""Calls without a 429 after which the pace goes up."""
_MISSING = frozenset({404, 405, 501})


@frozen
class Answer:
    """What LangSmith answered.

    Attributes:
        status: HTTP status.
        document: The JSON value of its body; None where there is none.
        retry_after: Seconds that it asks to wait, if it says.
        date: The `Date` header.
    """

    status: int
    document: Any = None
    retry_after: float | None = None
    date: str | None = None


@define
class Pace:
    """How fast calls follow each other: as fast as they are answered, until a 429 says otherwise.

    Attributes:
        clock: Seconds that only ascend.
        sleep: Waits.
        interval: Seconds from the start of one call to that of the next.
    """

    clock: Callable[[], float]
    sleep: Callable[[float], None]
    interval: float = 0.0
    _next: float = 0.0
    _calls_since: int = 0

    def wait(self) -> None:
        """Waits until the next call may start."""
        if (ahead := self._next - self.clock()) > 0:
            self.sleep(ahead)
        self._next = self.clock() + self.interval

    def note(self, status: int) -> None:
        """Adapts to an answer."""
        if status == 429:
            self.interval = min(max(self.interval * 2, FIRST_INTERVAL_SECONDS), SLOWEST_SECONDS)
            self._calls_since = 0
            return
        self._calls_since += 1
        if self._calls_since >= FASTER_AFTER:
            self._calls_since = 0
            self.interval = self.interval * 0.8 if self.interval > FIRST_INTERVAL_SECONDS / 10 else 0.0


class Calls:
    """Makes calls.

    Args:
        where: The service's address, for messages.
        stop: Ends pauses and breaks off calls.
        clock: Seconds that only ascend.
    """

    def __init__(self, where: str, stop: Stop, clock: Callable[[], float] = time.monotonic) -> None:
        self._where = where
        self._stop = stop
        self._pace = Pace(clock, stop.sleep)

    def make(self, what: str, call: Callable[[], Answer]) -> Answer:
        """Makes a call and gives a good answer.

        Args:
            what: The path, for messages.
            call: May raise whatever LangSmith's client raises: nothing of it is shown, because it may quote the key.

        Raises:
            SourceUnavailableError: It did not go well after all tries.
            MissingInterfaceError: The backend does not know the path.
            SourceError: It refused.
        """

        def attempt() -> Answer:
            self._pace.wait()
            try:
                with self._stop.may_break_off():
                    answer = call()
            except Exception as error:
                raise SourceUnavailableError(
                    f"{self._where} gave no answer to {what} ({type(error).__name__})."
                ) from None
            self._pace.note(answer.status)
            return self._checked(what, answer)

        return retrying(self._stop.sleep)(attempt)

    def _checked(self, what: str, answer: Answer) -> Answer:
        status = answer.status
        if 200 <= status < 300:
            return answer
        if status in RETRIED_STATUSES or (status >= 500 and status not in _MISSING):
            raise SourceUnavailableError(f"{self._where} answered {what} with {status}.", answer.retry_after)
        if status in _MISSING:
            raise MissingInterfaceError(f"{self._where} has no {what} (status {status}).")
        if status in (401, 403):
            raise SourceRefusedError(
                f"{self._where} refused {what} with {status}: check that LANGSMITH_API_KEY may read the project, and, "
                "for a key of an organisation, that LANGSMITH_WORKSPACE_ID is set."
            )
        raise SourceError(f"{self._where} refused {what} with {status}.")
