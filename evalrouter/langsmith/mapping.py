"""From a run to the span that is sent; pure. What is not named here is never sent."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, Literal
from uuid import UUID

from evalrouter.langsmith.runs import Run
from evalrouter.tracing.batches import SpanText, canonical
from evalrouter.tracing.content import snapshot

type Policy = Literal["content", "metadata-only"]

KINDS: Final[Mapping[str, str]] = {
    "llm": "model",
    "tool": "tool",
    "chain": "chain",
    "retriever": "retrieval",
    "embedding": "embedding",
    "prompt": "chain",
    "parser": "chain",
}
"""By run type: the kind of span."""

LONGEST_NAME = 500
_STATUSES: Final[Mapping[str, str]] = {"success": "ok", "error": "error"}
_COUNTED = ("model", "embedding")
"""Kinds whose usage is sent: that of other runs repeats what their children report."""
_ATTRIBUTES = ("tags", "events", "extra", "metadata")


def trace_id_of(source: UUID) -> str:
    """Our ID of a trace: always the same for the same trace of LangSmith."""
    return source.hex


def span_id_of(source: UUID) -> str:
    """Our ID of a run."""
    return sha256(source.bytes).hexdigest()[:16]


def span_of(run: Run, policy: Policy) -> SpanText:
    """The canonical span of a run.

    Args:
        run: The run.
        policy: `metadata-only` sends hierarchy, timing, error status and numeric usage; `content` adds the rest, each
            field bounded and without the values of fields with secret names.
    """
    kind = KINDS.get(run.run_type, "unknown")
    span: dict[str, Any] = {
        "trace_id": trace_id_of(run.trace_id),
        "span_id": span_id_of(run.run_id),
        "parent_span_id": None if run.parent_id is None else span_id_of(run.parent_id),
        "name": None,
        "kind": kind,
        "status": "error" if run.content.get("error") else _STATUSES.get(run.status, "unset"),
        "start_unix_nano": run.started_ns,
        "end_unix_nano": run.ended_ns,
        "origin": "langsmith",
        "coverage": "observed",
    }
    if kind in _COUNTED and run.tokens:
        span["tokens"] = dict(run.tokens)
    if kind in _COUNTED and run.cost_usd is not None:
        span["cost_usd"] = f"{run.cost_usd.normalize():f}"
    texts = _content(run) if policy == "content" else {}
    return _joined(span_id_of(run.run_id), span, texts)


def _content(run: Run) -> dict[str, str]:
    """JSON texts of the content that a run has."""
    content = run.content
    found = {ours: content.get(theirs) for ours, theirs in (("input", "inputs"), ("output", "outputs"))}
    texts = {name: snapshot(value) for name, value in found.items() if value is not None}
    if content.get("error"):
        texts["error"] = snapshot(content["error"])
    if isinstance(name := content.get("name"), str):
        texts["name"] = snapshot(name[:LONGEST_NAME])
    attributes = {f"langsmith.{name}": content[name] for name in _ATTRIBUTES if content.get(name)}
    if attributes:
        texts["attributes"] = snapshot(attributes)
    return texts


def _joined(span_id: str, span: Mapping[str, Any], texts: Mapping[str, str]) -> SpanText:
    fields = {name: json.dumps(value) for name, value in span.items()} | dict(texts)
    return canonical(SpanText(span_id, "{" + ",".join(f'"{name}":{text}' for name, text in fields.items()) + "}"))
