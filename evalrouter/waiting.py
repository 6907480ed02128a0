"""How waiting for a run goes: when to look, when to listen, when to give up. No I/O and no clock of its own."""

from attrs import define, field

from evalrouter.errors import InvalidArgumentError, RunPausedError, WaitTimeout
from evalrouter.retry import Deadline, pause_seconds
from evalrouter.types import Progress, RunData

LISTEN_SECONDS = 12.0
"""A stream is left this long before the deadline, since between two comments (10 s) nothing wakes the listener."""

POLL_SECONDS = 0.25
LONGEST_POLL_SECONDS = 2.0
REFRESH_SECONDS = 0.5
"""Events only say that something changed; the run itself is read at most this often."""

PATIENCE_SECONDS = 300.0
"""How long the server may be out of reach before waiting gives up."""

MOST_RESUMES = 3
"""How often a paused run is resumed without a task having been finished in between."""


def checked_timeout(timeout: float | None) -> float | None:
    """The seconds to wait at most.

    Raises:
        InvalidArgumentError: It is not a number of at least 0, or None.
    """
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout >= 0:
        raise InvalidArgumentError(
            f"timeout={timeout!r} is not valid: pass seconds of at least 0, or None for no limit."
        )
    return float(timeout)


@define
class Watch:
    """One wait for one run.

    Attributes:
        run_id: The run.
        timeout: Seconds that were allowed; None for no limit.
        deadline: When they are over.
    """

    run_id: str
    timeout: float | None
    deadline: Deadline
    _started: float = field(init=False)
    _last_read: float = field(init=False)
    _lost_since: float | None = field(init=False, default=None)
    _idle_rounds: int = field(init=False, default=0)
    _first_done: int | None = field(init=False, default=None)
    _resumes: int = field(init=False, default=0)
    _done_when_resumed: int | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self._started = self._last_read = self.deadline.clock()

    def check(self, status: str) -> None:
        """Refuses to wait any longer once the time is over.

        Raises:
            WaitTimeout: It is.
        """
        if self.deadline.has_passed:
            raise WaitTimeout(
                f"{self.run_id} is still {status} after {self.timeout:g} seconds. It goes on: run.wait() waits again, "
                "run.cancel() stops it.",
                self.run_id,
                self.timeout or 0.0,
            )

    def resuming(self, run: RunData) -> None:
        """Notes that the paused run is about to be resumed.

        Raises:
            RunPausedError: It has been, several times, and got no further.
        """
        done = run.coverage.graded + run.coverage.failed
        self._resumes = self._resumes + 1 if done == self._done_when_resumed else 1
        self._done_when_resumed = done
        if self._resumes > MOST_RESUMES:
            raise RunPausedError(
                f"{self.run_id} pauses without getting on ({run.status_reason}). What is done is kept: when the reason "
                "is gone, run.wait() goes on; run.cancel() ends it."
            )

    def listening_until(self) -> Deadline | None:
        """Until when to listen to events, where there is time for that; the rest of the time is polled."""
        at = self.deadline.at
        return None if at is None else Deadline(self.deadline.clock, at - LISTEN_SECONDS)

    def may_listen(self) -> bool:
        """Whether there is time to listen to events."""
        until = self.listening_until()
        return until is None or not until.has_passed

    def wants_reading(self) -> bool:
        """Whether the run may be read again after an event."""
        return self.deadline.clock() - self._last_read >= REFRESH_SECONDS

    def reached(self) -> None:
        """Notes that the server answered."""
        self._lost_since = None
        self._last_read = self.deadline.clock()

    def heard(self) -> None:
        """Notes that an event came."""
        self._lost_since = None
        self._idle_rounds = 0

    def lost(self, error: Exception) -> None:
        """Notes that the server was out of reach.

        Raises:
            Exception: `error` itself, once that has lasted for too long.
        """
        now = self.deadline.clock()
        self._lost_since = now if self._lost_since is None else self._lost_since
        if now - self._lost_since >= PATIENCE_SECONDS:
            raise error

    def pause(self, random: float) -> float:
        """Seconds until the next look, longer each time that nothing happened.

        Args:
            random: A number from 0 up to 1.
        """
        self._idle_rounds += 1
        grown = POLL_SECONDS * 1.5 ** min(self._idle_rounds - 1, 20)
        longest = LONGEST_POLL_SECONDS if self._lost_since is None else pause_seconds(self._idle_rounds, lambda: random)
        return self.deadline.shorten(min(grown, max(longest, POLL_SECONDS)))

    def progress(self, run: RunData) -> Progress:
        """How far the run has come since waiting began."""
        elapsed = self.deadline.clock() - self._started
        done = run.coverage.graded + run.coverage.failed
        self._first_done = done if self._first_done is None else self._first_done
        gained = done - self._first_done
        rate = gained / elapsed if gained > 0 and elapsed > 0 else None
        left = None if rate is None else max(0, run.coverage.selected - done) / rate
        return Progress(run, elapsed, rate, left)
