"""Events of runs, by the run's ID."""

from contextlib import aclosing

from evalrouter._async.run import AsyncRun
from evalrouter._async.transport import AsyncTransport
from evalrouter.concurrency import AsyncStream
from evalrouter.convert import runs as requests
from evalrouter.names import checked_id
from evalrouter.pages import LARGEST_PAGE
from evalrouter.types import RunEvent


class AsyncEvents:
    """What happened to runs."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, run_id: str, after: int = 0) -> list[RunEvent]:
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
            events, last_seq, _ = await self._transport.send(
                requests.events_after(checked_id(run_id, "run"), after, LARGEST_PAGE)
            )
            found += events
            if not events or events[-1].seq >= last_seq:
                return found
            after = events[-1].seq

    async def stream(self, run_id: str, after: int = 0) -> AsyncStream[RunEvent]:
        """The run's events as they happen, until it ends or pauses; lost connections are taken up where they were lost.

        Args:
            run_id: The run's exact ID.
            after: Number of the last event that you have; 0 for none.

        Raises:
            InvalidArgumentError: It is no ID.
            NotFoundError: There is no such run.
            TransportError: The server was out of reach for five minutes.
        """
        run = AsyncRun(self._transport, await self._transport.send(requests.read(checked_id(run_id, "run"))))
        async with aclosing(run.events(after)) as events:
            async for event in events:
                yield event
