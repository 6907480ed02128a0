"""Traces as the rows of a benchmark: each root's input is the question, its output the answer that was recorded.

The rows are a copy: what becomes of a trace later, such as a late span or the end of its retention, changes no row.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from pydantic import JsonValue
from sqlalchemy import Connection

from evalrouter_server.catalog.items import Item, Recorded, item_id
from evalrouter_server.gateway.json_text import decode
from evalrouter_server.grading.json_field import MISSING, at_pointer
from evalrouter_server.own_benchmarks.definition import UNSTORABLE, Definition, TracesGiven
from evalrouter_server.problems import Problem
from evalrouter_server.store import traces
from evalrouter_server.store.database import Database
from evalrouter_server.store.traces import TraceRow

READ_AT_ONCE = 20


async def write_rows(database: Database, workspace_id: str, source: TracesGiven, file: BinaryIO) -> str:
    """Write a row for each trace.

    Args:
        database: Where the traces are.
        workspace_id: Whose they are.
        source: Which traces, and what of them is question, answer and target.
        file: Takes the rows, as JSON lines.

    Returns:
        The sha256 of what was written.

    Raises:
        Problem: `not_found`: a trace is not there.
    """
    digest = hashlib.sha256()
    for start in range(0, len(source.ids), READ_AT_ONCE):
        wanted = source.ids[start : start + READ_AT_ONCE]

        def read(conn: Connection, wanted: Sequence[str] = wanted) -> list[dict[str, Any]]:
            return [_row(conn, workspace_id, source, trace_id) for trace_id in wanted]

        for row in await database.read(read):
            line = json.dumps(row, separators=(",", ":")).encode() + b"\n"
            digest.update(line)
            file.write(line)
    return digest.hexdigest()


def read_items(definition: Definition, file: BinaryIO) -> Iterator[tuple[int, Item]]:
    """The rows that `write_rows` wrote as items, each with its row's number.

    Args:
        definition: The manifest.
        file: The file, at its start.
    """
    version = definition.version or "1"
    for index, line in enumerate(file):
        row = json.loads(line)
        identity = item_id(definition.slug, version, index)
        recorded = Recorded(**row["recorded"])
        yield index + 1, Item(identity, index, {"input": row["input"]}, row["target"], recorded=recorded)


def _row(conn: Connection, workspace_id: str, source: TracesGiven, trace_id: str) -> dict[str, Any]:
    trace = traces.get(conn, workspace_id, trace_id)
    if trace is None:
        raise Problem(
            "not_found",
            f"There is no trace {trace_id} in this workspace; those whose retention has ended are deleted.",
            id=trace_id,
        )
    root = traces.root_span(conn, trace_id)
    span: dict[str, Any] = {} if root is None else decode(root.document)
    asked, not_asked, why = _content(span, "input", source.input)
    output, code, message = _content(span, "output", source.output)
    if output is not None and not_asked is not None and (source.input or not_asked == "not_text"):
        output, code, message = None, not_asked, why
    if root is None:
        code, message = "root_missing", "its root has not arrived, so that there is no answer to grade"
    recorded = Recorded(
        trace_id=trace.id,
        source_trace_id=trace.source_trace_id,
        output=output,
        missing_code=code,
        missing=message,
        seconds=None if trace.ended_ns is None else max(0, trace.ended_ns - trace.started_ns) / traces.SECOND_NS,
        tokens=_tokens(trace),
        cost_usd=trace.cost_usd,
        complete=trace.is_complete,
    )
    target = source.target_of(trace_id)
    named = {} if target is None else {"answer": target} if isinstance(target, str) else {"answers": list(target)}
    return {"input": asked or "", "target": named, "recorded": recorded.document()}


def _content(span: dict[str, Any], field: str, pointer: str) -> tuple[str | None, str | None, str | None]:
    """The text of a span's input or output; else None, a code, and why there is none."""
    if span.get(field) is None:
        return None, "content_not_stored", f"the root's {field} was not captured or is not stored: metadata only"
    value = at_pointer(_document(span[field]), pointer) if pointer else span[field]
    if value is MISSING or value is None:
        return None, f"{field}_not_found", f"the root's {field} holds nothing at {pointer!r}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if UNSTORABLE.search(text):
        return None, "not_text", f"the root's {field} holds NUL or half of a surrogate pair, which is no text"
    return text, None, None


def _document(content: JsonValue) -> JsonValue:
    """Content to look into; OpenTelemetry's attributes hold documents as texts."""
    if isinstance(content, str):
        try:
            document: JsonValue = json.loads(content)
        except (ValueError, RecursionError):
            return content
        return document
    return content


def _tokens(trace: TraceRow) -> int | None:
    """Input and output tokens together; the source's own total where it reports only that."""
    counts: dict[str, int] = json.loads(trace.tokens)
    parts = [counts[name] for name in ("input", "output") if name in counts]
    return sum(parts) if parts else counts.get("total")
