"""An HTTP server over open services. Told to stop, it ends event streams and lets requests in flight finish."""

import asyncio
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn

from evalrouter_server.app import create_app
from evalrouter_server.http_config import http_config
from evalrouter_server.services import Services

DRAIN_SECONDS = 10
"""How long requests in flight may take once the server is told to stop, in seconds."""


class HttpServer(uvicorn.Server):
    """uvicorn over the service's application; set `should_exit` to stop it.

    Args:
        services: What the application uses; closing them is the caller's.
        drain_seconds: How long requests in flight may take at the end, in seconds.
        on_started: Called once requests are answered.
    """

    def __init__(
        self,
        services: Services,
        *,
        drain_seconds: int = DRAIN_SECONDS,
        on_started: Callable[[], None] = lambda: None,
    ) -> None:
        self._services = services
        self._on_started = on_started
        super().__init__(http_config(create_app(services), drain_seconds))

    def ask_to_exit(self) -> None:
        """Stop soon; call it in the server's event loop."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer requests."""
        await super().startup(sockets)
        self._on_started()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to whoever owns the process."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams, then let uvicorn finish what is in flight."""
        self._services.closing.set()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    Args:
        host: An address of this machine.
        port: The port; 0 lets the system choose one.

    Raises:
        OSError: The address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def base_url(listener: socket.socket) -> str:
    """The URL of a listening socket, with an address that a client on this machine can use."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - maps the wildcard to loopback
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Makes uvloop's event loops where it is installed; None: the standard ones."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
