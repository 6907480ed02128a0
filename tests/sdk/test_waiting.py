"""How waiting goes."""

import pytest
from evalrouter_api.models import Run

from evalrouter import types
from evalrouter.convert.runs import run as convert_run
from evalrouter.errors import InvalidArgumentError, RunPausedError, ServerConnectionError, WaitTimeout
from evalrouter.retry import Deadline
from evalrouter.waiting import LISTEN_SECONDS, MOST_RESUMES, PATIENCE_SECONDS, Watch, checked_timeout
from tests.sdk import documents


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watch(clock: Clock, timeout: float | None) -> Watch:
    return Watch("run_1", timeout, Deadline.after(clock, timeout))


def run(graded: int, selected: int = 20) -> types.RunData:
    return convert_run(Run.from_dict(documents.run("running", coverage=documents.coverage(selected, graded))))


def test_the_time_limit_is_a_timeout_error(clock: Clock) -> None:
    waiting = watch(clock, 5)
    waiting.check("running")
    clock.now += 5
    with pytest.raises(WaitTimeout, match="run_1 is still running after 5 seconds"):
        waiting.check("running")


def test_without_a_limit_waiting_never_ends_by_itself(clock: Clock) -> None:
    waiting = watch(clock, None)
    clock.now += 1e9
    waiting.check("running")
    assert waiting.may_listen()
    assert waiting.listening_until() is None


def test_the_end_of_the_time_is_polled_not_listened(clock: Clock) -> None:
    waiting = watch(clock, LISTEN_SECONDS + 1)
    assert waiting.may_listen()
    clock.now += 1
    assert not waiting.may_listen()


def test_pauses_grow_and_keep_to_the_deadline(clock: Clock) -> None:
    waiting = watch(clock, 100)
    pauses = [waiting.pause(0.5) for _ in range(10)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (0.25, 2.0)
    waiting.heard()
    assert waiting.pause(0.5) == 0.25
    clock.now += 99.9
    assert waiting.pause(0.5) <= 0.25
    assert waiting.pause(0.5) == pytest.approx(0.1)


def test_patience_with_a_lost_server_ends_and_starts_anew(clock: Clock) -> None:
    waiting = watch(clock, None)
    error = ServerConnectionError("gone")
    waiting.lost(error)
    clock.now += PATIENCE_SECONDS - 1
    waiting.lost(error)
    waiting.reached()
    clock.now += PATIENCE_SECONDS
    waiting.lost(error)
    clock.now += PATIENCE_SECONDS
    with pytest.raises(ServerConnectionError, match="gone"):
        waiting.lost(error)


def test_progress_counts_from_where_waiting_began(clock: Clock) -> None:
    waiting = watch(clock, None)
    first = waiting.progress(run(5))
    assert (first.done, first.total, first.tasks_per_second, first.seconds_left) == (5, 20, None, None)
    clock.now += 10
    later = waiting.progress(run(10))
    assert (later.elapsed_seconds, later.tasks_per_second, later.seconds_left) == (10, 0.5, 20)


@pytest.mark.parametrize("wrong", [-1, float("nan"), "5", True])
def test_what_is_no_time_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidArgumentError, match="timeout="):
        checked_timeout(wrong)  # type: ignore[arg-type]


def test_a_run_that_pauses_without_getting_on_is_given_up(clock: Clock) -> None:
    waiting = watch(clock, None)
    for _ in range(MOST_RESUMES):
        waiting.resuming(run(4))
    for _ in range(MOST_RESUMES):
        waiting.resuming(run(5))
    with pytest.raises(RunPausedError, match="run_1 pauses without getting on"):
        waiting.resuming(run(5))
