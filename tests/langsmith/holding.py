"""A trace connection's server that refuses changed spans and tells in its seals what it holds, as the real one does."""

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from tests.tracing.receiver import Received, Receiver, content_digest, digest, problem, server_id


@define
class Holding(Receiver):
    """What is held, by trace.

    Attributes:
        traces: Spans by trace and span ID.
        sealed: What each sealed trace was sealed with.
        counts: How often each span was inserted.
    """

    traces: dict[str, dict[str, dict[str, Any]]] = field(factory=dict)
    sealed: dict[str, str] = field(factory=dict)
    inserted: dict[str, int] = field(factory=dict)

    def answer(self, request: Received) -> tuple[int, dict[str, Any]]:
        body = request.body
        return self._seal(body) if request.path.endswith("/seals") else self._take(body)

    def parents(self, trace_id: str) -> dict[str, str | None]:
        """The tree of a trace: each span's parent."""
        return {name: span["parent_span_id"] for name, span in self.traces.get(trace_id, {}).items()}

    def is_complete(self, trace_id: str) -> bool:
        """Whether it is sealed with exactly what is held."""
        return self.sealed.get(trace_id) == self._digest(trace_id)

    def _digest(self, trace_id: str) -> str:
        held = self.traces.get(trace_id, {})
        return digest(sorted(f"{name}:{content_digest(span)}" for name, span in held.items()))

    def _seal(self, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        trace_id = body["trace_id"]
        held = self.traces.get(trace_id, {})
        is_met = len(held) == body["span_count"] and self._digest(trace_id) == body["digest"]
        if is_met:
            self.sealed[trace_id] = body["digest"]
        return 200, {
            "trace_id": trace_id,
            "server_trace_id": server_id(trace_id) if held else None,
            "complete": is_met,
            "span_count": len(held),
            "digest": self._digest(trace_id) if held else None,
        }

    def _take(self, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        spans = body["spans"]
        if body["digest"] != digest([content_digest(span) for span in spans]):
            return 422, problem("invalid_request")
        if body["batch_id"] in self.taken:
            if self.taken[body["batch_id"]] != body["digest"]:
                return 409, problem("batch_conflict")
            return 200, self._receipt(body, 0, 0, True)
        held = {(trace_id, name): span for trace_id, rows in self.traces.items() for name, span in rows.items()}
        changed = [s["span_id"] for s in spans if held.get((s["trace_id"], s["span_id"]), s) != s]
        if changed:
            return 409, {**problem("span_conflict"), "details": {"spans": changed[:10]}}
        new = [span for span in spans if (span["trace_id"], span["span_id"]) not in held]
        for span in new:
            self.traces.setdefault(span["trace_id"], {})[span["span_id"]] = span
            self.inserted[span["span_id"]] = self.inserted.get(span["span_id"], 0) + 1
        late = sum(span["trace_id"] in self.sealed for span in new)
        self.taken[body["batch_id"]] = body["digest"]
        return 200, self._receipt(body, len(new), late, False)

    def _receipt(self, body: Mapping[str, Any], inserted: int, late: int, replayed: bool) -> dict[str, Any]:
        names = {span["trace_id"] for span in body["spans"]}
        return {
            "batch_id": body["batch_id"],
            "received": len(body["spans"]),
            "inserted": inserted,
            "duplicates": len(body["spans"]) - inserted,
            "late": late,
            "content_dropped": 0,
            "replayed": replayed,
            "traces": [{"trace_id": name, "server_trace_id": server_id(name)} for name in names],
        }
