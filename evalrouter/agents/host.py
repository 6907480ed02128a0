"""The agent host: the thread and event loop of this process in which agents work, whatever loop the caller has."""

import asyncio
import atexit
import os
import threading
from copy import copy

from evalrouter.agents.agent import Agent
from evalrouter.agents.delivering import HostRuntime, RunDelivery
from evalrouter.endpoints import Endpoints
from evalrouter.notices import tell

STOP_SECONDS = 15.0
"""How long the end of the process waits until what is under way has been given back."""


class _Delivering:
    """A run that is being delivered on the host's loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, delivery: RunDelivery) -> None:
        self.over = threading.Event()
        self.failure: Exception | None = None
        self._loop = loop
        self._delivery = delivery
        self._task: asyncio.Task[None] | None = None
        loop.call_soon_threadsafe(self._begin)

    def cancel(self) -> None:
        self._loop.call_soon_threadsafe(self._cancel)

    def _begin(self) -> None:
        self._task = self._loop.create_task(self._deliver(), name=f"{self._delivery.run_id} delivery")
        self._task.add_done_callback(lambda _: self.over.set())

    async def _deliver(self) -> None:
        try:
            await self._delivery.run()
        except Exception as error:  # what an agent's own prepare raises, too
            self.failure = error
            tell(f"{self._delivery.run_id} is not delivered any more: {error}")

    def _cancel(self) -> None:
        assert self._task is not None
        self._task.cancel()


class AgentHost:
    """Delivers runs in a thread of its own."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._deliveries: dict[str, _Delivering] = {}

    def deliver(self, endpoints: Endpoints, run_id: str, agent: Agent) -> None:
        """Begins to deliver a run, unless this process does so already; does not wait.

        Args:
            endpoints: Where the server is; the host is a user of its own, so that closing a client stops nothing.
            run_id: The run.
            agent: The agent.
        """
        with self._guard:
            if self.is_delivering(run_id):
                return
            delivery = RunDelivery(copy(endpoints), run_id, agent)
            self._deliveries[run_id] = _Delivering(self._running_loop(), delivery)
        # Again, so that at the end of the process this comes before the end of an embedded server.
        atexit.unregister(_stop_at_exit)
        atexit.register(_stop_at_exit)

    def is_delivering(self, run_id: str) -> bool:
        """Whether this process delivers a run."""
        current = self._deliveries.get(run_id)
        return current is not None and not current.over.is_set()

    def finish(self, run_id: str) -> None:
        """Waits a while until nothing of a run that is over is left here: no agent, no working folder.

        Args:
            run_id: The run.
        """
        if (current := self._deliveries.get(run_id)) is not None:
            current.over.wait(STOP_SECONDS)

    def check(self, run_id: str) -> None:
        """Says why a run is not delivered here any more; tells it once.

        Args:
            run_id: The run.

        Raises:
            EvalRouterError: The server refused, or its agent could not be installed.
            Exception: What the agent's own `prepare` raised.
        """
        current = self._deliveries.get(run_id)
        if current is not None and current.over.is_set() and current.failure is not None:
            del self._deliveries[run_id]
            raise current.failure

    def stop(self, run_id: str | None = None) -> None:
        """Stops delivering; what is under way is given back, and runs that nobody else delivers pause.

        Args:
            run_id: Only this run.
        """
        chosen = [each for name, each in self._deliveries.copy().items() if run_id in (None, name)]
        for each in chosen:
            each.cancel()
        for each in chosen:
            each.over.wait(STOP_SECONDS)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="evalrouter agents", daemon=True).start()
        return self._loop


_host = AgentHost()


def host() -> AgentHost:
    """This process's host."""
    return _host


def _stop_at_exit() -> None:
    if os.getpid() == _host.pid:
        HostRuntime.has_threads = False
        _host.stop()


def _forget_parent() -> None:
    """In a forked child there is no host: its thread stayed with the parent."""
    global _host
    _host = AgentHost()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)
