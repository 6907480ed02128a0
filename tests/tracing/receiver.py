"""A trace connection's server over real HTTP: it checks digests, holds spans, and can be told to go wrong."""

import json
import socket
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from typing import Any

from attrs import define, field, frozen

from tests.loopback import LoopbackServer


@frozen
class Received:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """Its JSON."""
        return json.loads(self.raw)


type Fault = Callable[["Receiver", BaseHTTPRequestHandler, Received], None]


@define
class Receiver:
    """What came in and what is held.

    Attributes:
        url: Its root.
        requests: What came.
        spans: What is held, by span ID.
        taken: Digest of each batch that was taken.
        faults: What answers the coming requests instead; None answers as it should.
    """

    url: str = ""
    requests: list[Received] = field(factory=list)
    spans: dict[str, dict[str, Any]] = field(factory=dict)
    taken: dict[str, str] = field(factory=dict)
    faults: deque[Fault | None] = field(factory=deque)
    released: threading.Event = field(factory=threading.Event)

    def of(self, resource: str) -> list[Received]:
        """The requests to one resource."""
        return [request for request in self.requests if request.path.endswith(resource)]

    def answer(self, request: Received) -> tuple[int, dict[str, Any]]:
        """What a server says that works."""
        body = request.body
        if request.path.endswith("/seals"):
            held = [span for span in self.spans.values() if span["trace_id"] == body["trace_id"]]
            lines = sorted(f"{span['span_id']}:{content_digest(span)}" for span in held)
            complete = len(lines) == body["span_count"] and digest(lines) == body["digest"]
            return 200, {
                "trace_id": body["trace_id"],
                "server_trace_id": server_id(body["trace_id"]),
                "complete": complete,
            }
        if body["digest"] != digest([content_digest(span) for span in body["spans"]]):
            return 422, problem("invalid_request")
        if self.taken.setdefault(body["batch_id"], body["digest"]) != body["digest"]:
            return 409, problem("batch_conflict")
        new = [span for span in body["spans"] if span["span_id"] not in self.spans]
        self.spans.update((span["span_id"], span) for span in new)
        return 200, {
            "batch_id": body["batch_id"],
            "received": len(body["spans"]),
            "inserted": len(new),
            "traces": [
                {"trace_id": trace_id, "server_trace_id": server_id(trace_id)}
                for trace_id in {span["trace_id"] for span in body["spans"]}
            ],
        }


def server_id(trace_id: str) -> str:
    """The server's own ID of a trace."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, trace_id))


def content_digest(span: dict[str, Any]) -> str:
    """A span's digest, as the contract says."""
    return sha256(json.dumps(span, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def digest(lines: list[str]) -> str:
    """The digest of several lines."""
    return sha256("\n".join(lines).encode()).hexdigest()


def problem(code: str) -> dict[str, Any]:
    """A refusal as the contract has it."""
    return {"code": code, "message": f"No: {code}.", "details": {}, "request_id": "req_1"}


@contextmanager
def receiving(state: Receiver | None = None) -> Iterator[Receiver]:
    """A server that runs meanwhile, with a state of its own unless it is given one."""
    kept = state or Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            request = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, raw)
            kept.requests.append(request)
            fault = kept.faults.popleft() if kept.faults else None
            (fault or answered)(kept, self, request)

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    server = LoopbackServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield kept
    finally:
        kept.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def write(handler: BaseHTTPRequestHandler, status: int, body: bytes, promised: int | None = None) -> None:
    """Answers with a body, of which another length may be promised."""
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body) if promised is None else promised))
    handler.end_headers()
    handler.wfile.write(body)
    handler.wfile.flush()


def answered(state: Receiver, handler: BaseHTTPRequestHandler, request: Received) -> None:
    """As it should be."""
    status, body = state.answer(request)
    write(handler, status, json.dumps(body).encode())


def refusing(status: int, code: str) -> Fault:
    """Refuses."""
    return lambda state, handler, request: write(handler, status, json.dumps(problem(code)).encode())


def hanging(state: Receiver, handler: BaseHTTPRequestHandler, request: Received) -> None:
    """Never answers."""
    state.released.wait(30)
    cut(state, handler, request)


def dripping(state: Receiver, handler: BaseHTTPRequestHandler, request: Received) -> None:
    """Answers a byte at a time and never comes to an end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not state.released.wait(0.05):
        handler.wfile.write(b"a")
        handler.wfile.flush()


def cut(state: Receiver, handler: BaseHTTPRequestHandler, request: Received) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def lost(state: Receiver, handler: BaseHTTPRequestHandler, request: Received) -> None:
    """Does what was asked, and the acknowledgement is lost."""
    state.answer(request)
    cut(state, handler, request)


def half(state: Receiver, handler: BaseHTTPRequestHandler, request: Received) -> None:
    """Does what was asked, and half of the acknowledgement is lost."""
    body = json.dumps(state.answer(request)[1]).encode()
    write(handler, 200, body[: len(body) // 2], promised=len(body))
    cut(state, handler, request)


def twice(state: Receiver, handler: BaseHTTPRequestHandler, request: Received) -> None:
    """Acknowledges twice."""
    answered(state, handler, request)
    answered(state, handler, request)


def saying(body: bytes) -> Fault:
    """Answers 200 with a body that acknowledges nothing, and does nothing."""
    return lambda state, handler, request: write(handler, 200, body)
