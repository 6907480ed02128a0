"""Cycle after cycle, for weeks: a failed one is tried again, from what is on disk, after a growing pause."""

import time
from collections.abc import Callable

from attrs import define, field

from evalrouter.langsmith.errors import SourceError, SourceRefusedError, StopRequestedError, UnavailableError
from evalrouter.langsmith.importer import Importer
from evalrouter.langsmith.telling import memory

LONGEST_PAUSE_SECONDS = 600.0
HEALTH_SECONDS = 300.0
"""A health line is written at least so often."""


@define
class Watch:
    """Imports until it is asked to end.

    Attributes:
        importer: Imports.
        poll_interval: Seconds from the end of one cycle to the next.
        clock: Seconds that only ascend.
    """

    importer: Importer
    poll_interval: float
    clock: Callable[[], float] = time.monotonic
    _began: float = field(init=False)
    _told: tuple[float, dict[str, int]] = field(init=False, factory=lambda: (float("-inf"), {}))
    _good: float | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self._began = self.clock()

    def run(self) -> None:
        """Returns when the process is asked to end; everything that matters is on disk then.

        Raises:
            SourceRefusedError: LangSmith does not take the key.
            DestinationError: The destination takes nothing.
            CheckpointError: A file was changed from outside.
        """
        failures = 0
        try:
            while True:
                failures = 0 if self._cycle() else failures + 1
                self._tell_health(failures)
                pause = min(
                    self.poll_interval * 2.0 ** min(failures, 10), max(LONGEST_PAUSE_SECONDS, self.poll_interval)
                )
                self.importer.stop.sleep(pause)
        except StopRequestedError:
            self.importer.log.tell("info", "stopped", **self.importer.counts.document())

    def _cycle(self) -> bool:
        """Whether a cycle went well."""
        importer = self.importer
        try:
            importer.cycle(look_at_all=False)
        except SourceRefusedError:
            raise
        except (UnavailableError, SourceError, OSError) as error:
            importer.counts.failed_cycles += 1
            importer.log.tell("error", "cycle_failed", reason=_reason(error))
            self._reload()
            return False
        self._good = self.clock()
        return True

    def _reload(self) -> None:
        try:
            self.importer.reload()
        except OSError as error:
            self.importer.log.tell("error", "reload_failed", reason=_reason(error))

    def _tell_health(self, failures: int) -> None:
        """One line that says whether all is well, when there is news and every five minutes."""
        now, counts = self.clock(), self.importer.counts.document()
        if counts == self._told[1] and now - self._told[0] < HEALTH_SECONDS:
            return
        self._told = (now, counts)
        self.importer.log.tell(
            "info" if not failures else "warning",
            "health",
            state="ok" if not failures else "failing",
            up_seconds=round(now - self._began),
            last_good_seconds_ago=None if self._good is None else round(now - self._good),
            **counts,
            **memory(),
        )


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
