"""When a call is tried again, and after how long."""

import asyncio

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception
from tenacity.wait import wait_base, wait_random_exponential

from evalrouter_server.gateway.upstream import Lost, TryFailed

MOST_TRIES = 5
MOST_LOST_TRIES = 2
"""A lost try is paid for in full, so few of them are made."""

LONGEST_RETRY_AFTER = 60.0
"""Seconds; a provider that asks for more is asked again after this many."""


class _Wait(wait_base):
    """What the provider asks for within bounds, plus full jitter (Brooker, "Exponential Backoff And Jitter", 2015)."""

    _jitter = wait_random_exponential(multiplier=0.5, max=20)

    def __call__(self, retry_state: RetryCallState) -> float:
        error = _error(retry_state)
        asked = error.retry_after if isinstance(error, TryFailed) else None
        if asked is None:
            return self._jitter(retry_state)
        return min(asked, LONGEST_RETRY_AFTER) + min(self._jitter(retry_state), 1.0)


class _Stop:
    """After so many tries, so many lost ones, or when the next one would come after the deadline."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._lost = 0

    def __call__(self, retry_state: RetryCallState) -> bool:
        if isinstance(_error(retry_state), Lost):
            self._lost += 1
        too_late = asyncio.get_running_loop().time() + retry_state.upcoming_sleep >= self._deadline
        return too_late or self._lost >= MOST_LOST_TRIES or retry_state.attempt_number >= MOST_TRIES


def retrying(deadline: float) -> AsyncRetrying:
    """The retries of one call.

    Args:
        deadline: When it must be over, on the event loop's clock.

    Returns:
        Attempts to iterate over; the last failure is raised as it is.
    """
    return AsyncRetrying(
        retry=retry_if_exception(lambda error: isinstance(error, TryFailed) and error.retryable),
        wait=_Wait(),
        stop=_Stop(deadline),
        reraise=True,
    )


def _error(retry_state: RetryCallState) -> BaseException | None:
    return retry_state.outcome.exception() if retry_state.outcome is not None else None
