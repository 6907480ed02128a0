"""A host of downloads on this machine, and a store of its own for each test."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from attrs import define, field

from evalrouter.agents.registry.store import AgentStore
from tests.loopback import LoopbackServer


@define
class Host:
    """What is published, by path; `asked` lists the paths that were fetched."""

    address: str = ""
    files: dict[str, bytes] = field(factory=dict)
    redirects: dict[str, str] = field(factory=dict)
    asked: list[str] = field(factory=list)


@pytest.fixture
def host() -> Iterator[Host]:
    published = Host()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            published.asked.append(self.path)
            if self.path in published.redirects:
                self.send_response(302)
                self.send_header("Location", published.redirects[self.path])
                self.end_headers()
                return
            content = published.files.get(self.path)
            self.send_response(404 if content is None else 200)
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = LoopbackServer(("127.0.0.1", 0), Handler)
    published.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield published
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AgentStore:
    for name in ("EVALROUTER_AGENT_REGISTRY", "EVALROUTER_AGENT_REGISTRY_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EVALROUTER_AGENTS_DIR", str(tmp_path / "store"))
    return AgentStore(tmp_path / "store")
