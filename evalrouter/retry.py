"""When a request is sent again, after how long, and when to give up: no I/O and no clock of its own."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from attrs import frozen
from tenacity import RetryCallState

from evalrouter.errors import (
    DataUnavailableError,
    RequestTimeoutError,
    ServerConnectionError,
    StatusError,
)

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 8.0
RETRIED_STATUSES = frozenset({408, 429, 502, 503, 504})
"""Answers of a server, or of a proxy before it, that another try may change."""


@frozen
class Deadline:
    """A moment on a monotonic clock after which nothing more is tried.

    Attributes:
        clock: The clock, in seconds.
        at: The moment; None for never.
    """

    clock: Callable[[], float]
    at: float | None

    @classmethod
    def after(cls, clock: Callable[[], float], seconds: float | None) -> "Deadline":
        """The moment `seconds` from now; None for never."""
        return cls(clock, None if seconds is None else clock() + seconds)

    @property
    def remaining(self) -> float | None:
        """Seconds until then, at least 0; None where it never comes."""
        return None if self.at is None else max(0.0, self.at - self.clock())

    @property
    def has_passed(self) -> bool:
        """Whether it has come."""
        return self.at is not None and self.clock() >= self.at

    def shorten(self, seconds: float) -> float:
        """`seconds`, or what is left where that is less."""
        remaining = self.remaining
        return seconds if remaining is None else min(seconds, remaining)


@frozen
class RetryPolicy:
    """Bounded tries with jittered, growing pauses under one deadline.

    Attributes:
        max_retries: Tries after the first.
        deadline: When to give up whatever the count; a pause that would reach it is not begun.
        random: A source of numbers from 0 up to 1.
    """

    max_retries: int
    deadline: Deadline
    random: Callable[[], float]

    def wants_retry(self, error: BaseException) -> bool:
        """Whether another try may go better; every write carries an idempotency key, so none is done twice."""
        if isinstance(error, StatusError):
            return error.status in RETRIED_STATUSES and not isinstance(error, DataUnavailableError)
        return isinstance(error, ServerConnectionError | RequestTimeoutError)

    def wait(self, state: RetryCallState) -> float:
        """Seconds before the next try: what the server asks for, else a random part of a doubling pause."""
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, StatusError) else None
        pause = pause_seconds(state.attempt_number, self.random)
        return pause if asked is None else asked + pause * 0.1

    def stop(self, state: RetryCallState) -> bool:
        """Whether the last try was the last."""
        remaining = self.deadline.remaining
        out_of_time = remaining is not None and state.upcoming_sleep >= remaining
        return state.attempt_number > self.max_retries or out_of_time


def pause_seconds(attempt: int, random: Callable[[], float]) -> float:
    """The pause after try number `attempt` (from 1): half of a doubling pause, plus a random part of the other half."""
    ceiling = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(attempt - 1, 30))
    return ceiling * (0.5 + 0.5 * random())


def parse_retry_after(value: str | None, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> float | None:
    """Seconds that a `Retry-After` header asks for (RFC 9110, 10.2.3: seconds or a date); None where it says nothing.

    Args:
        value: The header's value.
        now: The time that a date is measured from.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit() and len(text) <= 9:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now()).total_seconds())
