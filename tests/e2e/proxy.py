"""A proxy in front of a service that can lose the answer to a request after the service has done it."""

import socket
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler
from typing import Any, Self
from urllib.parse import urlsplit

from tests.loopback import LoopbackServer

HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "host", "keep-alive"}


class LossyProxy:
    """Passes requests on, and drops the first answer to one of them by breaking its connection.

    Args:
        target: The service's URL.
        method: The method of the request whose answer is dropped.
        path: Its path.

    Attributes:
        seen: The idempotency keys of every request of that kind, in order.
        statuses: What the service answered to them.
    """

    def __init__(self, target: str, method: str, path: str) -> None:
        self.seen: list[str | None] = []
        self.statuses: list[int] = []
        proxy, netloc = self, urlsplit(target).netloc

        class Handler(BaseHTTPRequestHandler):
            def pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                connection = HTTPConnection(netloc, timeout=30)
                kept = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
                connection.request(self.command, self.path, body, kept)
                answer = connection.getresponse()
                content = answer.read()
                connection.close()
                if (self.command, self.path) == (method, path):
                    proxy.seen.append(self.headers.get("Idempotency-Key"))
                    proxy.statuses.append(answer.status)
                    if len(proxy.seen) == 1:
                        self.connection.shutdown(socket.SHUT_RDWR)
                        self.close_connection = True
                        return
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

            def log_message(self, format: str, *args: Any) -> None:
                """Stay quiet."""

        self._server = LoopbackServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
