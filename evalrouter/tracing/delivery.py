"""Sends batches and seals, and says what became of them: acknowledged, refused, not sent, or nobody knows."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import httpx
from attrs import frozen

from evalrouter.convert.problems import status_error
from evalrouter.retry import Deadline
from evalrouter.tracing.batches import Batch, seal_body
from evalrouter.tracing.destination import Destination
from evalrouter.tracing.network import send

REFUSED_FOR_NOW = frozenset({408, 429})


@frozen
class Outcome:
    """What became of a request.

    Attributes:
        kind: `accepted`: the server says that it is done. `failed`: it refused. `unsent`: it never got it, or asks to
            be asked later. `unknown`: it may have done it.
        server_trace_id: The server's ID of the trace, if it said.
        complete: Whether it acknowledged the closure.
        reason: Why it was not accepted, without a key or content in it.
    """

    kind: Literal["accepted", "failed", "unsent", "unknown"]
    server_trace_id: str | None = None
    complete: bool = False
    reason: str = ""


class Delivery(Protocol):
    """Where batches and seals go."""

    def send_batch(self, trace_id: str, batch: Batch, deadline: Deadline) -> Outcome:
        """Sends a batch of one trace; never raises."""
        ...

    def send_seal(self, trace_id: str, lines: Sequence[str], deadline: Deadline) -> Outcome:
        """Asks for closure with exactly the spans of `lines`; never raises."""
        ...


@frozen
class HttpDelivery:
    """Sends to a trace connection.

    Attributes:
        destination: The connection.
    """

    destination: Destination

    def send_batch(self, trace_id: str, batch: Batch, deadline: Deadline) -> Outcome:
        """Sends a batch; it is accepted where the answer names this batch, all its spans and the trace."""
        answer = self._post("batches", batch.body(), deadline)
        if isinstance(answer, Outcome):
            return answer
        held = {trace.get("trace_id"): trace.get("server_trace_id") for trace in _dicts(answer.get("traces"))}
        server_trace_id = held.get(trace_id)
        if answer.get("batch_id") != batch.batch_id or answer.get("received") != len(batch.spans):
            return Outcome("unknown", reason="the answer acknowledges another batch")
        if not isinstance(server_trace_id, str):
            return Outcome("unknown", reason="the answer does not name the trace")
        return Outcome("accepted", server_trace_id)

    def send_seal(self, trace_id: str, lines: Sequence[str], deadline: Deadline) -> Outcome:
        """Sends a seal; it is accepted where the answer is about this trace, complete or not."""
        answer = self._post("seals", json.dumps(seal_body(trace_id, lines)).encode(), deadline)
        if isinstance(answer, Outcome):
            return answer
        server_trace_id, complete = answer.get("server_trace_id"), answer.get("complete")
        if answer.get("trace_id") != trace_id or not isinstance(complete, bool):
            return Outcome("unknown", reason="the answer is not about this trace")
        return Outcome("accepted", server_trace_id if isinstance(server_trace_id, str) else None, complete)

    def _post(self, resource: str, body: bytes, deadline: Deadline) -> dict[str, Any] | Outcome:
        destination = self.destination
        try:
            return _read(send(destination, resource, body, deadline))
        except httpx.ConnectError as error:
            return Outcome("unsent", reason=f"no connection to {destination.base_url}: {error}")
        except Exception as error:
            return Outcome("unknown", reason=f"{destination.base_url}: {error or type(error).__name__}")


def _read(response: httpx.Response) -> dict[str, Any] | Outcome:
    if response.is_success:
        try:
            answer = response.json()
        except (ValueError, RecursionError):
            answer = None
        return answer if isinstance(answer, dict) else Outcome("unknown", reason="the answer is not a receipt")
    refusal = status_error(response)
    if response.status_code in REFUSED_FOR_NOW:
        return Outcome("unsent", reason=f"{refusal.code}: {refusal.message}")
    if 400 <= response.status_code < 500:
        return Outcome("failed", reason=f"{refusal.code}: {refusal.message}")
    return Outcome("unknown", reason=f"{response.status_code} {refusal.code}")


def _dicts(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
