"""The seam to the embedded server: one process serves a data folder, others attach to it and take over when it ends.

The owner holds the lock `engine.lock` and writes `endpoint.json`; whoever cannot get the lock reads where the owner is.
When the owner cannot be reached any more, everyone tries the lock: who gets it starts the server on the same port, the
others read the file again. A forked child never serves: it attaches to its parent.
"""

import atexit
import contextlib
import json
import os
import socket
import tempfile
import threading
import time
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from attrs import define, field, frozen
from filelock import FileLock, Timeout

from evalrouter.endpoints import Endpoint
from evalrouter.errors import ConfigurationError, ServerConnectionError, ServerNotInstalledError

START_SECONDS = 60.0
"""How long to wait for another process that is starting the server."""

_POLL_SECONDS = 0.05
_CONNECT_SECONDS = 1.0


class Server(Protocol):
    """What the server's package offers."""

    def start(self) -> Any:
        """Starts it in a thread of its own and says where it is."""
        ...

    def stop(self, timeout: float = 10) -> None:
        """Pauses its runs and stops it."""
        ...


@frozen(eq=False)
class EmbeddedEndpoint:
    """The server of a data folder, in this process or another.

    A server in this process stops when the last of its users has closed, or with the process.

    Attributes:
        data_dir: The folder.
        workspace_id: The workspace that requests name; None for the owner's.

    Raises:
        ServerNotInstalledError: There is no server to start.
    """

    data_dir: Path
    workspace_id: str | None

    def __attrs_post_init__(self) -> None:
        if find_spec("evalrouter_server") is None:
            raise ServerNotInstalledError(
                "There is no server to talk to. Either pass base_url= and api_key= (or set EVALROUTER_BASE_URL and "
                "EVALROUTER_API_KEY) for a server that runs elsewhere, or install evalrouter-server here "
                'to run one inside this process: from a checkout with "make setup", or from its built wheels with '
                '"python -m pip install dist/evalrouter_server-*.whl".'
            )

    def current(self) -> Endpoint:
        """Where the folder's server is; starts it in this process if no process has.

        Raises:
            ConfigurationError: The folder cannot be used.
            ServerConnectionError: Another process holds the folder and cannot be reached.
        """
        return self._named(_folder(self.data_dir).resolve(self, None))

    def replace(self, failed: Endpoint) -> Endpoint:
        """Where the folder's server is after `failed` could not be connected to.

        Raises:
            ServerConnectionError: Another process holds the folder and cannot be reached.
        """
        return self._named(_folder(self.data_dir).resolve(self, failed.base_url))

    def close(self) -> None:
        """Stops the folder's server if it lives in this process and nobody else here uses it; its runs pause."""
        _folder(self.data_dir).release(self)

    @property
    def owns_engine(self) -> bool:
        """Whether the folder's server lives in this process."""
        return _folder(self.data_dir).is_serving

    def _named(self, endpoint: Endpoint) -> Endpoint:
        return Endpoint(endpoint.base_url, endpoint.api_key, self.workspace_id or endpoint.workspace_id)


@define(eq=False)
class _DataFolder:
    """This process's part in one data folder."""

    path: Path
    pid: int = field(factory=os.getpid)
    _guard: threading.Lock = field(factory=threading.Lock)
    _lock: FileLock = field(init=False)
    _server: Server | None = field(init=False, default=None)
    _endpoint: Endpoint | None = field(init=False, default=None)
    _users: set[EmbeddedEndpoint] = field(init=False, factory=set)

    def __attrs_post_init__(self) -> None:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error) from error
        self._lock = FileLock(self.path / "engine.lock", thread_local=False)

    @property
    def _file(self) -> Path:
        return self.path / "endpoint.json"

    @property
    def is_serving(self) -> bool:
        """Whether the server lives in this process."""
        return self._server is not None

    def resolve(self, user: EmbeddedEndpoint, failed_url: str | None) -> Endpoint:
        """Where the server is; takes over where nobody serves.

        Args:
            user: Who asks, and keeps the server until it is released.
            failed_url: The address that could not be connected to, if that is why one asks.
        """
        with self._guard:
            self._users.add(user)
            if self._server is not None and self._endpoint is not None:
                return self._endpoint
            give_up = time.monotonic() + START_SECONDS
            while True:
                if self._take_lock():
                    return self._serve(failed_url)
                endpoint = self._read()
                if endpoint is not None and _accepts(endpoint.base_url):
                    return endpoint
                if time.monotonic() >= give_up:
                    raise ServerConnectionError(
                        f"Another process has the data folder {self.path} but does not answer. End that process, or "
                        "choose another folder with EVALROUTER_DATA_DIR."
                    )
                time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        """Stops the server if this process has it, which pauses its runs, and lets another process take over."""
        if os.getpid() != self.pid:
            return
        with self._guard:
            self._stop()

    def release(self, user: EmbeddedEndpoint) -> None:
        """Notes that a user has closed, and stops the server after the last one."""
        with self._guard:
            self._users.discard(user)
            if not self._users:
                self._stop()

    def _stop(self) -> None:
        server, self._server, self._endpoint = self._server, None, None
        if server is None:
            return
        server.stop()
        self._file.unlink(missing_ok=True)
        self._lock.release()

    def _take_lock(self) -> bool:
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        except OSError as error:
            raise self._unusable(error) from error
        return True

    def _unusable(self, error: OSError) -> ConfigurationError:
        return ConfigurationError(
            f"The data folder {self.path} cannot be used: {error.strerror or error}. Make it a folder that you may "
            "write to, or choose another with EVALROUTER_DATA_DIR."
        )

    def _serve(self, failed_url: str | None) -> Endpoint:
        try:
            from evalrouter_server.embedded import EmbeddedServer  # only the process that serves loads the server

            last = self._read()
            port = urlsplit(last.base_url if last else failed_url or "").port or 0
            self._file.unlink(missing_ok=True)
            server = EmbeddedServer(self.path, port=port)
            try:
                started = server.start()
            except OSError:
                if not port:
                    raise
                server = EmbeddedServer(self.path)
                started = server.start()
            self._write(started)
        except BaseException:
            self._lock.release()
            raise
        self._server = server
        self._endpoint = Endpoint(started.base_url, started.api_key, started.workspace_id)
        return self._endpoint

    def _write(self, started: Any) -> None:
        document = {
            "base_url": started.base_url,
            "api_key": started.api_key,
            "workspace_id": started.workspace_id,
            "pid": started.pid,
            "version": started.version,
            "started_at": datetime.now(UTC).isoformat(),
        }
        descriptor, name = tempfile.mkstemp(prefix=".endpoint-", dir=self.path)  # mode 0600
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file)
        Path(name).replace(self._file)

    def _read(self) -> Endpoint | None:
        try:
            document = json.loads(self._file.read_text(encoding="utf-8"))
            return Endpoint(document["base_url"], document["api_key"], document["workspace_id"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


_folders: dict[Path, _DataFolder] = {}
_folders_guard = threading.Lock()


def stop() -> None:
    """Stops every embedded server of this process, which pauses its runs; the end of the process does it by itself."""
    for folder in list(_folders.values()):
        folder.stop()


def _folder(data_dir: Path) -> _DataFolder:
    path = data_dir.resolve()
    with _folders_guard:
        folder = _folders.get(path)
        if folder is None or folder.pid != os.getpid():
            folder = _folders[path] = _DataFolder(path)
        return folder


def _accepts(base_url: str) -> bool:
    parts = urlsplit(base_url)
    with contextlib.suppress(OSError), socket.create_connection((parts.hostname, parts.port), _CONNECT_SECONDS):
        return True
    return False


def _forget_parent() -> None:
    """In a forked child: the locks of this module may be held by a thread that the child does not have."""
    global _folders_guard
    _folders_guard = threading.Lock()
    _folders.clear()


atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)
