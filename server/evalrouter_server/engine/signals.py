"""Wake-ups inside this process for those who follow a run; who waits polls too, for other processes write as well."""

import asyncio
import contextlib


class Signals:
    """Tells waiters that a run has a newer event than the one they know."""

    def __init__(self) -> None:
        self._last_seq: dict[str, int] = {}
        self._waiting: dict[str, asyncio.Event] = {}

    def notify(self, run_id: str, seq: int) -> None:
        """Wake everybody who waits for a newer event of the run.

        Args:
            run_id: The run.
            seq: The number of its newest event.
        """
        self._last_seq[run_id] = max(seq, self._last_seq.get(run_id, 0))
        waiting = self._waiting.pop(run_id, None)
        if waiting is not None:
            waiting.set()

    async def wait(self, run_id: str, after_seq: int, timeout: float) -> None:
        """Return once the run has an event after `after_seq`, or the time is over.

        Args:
            run_id: The run.
            after_seq: The newest event that the caller knows.
            timeout: Seconds.
        """
        if self._last_seq.get(run_id, 0) > after_seq:
            return
        waiting = self._waiting.setdefault(run_id, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(waiting.wait(), timeout)
