"""What a sender does, by the contract's words and without the server's code."""

import hashlib
import json
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx

TRACE = "0af7651916cd43dd8448eb211c80319c"
START = 1_790_000_000_000_000_000


def span(number: int = 1, parent: int | None = None, **changes: Any) -> dict[str, Any]:
    """A span whose ID is its number."""
    return {
        "trace_id": TRACE,
        "span_id": f"{number:016x}",
        "parent_span_id": None if parent is None else f"{parent:016x}",
        "name": f"step {number}",
        "kind": "agent" if parent is None else "tool",
        "status": "ok",
        "start_unix_nano": START + number * 1_000_000,
        "end_unix_nano": START + number * 1_000_000 + 500_000_000,
        **changes,
    }


def content_digest(sent: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(sent, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def batch(batch_id: str, *spans: dict[str, Any]) -> dict[str, Any]:
    digest = hashlib.sha256("\n".join(map(content_digest, spans)).encode()).hexdigest()
    return {"batch_id": batch_id, "digest": digest, "spans": list(spans)}


def seal(*spans: dict[str, Any], trace_id: str = TRACE) -> dict[str, Any]:
    lines = sorted(f"{sent['span_id']}:{content_digest(sent)}" for sent in spans)
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return {"trace_id": trace_id, "span_count": len(spans), "digest": digest}


@dataclass(frozen=True, slots=True)
class Sender:
    """A trace connection with a client that holds its key."""

    id: str
    secret: str
    client: httpx.Client

    @property
    def path(self) -> str:
        return f"/v1/trace-connections/{self.id}"

    def send(self, batch_id: str, *spans: dict[str, Any]) -> httpx.Response:
        """Send a batch, in ASCII, so that half of a surrogate pair can be sent."""
        content = json.dumps(batch(batch_id, *spans))
        return self.client.post(f"{self.path}/batches", content=content, headers={"Content-Type": "application/json"})

    def take(self, batch_id: str, *spans: dict[str, Any]) -> dict[str, Any]:
        """Send and see that it was taken."""
        answer = self.send(batch_id, *spans)
        assert answer.status_code == 200, answer.text
        receipt: dict[str, Any] = answer.json()
        return receipt

    def seal(self, *spans: dict[str, Any], trace_id: str = TRACE) -> dict[str, Any]:
        answer = self.client.post(f"{self.path}/seals", json=seal(*spans, trace_id=trace_id))
        assert answer.status_code == 200, answer.text
        receipt: dict[str, Any] = answer.json()
        return receipt

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()
