"""A real service over real HTTP, and fresh workspaces in it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpx
import pytest
from evalrouter_server.embedded import EmbeddedServer, Endpoint
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.bootstrap import make_workspace
from evalrouter_server.store import keys
from evalrouter_server.store.database import Database
from schemathesis.pytest.plugin import SchemathesisFunction
from sqlalchemy import Connection, create_engine

from tests.databases import run_apart
from tests.loopback import LoopbackServer


def pytest_itemcollected(item: pytest.Item) -> None:
    """Tell the operations of a generated test apart, which Schemathesis leaves with one node ID.

    Workers that share the tests among them (pytest-xdist) would run one operation and take it for all.
    """
    if isinstance(item, SchemathesisFunction):
        item._id = item.id.with_params(item.operation_label)


@dataclass(frozen=True, slots=True)
class Service:
    """A running service with direct access to its database: its own file, or the one that is named."""

    endpoint: Endpoint
    data_dir: Path
    database: str | None = None

    def write[T](self, operation: Callable[[Connection], T]) -> T:
        if self.database is not None:
            return run_apart(_write(self.database, operation))
        engine = create_engine(f"sqlite:///{self.data_dir / 'evalrouter.db'}", connect_args={"timeout": 30})
        try:
            with engine.begin() as connection:
                return operation(connection)
        finally:
            engine.dispose()

    def client(self, secret: str | None) -> httpx.Client:
        headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        return httpx.Client(base_url=self.endpoint.base_url, headers=headers, timeout=30, trust_env=False)


async def _write[T](url: str, operation: Callable[[Connection], T]) -> T:
    database = await Database.open(url)
    try:
        return await database.write(operation)
    finally:
        await database.close()


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace of its own with an owner's client."""

    id: str
    secret: str
    service: Service
    client: httpx.Client

    def connect(self, upstream: "Upstream", name: str = "double", price: str = "1") -> str:
        """Connect the upstream double and give its model's ID."""
        answer = self.client.post(
            "/v1/connections",
            json={
                "name": name,
                "kind": "model",
                "base_url": upstream.base_url,
                "upstream_model": "double-1",
                "pricing": {"type": "per_token", "input_usd_per_mtok": price, "output_usd_per_mtok": price},
            },
        )
        assert answer.status_code == 201, answer.text
        return str(answer.json()["model_id"])

    def benchmark(self, name: str = "first-steps") -> str:
        items = self.client.get("/v1/benchmarks", params={"match": name}).json()["items"]
        return str(items[0]["id"])

    def wait(self, run_id: str, seconds: float = 30) -> dict[str, Any]:
        """Follow the run's events until it ends or pauses, and read it."""
        with self.client.stream("GET", f"/v1/runs/{run_id}/events/stream", timeout=seconds) as stream:
            stream.read()
        run: dict[str, Any] = self.client.get(f"/v1/runs/{run_id}").json()
        return run


@contextmanager
def running_service(data_dir: Path, database: str | None = None) -> Iterator[Service]:
    """A service in this process.

    Args:
        data_dir: Its folder.
        database: The URL of its database; None for a file in its folder.
    """
    server = EmbeddedServer(data_dir)
    if database is not None:
        server._settings = server._settings.model_copy(update={"database": database})
    try:
        yield Service(server.start(), data_dir, database)
    finally:
        server.stop()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture
def workspace(service: Service) -> Iterator[Workspace]:
    workspace_id = new_id("ws")

    def make(connection: Connection) -> str:
        make_workspace(connection, workspace_id, "test")
        return keys.create(connection, workspace_id, "owner", keys.SCOPES).secret

    secret = service.write(make)
    with service.client(secret) as client:
        yield Workspace(workspace_id, secret, service, client)


@pytest.fixture
def other_workspace(service: Service) -> Iterator[Workspace]:
    workspace_id = new_id("ws")

    def make(connection: Connection) -> str:
        make_workspace(connection, workspace_id, "other")
        return keys.create(connection, workspace_id, "owner", keys.SCOPES).secret

    secret = service.write(make)
    with service.client(secret) as client:
        yield Workspace(workspace_id, secret, service, client)


class Upstream:
    """A model endpoint that speaks Chat Completions and answers everything alike, when it is allowed to."""

    def __init__(self) -> None:
        self.answer = "4"
        self.answer_by_prompt: dict[str, str] = {}
        self.usage = {"prompt_tokens": 20, "completion_tokens": 3, "total_tokens": 23}
        self.requests = 0
        self.status = 200
        self.gate = threading.Event()
        self.gate.set()
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                upstream.requests += 1
                upstream.gate.wait(30)
                content = upstream.answer_by_prompt.get(request["messages"][-1]["content"], upstream.answer)
                body = json.dumps(
                    {
                        "id": "chatcmpl-1",
                        "object": "chat.completion",
                        "created": 0,
                        "model": request["model"],
                        "choices": [
                            {
                                "index": 0,
                                "message": {"role": "assistant", "content": content},
                                "finish_reason": "stop",
                            }
                        ],
                        "usage": upstream.usage,
                    }
                ).encode()
                self.send_response(upstream.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = LoopbackServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    double = Upstream()
    try:
        yield double
    finally:
        double.close()
