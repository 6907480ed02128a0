"""When a request is sent again."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tenacity import Future, RetryCallState

from evalrouter.errors import (
    InvalidArgumentError,
    RequestTimeoutError,
    ServerAnswerError,
    ServerConnectionError,
    StatusError,
    status_error,
)
from evalrouter.retry import LONGEST_PAUSE_SECONDS, Deadline, RetryPolicy, parse_retry_after, pause_seconds

NOW = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


def state(attempt: int, error: BaseException, pause: float = 0.0) -> RetryCallState:
    made = RetryCallState(retry_object=None, fn=None, args=(), kwargs={})  # type: ignore[arg-type]
    made.attempt_number = attempt
    made.outcome = Future.construct(attempt, error, has_exception=True)
    made.upcoming_sleep = pause
    return made


def policy(retries: int = 3, left: float | None = 10.0, random: float = 0.5) -> RetryPolicy:
    return RetryPolicy(retries, Deadline.after(lambda: 100.0, left), lambda: random)


@given(st.integers(1, 10_000), st.floats(0, 0.999))
def test_pauses_are_bounded_and_never_nothing(attempt: int, chance: float) -> None:
    pause = pause_seconds(attempt, lambda: chance)
    assert 0.125 <= pause <= LONGEST_PAUSE_SECONDS


def test_pauses_double_and_jitter() -> None:
    assert [pause_seconds(attempt, lambda: 0.0) for attempt in (1, 2, 3, 9)] == [0.125, 0.25, 0.5, 4.0]
    assert pause_seconds(1, lambda: 0.0) < pause_seconds(1, lambda: 0.9)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        (" 0 ", 0.0),
        ("Sun, 29 Nov 2026 12:00:30 GMT", 30.0),
        ("Sun, 29 Nov 2026 11:00:00 GMT", 0.0),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("9" * 50, None),
        (None, None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, lambda: NOW) == seconds


@given(st.text(max_size=40))
def test_no_retry_after_breaks_the_client(value: str) -> None:
    seconds = parse_retry_after(value, lambda: NOW)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (ServerConnectionError("x"), True),
        (RequestTimeoutError("x"), True),
        (status_error(429, "rate_limited", "x"), True),
        (status_error(502, "unexpected_status", "x"), True),
        (status_error(503, "data_unavailable", "x"), False),
        (status_error(500, "internal_error", "x"), False),
        (status_error(409, "in_use", "x"), False),
        (ServerAnswerError("x"), False),
        (InvalidArgumentError("x"), False),
        (KeyboardInterrupt(), False),
    ],
)
def test_which_errors_are_worth_another_try(error: BaseException, wanted: bool) -> None:
    assert policy().wants_retry(error) is wanted


def test_the_server_says_how_long_to_wait() -> None:
    error = status_error(429, "rate_limited", "x")
    assert isinstance(error, StatusError)
    error.retry_after = 3.0
    assert 3.0 <= policy().wait(state(1, error)) <= 3.1
    assert policy().wait(state(1, ServerConnectionError("x"))) < 1


def test_tries_end_by_count_and_by_time() -> None:
    error = ServerConnectionError("x")
    assert not policy(retries=3).stop(state(3, error))
    assert policy(retries=3).stop(state(4, error))
    assert policy(retries=0).stop(state(1, error))
    assert policy(left=1.0).stop(state(1, error, pause=1.0))
    assert not policy(left=1.0).stop(state(1, error, pause=0.9))
    assert not policy(left=None).stop(state(1, error, pause=1e9))


def test_deadlines() -> None:
    now = [10.0]
    deadline = Deadline.after(lambda: now[0], 5.0)
    assert (deadline.remaining, deadline.has_passed, deadline.shorten(60)) == (5.0, False, 5.0)
    now[0] = 15.0
    assert (deadline.remaining, deadline.has_passed) == (0.0, True)
    never = Deadline.after(lambda: now[0], None)
    assert (never.remaining, never.has_passed, never.shorten(60)) == (None, False, 60)
