"""A small HTTP server that speaks the contract from a script, and can drop, delay and drip."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from attrs import define, field, frozen

from tests.loopback import LoopbackServer


@frozen
class Request:
    """What came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    connection: int


@frozen
class Answer:
    """What goes out: JSON, or chunks as they are; `drop_after` chunks the connection is cut."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(factory=dict)
    chunks: Iterable[bytes] | None = None
    delay: float = 0.0
    pause: float = 0.0
    drop_after: int | None = None


DROP = Answer(drop_after=0)

type Script = Callable[[Request], Answer] | Answer | list[Answer]


def problem(status: int, code: str, headers: dict[str, str] | None = None, **details: Any) -> Answer:
    """A refusal as the contract has it."""
    body = {"code": code, "message": f"No: {code}.", "details": details, "request_id": "req_1"}
    return Answer(body, status, {"Content-Type": "application/problem+json", **(headers or {})})


def event_text(seq: int, kind: str, run_id: str = "run_1") -> bytes:
    """One server-sent event."""
    data = {"run_id": run_id, "seq": seq, "type": kind, "at": "2026-11-29T12:00:00Z", "data": {}}
    return f"id: {seq}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode()


def event_stream(*chunks: bytes, **options: Any) -> Answer:
    """A stream of server-sent events."""
    return Answer(headers={"Content-Type": "text/event-stream"}, chunks=chunks, **options)


def quiet_stream() -> Answer:
    """A stream on which nothing happens for two seconds."""
    return event_stream(*[b": nothing\n\n"] * 20, pause=0.1)


@define
class ContractServer:
    """What it was asked, and what it answers by method and path."""

    url: str = ""
    requests: list[Request] = field(factory=list)
    connections: int = 0
    scripts: dict[tuple[str, str], Callable[[Request], Answer]] = field(factory=dict)

    def on(self, method: str, path: str, script: Script) -> None:
        """Sets what is answered: always the same, one after another (the last for good), or what a function says."""
        if isinstance(script, Answer):
            self.scripts[method, path] = lambda _: script
        elif isinstance(script, list):
            left = deque(script)
            self.scripts[method, path] = lambda _: left.popleft() if len(left) > 1 else left[0]
        else:
            self.scripts[method, path] = script

    def asked(self, method: str, path: str) -> list[Request]:
        """The requests to one operation."""
        return [request for request in self.requests if (request.method, request.path) == (method, path)]

    def answer(self, request: Request) -> Answer:
        """What a request gets."""
        self.requests.append(request)
        script = self.scripts.get((request.method, request.path))
        return script(request) if script else problem(404, "not_found")


@contextmanager
def serving(port: int = 0) -> Iterator[ContractServer]:
    """A running server on the loopback interface."""
    state = ContractServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            state.connections += 1
            self.number = state.connections

        def _handle(self) -> None:
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(raw) if raw else None
            request = Request(self.command, parts.path, query, headers, body, self.number)
            self._send(state.answer(request))

        def _send(self, answer: Answer) -> None:
            time.sleep(answer.delay)
            chunks = [json.dumps(answer.body).encode()] if answer.chunks is None else answer.chunks
            if answer.drop_after == 0:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            if answer.status == 204:
                self.end_headers()
                return
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for number, chunk in enumerate(chunks, 1):
                self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                self.wfile.flush()
                time.sleep(answer.pause)
                if answer.drop_after == number:
                    self.close_connection = True
                    return
            self.wfile.write(b"0\r\n\r\n")

        do_GET = do_POST = do_PATCH = do_DELETE = _handle

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

    http = LoopbackServer(("127.0.0.1", port), Handler)
    state.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
