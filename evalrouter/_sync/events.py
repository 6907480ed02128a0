# Generated from evalrouter/_async/events.py by scripts/regen; do not edit.

"""Events of runs, by the run's ID."""

from contextlib import closing

from evalrouter._sync.run import Run
from evalrouter._sync.transport import Transport
from evalrouter.concurrency import Stream
from evalrouter.convert import runs as requests
from evalrouter.names import checked_id
from evalrouter.pages import LARGEST_PAGE
from evalrouter.types import RunEvent


class Events:
    """What happened to runs."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, run_id: str, after: int = 0) -> list[RunEvent]:
        """The run's events up to now, in order.

        Args:
            run_id: The run's exact ID.
            after: Number of the last event that you have; 0 for none.

        Raises:
            InvalidArgumentError: It is no ID.
            NotFoundError: There is no such run.
        """
        found: list[RunEvent] = []
        while True:
            events, last_seq, _ = self._transport.send(
                requests.events_after(checked_id(run_id, "run"), after, LARGEST_PAGE)
            )
            found += events
            if not events or events[-1].seq >= last_seq:
                return found
            after = events[-1].seq

    def stream(self, run_id: str, after: int = 0) -> Stream[RunEvent]:
        """The run's events as they happen, until it ends or pauses; lost connections are taken up where they were lost.

        Args:
            run_id: The run's exact ID.
            after: Number of the last event that you have; 0 for none.

        Raises:
            InvalidArgumentError: It is no ID.
            NotFoundError: There is no such run.
            TransportError: The server was out of reach for five minutes.
        """
        run = Run(self._transport, self._transport.send(requests.read(checked_id(run_id, "run"))))
        with closing(run.events(after)) as events:
            for event in events:
                yield event
