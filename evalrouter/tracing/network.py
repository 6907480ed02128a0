"""One HTTP exchange that ends by a moment whatever the other side does: names, connections, every read and write.

The usual time limits hold for each read, so that a server which drips can hold a caller for ever.
"""

import socket
import ssl
from collections.abc import Iterable
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from evalrouter.retry import Deadline
from evalrouter.tracing.destination import Destination
from evalrouter.version import __version__

LARGEST_ANSWER = 1024 * 1024
"""Bytes; whatever is longer is no acknowledgement."""


def send(destination: Destination, resource: str, body: bytes, deadline: Deadline) -> httpx.Response:
    """Sends a batch or a seal to a trace connection, with its key.

    Args:
        destination: The connection.
        resource: `batches` or `seals`.
        body: JSON.
        deadline: When to give up.

    Raises:
        httpx.ConnectError: There was no connection, so that nothing was sent.
        httpx.TransportError: The connection was lost, the answer is not HTTP or too long, or time was up.
    """
    headers = {
        "Authorization": f"Bearer {destination.key}",
        "EvalRouter-Workspace": destination.workspace_id,
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": f"evalrouter-sdk/{__version__}",
    }
    url = f"{destination.base_url}/v1/trace-connections/{destination.connection_id}/{resource}"
    return post(url, headers, body, deadline)


def post(url: str, headers: dict[str, str], body: bytes, deadline: Deadline) -> httpx.Response:
    """Sends a body over a connection of its own and reads the answer.

    Raises:
        httpx.ConnectError: There was no connection, so that nothing was sent.
        httpx.TransportError: The connection was lost, the answer is not HTTP or too long, or time was up.
    """
    with _pool(url, deadline) as pool:
        try:
            with pool.stream("POST", url, headers=[*headers.items(), ("Connection", "close")], content=body) as answer:
                content = bytearray()
                for chunk in answer.iter_stream():
                    content += chunk
                    if len(content) > LARGEST_ANSWER:
                        raise httpx.ReadError("the answer is too long")
                return httpx.Response(
                    answer.status, headers=answer.headers, content=bytes(content), request=httpx.Request("POST", url)
                )
        except (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError) as error:
            raise httpx.ConnectError(str(error)) from None
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise httpx.TransportError(str(error) or type(error).__name__) from None
        except (httpx.DecodingError, UnicodeError) as error:
            raise httpx.TransportError(str(error)) from None


def _pool(url: str, deadline: Deadline) -> httpcore.ConnectionPool:
    parts = urlsplit(url)
    settings: dict[str, Any] = {"network_backend": _Backend(deadline)}
    if parts.scheme == "https":
        settings["ssl_context"] = httpx.create_ssl_context()
    proxy = None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
    return httpcore.HTTPProxy(proxy, **settings) if proxy else httpcore.ConnectionPool(**settings)


class _Backend(httpcore.NetworkBackend):
    """Connects by the deadline."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failure: OSError = OSError(f"{host} was not found in time")
        for address in _addresses(host, port, self._deadline):
            try:
                connected = socket.create_connection(address, _left(self._deadline))
            except OSError as error:
                failure = error
                continue
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return _Stream(connected, self._deadline)
        raise httpcore.ConnectError(str(failure))


class _Stream(httpcore.NetworkStream):
    """Reads and writes by the deadline, however many it takes."""

    def __init__(self, connected: socket.socket, deadline: Deadline) -> None:
        self._socket = connected
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            self._socket.settimeout(_left(self._deadline))
            return self._socket.recv(max_bytes)
        except OSError as error:
            raise httpcore.ReadError(str(error)) from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        rest = memoryview(buffer)
        try:
            while rest:
                self._socket.settimeout(_left(self._deadline))
                rest = rest[self._socket.send(rest) :]
        except OSError as error:
            raise httpcore.WriteError(str(error)) from None

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            self._socket.settimeout(_left(self._deadline))
            return _Stream(ssl_context.wrap_socket(self._socket, server_hostname=server_hostname), self._deadline)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from None

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object":
            return getattr(self._socket, "_sslobj", None)
        return self._socket if info == "socket" else None

    def close(self) -> None:
        self._socket.close()


def _left(deadline: Deadline) -> float:
    """Seconds until the deadline.

    Raises:
        TimeoutError: It has passed.
    """
    remaining = deadline.remaining
    if not remaining:
        raise TimeoutError("time is up")
    return remaining


def _addresses(host: str, port: int, deadline: Deadline) -> list[tuple[str, int]]:
    """A host's addresses. The system's look-up takes no time limit, so it is left to a thread of its own."""
    found: list[tuple[str, int]] = []

    def look_up() -> None:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            return
        found.extend((str(address[0]), port) for *_, address in answers)

    if host.replace(".", "").isdigit() or ":" in host:
        return [(host, port)]
    thread = Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(deadline.remaining)
    return list(found)
