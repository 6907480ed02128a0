"""A relay in front of a service that keeps every byte that the service sends."""

import socket
import threading
from typing import Self
from urllib.parse import urlsplit


class RecordingRelay:
    """Passes connections on to a service.

    Args:
        target: The service's URL.

    Attributes:
        sent: What the service sent, by connection.
    """

    def __init__(self, target: str) -> None:
        self.sent: list[bytearray] = []
        parts = urlsplit(target)
        self._target = (str(parts.hostname), int(parts.port or 80))
        self._listener = socket.create_server(("127.0.0.1", 0))

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            service = socket.create_connection(self._target)
            kept = bytearray()
            self.sent.append(kept)
            threading.Thread(target=_pass_on, args=(client, service, None), daemon=True).start()
            threading.Thread(target=_pass_on, args=(service, client, kept), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket, kept: bytearray | None) -> None:
    try:
        while chunk := source.recv(65536):
            if kept is not None:
                kept += chunk
            sink.sendall(chunk)
    except OSError:
        pass
    for end in (source, sink):
        end.close()
