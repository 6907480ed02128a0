"""The delivery of one run: tasks are leased, the agent works on them, leases are kept, until the run is over."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from functools import partial
from typing import Protocol

from attrs import evolve, field, frozen

from evalrouter._async.transport import AsyncTransport
from evalrouter._sync.transport import Transport
from evalrouter.agents.agent import Agent
from evalrouter.agents.working import work_on
from evalrouter.concurrency import AsyncRuntime
from evalrouter.convert import delivery as requests
from evalrouter.endpoints import Endpoint, Endpoints
from evalrouter.errors import AuthenticationError, EvalRouterError, StatusError, TransportError
from evalrouter.notices import tell

MOST_LEASES = 64
"""Leases that are asked for at a time; the run's concurrency bounds how many there are in all."""

SECONDS_BETWEEN_RENEWALS = 2.0
"""A lease lasts 20 seconds; renewing often lets a cancelled run's agents stop soon."""

SHORTEST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
"""How long to wait before asking for tasks again where there was none."""

REQUEST_SECONDS = 30.0

OVER = frozenset({"completed", "partial", "cancelled", "failed", "cancelling", "paused"})
"""The statuses of a run of which no task is given out."""


@frozen
class KeyedEndpoints:
    """The same server with another key.

    Attributes:
        endpoints: Where the server is.
        secret: The key.
    """

    endpoints: Endpoints
    secret: str = field(repr=False)

    def current(self) -> Endpoint:
        """Where the server is."""
        return self._with_key(self.endpoints.current())

    def replace(self, failed: Endpoint) -> Endpoint:
        """Where the server is after `failed` could not be connected to."""
        return self._with_key(self.endpoints.replace(failed))

    def close(self) -> None:
        """Leaves the server to the one whose endpoints these are."""

    @property
    def owns_engine(self) -> bool:
        """Whether the server lives in this process."""
        return self.endpoints.owns_engine

    def _with_key(self, endpoint: Endpoint) -> Endpoint:
        return evolve(endpoint, api_key=self.secret, workspace_id=None)


class HostRuntime(AsyncRuntime):
    """The host's: at the end of the process no thread can be started any more, and it does without."""

    has_threads = True

    async def in_thread[**P, T](self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a function that blocks, without blocking the loop while there are threads."""
        if self.has_threads:
            return await super().in_thread(function, *args, **kwargs)
        return function(*args, **kwargs)


class RunDelivery:
    """Delivers one run's tasks to an agent.

    Args:
        endpoints: Where the server is, with an API key; closed at the end.
        run_id: The run.
        agent: The agent.
    """

    def __init__(self, endpoints: Endpoints, run_id: str, agent: Agent) -> None:
        self.run_id = run_id
        self._endpoints = endpoints
        self._agent = agent
        self._working: dict[str, asyncio.Task[None]] = {}
        self._ended: set[str] = set()

    async def run(self) -> None:
        """Gets the agent ready, and delivers until the run is over; being cancelled gives back what is under way.

        Raises:
            AgentInstallError: The agent cannot be installed.
            EvalRouterError: The server refuses, or is out of reach for too long.
        """
        opener = AsyncTransport(self._endpoints, timeout=REQUEST_SECONDS, max_retries=8, runtime=HostRuntime())
        try:
            key = await opener.send(requests.new_key(self.run_id))
            keyed = KeyedEndpoints(self._endpoints, key.secret)
            transport = AsyncTransport(keyed, timeout=REQUEST_SECONDS, max_retries=8, runtime=HostRuntime())
            heartbeat = Heartbeat(keyed, self)
            heartbeat.start()
            try:
                await HostRuntime().in_thread(self._agent.prepare, tell)  # the key is kept meanwhile, and no task waits
                endpoint = await transport.endpoint()
                await self._deliver(transport, (key.secret, (await opener.endpoint()).api_key, endpoint.api_key))
            finally:
                await self._stop_working()
                heartbeat.stop()
                with contextlib.suppress(EvalRouterError):
                    await transport.send(requests.release_key(key.id))
                await transport.aclose()
        finally:
            await opener.aclose()

    async def _deliver(self, transport: AsyncTransport, secrets: tuple[str, ...]) -> None:
        pause = SHORTEST_PAUSE
        while True:
            try:
                batch = await transport.send(requests.lease(self.run_id, MOST_LEASES))
            except AuthenticationError:
                return  # the key dies with the run
            for lease in batch.leases:
                task = asyncio.create_task(work_on(self._agent, lease, transport, secrets), name=lease.task_id)
                self._working[lease.id] = task
                task.add_done_callback(partial(self._worked, lease.id))
            if batch.run_status in OVER or batch.unfinished == 0:
                return
            pause = SHORTEST_PAUSE if batch.leases else min(pause * 1.5, LONGEST_PAUSE)
            if self._working:
                await asyncio.wait(self._working.values(), timeout=LONGEST_PAUSE, return_when=asyncio.FIRST_COMPLETED)
            else:
                await asyncio.sleep(pause)

    def _worked(self, lease_id: str, task: "asyncio.Task[None]") -> None:
        self._working.pop(lease_id, None)
        if not task.cancelled() and (error := task.exception()) is not None and not _is_too_late(error):
            tell(f"{self.run_id}: what came of a task could not be told: {error}")

    def leases(self) -> list[str]:
        """The leases that are to be kept; from any thread."""
        return list(self._working.copy())

    def over(self, lease_ids: list[str]) -> None:
        """Stops the work on leases that are over."""
        for lease_id in lease_ids:
            if (task := self._working.get(lease_id)) is not None:
                task.cancel()

    async def _stop_working(self) -> None:
        tasks = list(self._working.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=REQUEST_SECONDS)


class Held(Protocol):
    """Work on leases of a run."""

    run_id: str

    def leases(self) -> list[str]:
        """The leases that are to be kept; from any thread."""
        ...

    def over(self, lease_ids: list[str]) -> None:
        """Stops the work on leases that are over."""
        ...


class Heartbeat:
    """Keeps the leases from a thread of its own, so that an agent that blocks the loop does not lose them.

    Args:
        endpoints: Where the server is, with the delivery key.
        delivery: What is being worked on.
    """

    def __init__(self, endpoints: Endpoints, delivery: Held) -> None:
        self._transport = Transport(endpoints, timeout=10.0, max_retries=1)
        self._delivery = delivery
        self._loop = asyncio.get_running_loop()
        self._over = threading.Event()

    def start(self) -> None:
        """Begins to keep them."""
        threading.Thread(target=self._run, name=f"{self._delivery.run_id} leases", daemon=True).start()

    def stop(self) -> None:
        """Keeps them no longer."""
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(SECONDS_BETWEEN_RENEWALS):
            try:
                held = self._delivery.leases()
                renewal = self._transport.send(requests.renew(self._delivery.run_id, held))
                ended = list(renewal.ended)
            except AuthenticationError:
                ended = held  # the key died with the run
            except (StatusError, TransportError):
                continue
            if ended and not self._over.is_set():
                with contextlib.suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._delivery.over, ended)
        self._transport.close()


def _is_too_late(error: BaseException) -> bool:
    """Whether the server no longer wanted to hear it, as of a run that was cancelled."""
    return isinstance(error, AuthenticationError) or (isinstance(error, StatusError) and error.code == "lease_ended")
