"""The service inside a user's process: one thread with an event loop of its own, on a loopback port.

Whoever starts it has seen to it that no other process serves the same data folder.
"""

import asyncio
import concurrent.futures.thread  # noqa: F401 - its exit hook must be registered before ours, so that ours runs first
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from evalrouter_server.credentials import embedded_owner
from evalrouter_server.services import SERVER_VERSION, Services
from evalrouter_server.serving import HttpServer, base_url, listen, loop_factory
from evalrouter_server.settings import Settings


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an embedded server is and how to be let in.

    Attributes:
        base_url: Its URL on the loopback interface.
        api_key: The owner's API key.
        workspace_id: The owner's workspace.
        pid: The process that it lives in.
        version: Its version.
    """

    base_url: str
    api_key: str
    workspace_id: str
    pid: int
    version: str


class EmbeddedServer:
    """A server in a thread of this process. It is stopped at the latest when the interpreter exits.

    Args:
        data_dir: The folder with its database, secrets and fetched data.
        host: A loopback address to listen on.
        port: The port; 0 lets the system choose.
    """

    def __init__(self, data_dir: Path, host: str = "127.0.0.1", port: int = 0) -> None:
        self._settings = Settings(data_dir=data_dir, host=host, port=port, embedded=True)
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._server: HttpServer | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> Endpoint:
        """Open the database, listen, and start the engine; return once requests are answered.

        Raises:
            OSError: The address cannot be listened on.
            RuntimeError: It was started before.
        """
        with self._lock:
            if self._thread is not None:
                raise RuntimeError("this embedded server was started before: make a new one")
            ready: Future[Endpoint] = Future()
            self._thread = threading.Thread(target=self._run, args=(ready,), name="evalrouter-server", daemon=True)
            self._thread.start()
        endpoint = ready.result()
        _at_exit(self.stop)
        return endpoint

    def stop(self, timeout: float = 10) -> None:
        """Pause its runs (calls in flight finish), close everything and wait for it; again: do nothing.

        Args:
            timeout: How long to wait, in seconds.
        """
        thread, loop, server = self._thread, self._loop, self._server
        if thread is None or loop is None or server is None or os.getpid() != self._pid:
            return
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(server.ask_to_exit)
        thread.join(timeout)

    def _run(self, ready: "Future[Endpoint]") -> None:
        try:
            with asyncio.Runner(loop_factory=loop_factory()) as runner:
                runner.run(self._serve(ready))
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)

    async def _serve(self, ready: "Future[Endpoint]") -> None:
        self._loop = asyncio.get_running_loop()
        with closing(listen(self._settings.host, self._settings.port)) as listener:
            url = base_url(listener)
            async with Services.running(self._settings) as services:
                owner = await embedded_owner(services)
                endpoint = Endpoint(url, owner.secret, owner.workspace_id, os.getpid(), SERVER_VERSION)
                self._server = HttpServer(services, on_started=lambda: ready.set_result(endpoint))
                await self._server.serve(sockets=[listener])


def _at_exit(stop: Callable[[], None]) -> None:
    """Stop before the interpreter shuts its executors down, which `atexit` would be too late for."""
    threading._register_atexit(stop)  # type: ignore[attr-defined]
