"""When a call is made again, for LangSmith and for the destination alike."""

import random
from collections.abc import Callable

from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt

from evalrouter.langsmith.errors import UnavailableError
from evalrouter.retry import pause_seconds

TRIES = 6
LONGEST_WAIT_SECONDS = 300.0
"""The longest that a `Retry-After` is followed at once."""


def retrying(sleep: Callable[[float], None], tries: int = TRIES) -> Retrying:
    """Makes calls that may raise `UnavailableError`, again where they do.

    Args:
        sleep: Waits.
        tries: How often at most.
    """
    return Retrying(
        stop=stop_after_attempt(tries),
        wait=_pause,
        retry=retry_if_exception_type(UnavailableError),
        sleep=sleep,
        reraise=True,
    )


def _pause(state: RetryCallState) -> float:
    """Seconds: what the service asks for, else a growing pause with a random part."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, UnavailableError) else None
    pause = pause_seconds(state.attempt_number, random.random)
    return pause if asked is None else min(asked, LONGEST_WAIT_SECONDS) + pause * 0.1
