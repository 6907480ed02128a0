"""The HTTP server of the test doubles: a thread a connection, and silent where a client goes away mid-answer."""

from http.server import ThreadingHTTPServer
from typing import Any


class LoopbackServer(ThreadingHTTPServer):
    """What it would print on standard error of a lost connection would stand in another test's captured output."""

    daemon_threads = True
    allow_reuse_address = True

    def serve_forever(self, poll_interval: float = 0.02) -> None:
        """As any, but a shutdown need not wait for half a second."""
        super().serve_forever(poll_interval)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no news."""
