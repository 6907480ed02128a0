"""A LangSmith service over real HTTP: it takes what LangSmith's own client traces, and tells it over both APIs.

It does what the real one was seen to do: pages of at most 100 and 1,000 rows, the last 24 hours and nothing but IDs
unless more is asked for, no order, upper-case words in the second API.
"""

import json
import re
import socket
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.parser import BytesParser
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from attrs import define, field, frozen

from tests.loopback import LoopbackServer

type Row = dict[str, Any]
INGEST = {
    "use_multipart_endpoint": True,
    "size_limit": 100,
    "size_limit_bytes": 20_971_520,
    "scale_up_nthreads_limit": 16,
    "scale_up_qsize_trigger": 1000,
    "scale_down_nempty_trigger": 4,
}
KEY = "lsv2_pt_canarykey0123456789abcdef_0123456789"


@frozen
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def trace_id(self) -> str | None:
        """The trace whose runs are asked for, if any."""
        if not self.path.endswith("/runs/query"):
            return None
        found = self.body.get("trace", self.body.get("trace_id"))
        return str(found) if found else None


type Fault = Callable[["LangSmithService", BaseHTTPRequestHandler, Asked], None]


@define
class LangSmithService:
    """The service's runs, and what it is told to do wrong.

    Attributes:
        url: Its root.
        version: What `/info` says.
        has_v2: Whether it has the second API.
        runs: Rows by run ID, as the first API names their fields.
        projects: Names by project ID.
        asked: The requests that came.
        faults: What answers the coming requests of the read APIs instead; None answers as it should.
        clock_ahead: How wrong its clock is.
        extra_rows: Rows that are told with those of every query.
        notice: Is told of every request before it is answered.
        ignores_selects: Whether it tells every field, asked for or not.
    """

    url: str = ""
    version: str = "0.16.2"
    has_v2: bool = True
    runs: dict[str, Row] = field(factory=dict)
    projects: dict[str, str] = field(factory=dict)
    asked: list[Asked] = field(factory=list)
    faults: deque[Fault | None] = field(factory=deque)
    clock_ahead: timedelta = timedelta()
    extra_rows: list[Any] = field(factory=list)
    ignores_selects: bool = False
    notice: Callable[[Asked], None] = lambda asked: None
    released: threading.Event = field(factory=threading.Event)
    _lock: threading.RLock = field(factory=threading.RLock)
    _traces: dict[str, list[str]] = field(factory=dict)
    _last: tuple[str, list[Row]] = ("", [])

    @property
    def now(self) -> datetime:
        return datetime.now(UTC) + self.clock_ahead

    def project(self, name: str = "agents") -> str:
        """A project's ID, made where it is new."""
        project_id = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
        self.projects[project_id] = name
        return project_id

    def put(self, row: Row, project: str = "agents") -> Row:
        """Adds a run or changes one, as an ingest does."""
        with self._lock:
            known = self.runs.get(row["id"])
            if known is None:
                known = self.runs[row["id"]] = {"session_id": self.project(project), "status": "pending"}
                self._traces.setdefault(str(row.get("trace_id", row["id"])), []).append(row["id"])
            known.update({name: value for name, value in row.items() if value is not None})
            if known.get("end_time") and "status" not in row:
                known["status"] = "error" if known.get("error") else "success"
            usage = _usage(known)
            if usage:
                known["prompt_tokens"] = usage.get("input_tokens")
                known["completion_tokens"] = usage.get("output_tokens")
                known["total_tokens"] = usage.get("total_tokens")
                known["prompt_token_details"] = usage.get("input_token_details")
                known["completion_token_details"] = usage.get("output_token_details")
            return known

    def query(self, body: Mapping[str, Any]) -> list[Row]:
        """The rows of a query of the first API, newest first."""
        with self._lock:
            if "trace" in body:
                found = [self.runs[name] for name in self._traces.get(body["trace"], ()) if name in self.runs]
            else:
                found = list(self.runs.values())
        low, high = body.get("start_time"), None
        if match := re.search(r'lt\(start_time, "([^"]+)"\)', body.get("filter", "")):
            high = _moment(match[1])
        found = [
            row
            for row in found
            if row["session_id"] in body["session"]
            and (not body.get("is_root") or not row.get("parent_run_id"))
            and (low is None or _moment(row["start_time"]) >= _moment(low))
            and (high is None or _moment(row["start_time"]) < high)
        ]
        return sorted(found, key=lambda row: (str(row["start_time"]), row["id"]), reverse=True)

    def ancestors(self, row: Row) -> list[str]:
        """The IDs of a run's ancestors, the root first."""
        found: list[str] = []
        parent = row.get("parent_run_id")
        while parent and parent not in found:
            found.insert(0, parent)
            parent = self.runs.get(parent, {}).get("parent_run_id")
        return found

    def answer(self, asked: Asked) -> tuple[int, Any]:
        """Status and JSON of a request."""
        parts = urlsplit(asked.path)
        path = parts.path.removeprefix("/api/v1")
        params = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        match asked.method, path:
            case "GET", "/info":
                return 200, {"version": self.version, "batch_ingest_config": INGEST}
            case "GET", "/sessions":
                start, size = int(params["offset"]), int(params["limit"])
                return 200, self._projects()[start : start + size]
            case "POST", "/runs/multipart":
                self._take_parts(asked)
                return 202, {}
            case "POST", "/runs/batch":
                for row in [*asked.body.get("post", []), *asked.body.get("patch", [])]:
                    self._take(row)
                return 202, {}
            case "POST", "/runs":
                self._take(asked.body)
                return 202, {}
            case "POST", "/runs/query":
                return self._tell_v1(asked.body)
            case "GET", "/api/v2/sessions" if self.has_v2:
                rows = [{**row, "type": "PROJECT"} for row in self._projects()]
                return 200, _page(rows, params.get("cursor"), int(params.get("page_size", 100)), "items")
            case "POST", "/api/v2/runs/query" if self.has_v2:
                return self._tell_v2(asked.body)
        if asked.method == "PATCH" and path.startswith("/runs/"):
            self._take({**asked.body, "id": path.rpartition("/")[2]})
            return 202, {}
        return 404, {"detail": "Not Found"}

    def _projects(self) -> list[Row]:
        made = "2026-01-01T00:00:00+00:00"
        fixed = {"tenant_id": str(uuid.UUID(int=1)), "reference_dataset_id": None, "start_time": made}
        return [{"id": name, "name": title, **fixed} for name, title in sorted(self.projects.items())]

    def _tell_v1(self, body: Row) -> tuple[int, Any]:
        if body.get("limit", 100) > 100:
            return 400, {"detail": "limit"}
        found = self._found({name: value for name, value in body.items() if name not in ("cursor", "select", "limit")})
        page = _page(found + self.extra_rows, body.get("cursor"), body.get("limit", 100), "runs")
        rows = [self._selected(row, body["select"]) for row in page["runs"]]
        return 200, {"runs": rows, "cursors": {"next": page["next_cursor"]}}

    def _tell_v2(self, body: Row) -> tuple[int, Any]:
        if not 1 <= body.get("page_size", 100) <= 1000 or not body.get("project_ids"):
            return 400, {"detail": "page_size or project_ids"}
        low = _moment(body.get("min_start_time") or (self.now - timedelta(days=1)).isoformat())
        high = _moment(body.get("max_start_time") or self.now.isoformat())
        old = {"session": body["project_ids"], "is_root": body.get("is_root")}
        if "trace_id" in body:
            old["trace"] = body["trace_id"]
        found = [row for row in self._found(old) if low <= _moment(row["start_time"]) <= high]
        found.sort(key=lambda row: row["id"][::-1])
        page = _page(found + self.extra_rows, body.get("cursor"), body.get("page_size", 100), "items")
        names = [name.lower() for name in body.get("selects", ["ID"])]
        return 200, {**page, "items": [self._selected(self._as_v2(row), names) for row in page["items"]]}

    def _found(self, body: Row) -> list[Row]:
        """What `query` finds, remembered for the next page."""
        key = json.dumps([body, len(self.runs)])
        if self._last[0] != key:
            self._last = (key, self.query(body))
        return list(self._last[1])

    def _as_v2(self, row: Any) -> Any:
        if row is None or not isinstance(row, dict) or "session_id" not in row:
            return row
        new = {name: value for name, value in row.items() if name not in ("parent_run_id", "session_id")}
        new["project_id"] = row["session_id"]
        new["parent_run_ids"] = self.ancestors(row)
        for name in ("run_type", "status"):
            if isinstance(row.get(name), str):
                new[name] = row[name].upper()
        for name in ("prompt_token_details", "completion_token_details"):
            if row.get(name):
                new[name] = {"raw": row[name]}
        return new

    def _selected(self, row: Any, names: list[str]) -> Any:
        if self.ignores_selects or not isinstance(row, dict) or any(row is extra for extra in self.extra_rows):
            return row
        return {name: row[name] for name in ("id", *names) if name in row}

    def _take(self, row: Row) -> None:
        project = row.pop("session_name", None) or "agents"
        row.pop("session_id", None)
        self.put(row, project)

    def _take_parts(self, asked: Asked) -> None:
        head = f"Content-Type: {asked.headers['content-type']}\r\n\r\n".encode()
        rows: dict[tuple[str, str], Row] = {}
        for part in BytesParser().parsebytes(head + asked.raw).get_payload():
            name = str(part.get_param("name", header="content-disposition"))  # type: ignore[union-attr]
            kind, run_id, *field_name = name.split(".", 2)
            if kind not in ("post", "patch"):
                continue
            value = json.loads(part.get_payload(decode=True))  # type: ignore[arg-type,union-attr]
            row = rows.setdefault((kind, run_id), {})
            row.update({field_name[0]: value} if field_name else value)
        for (_, run_id), row in rows.items():
            self._take({**row, "id": run_id})


def _usage(row: Row) -> Row:
    outputs, extra = row.get("outputs") or {}, row.get("extra") or {}
    found = outputs.get("usage_metadata") if isinstance(outputs, dict) else None
    metadata = extra.get("metadata") if isinstance(extra, dict) else None
    return found or (metadata.get("usage_metadata") if isinstance(metadata, dict) else None) or {}


def _page(rows: list[Any], cursor: str | None, size: int, name: str) -> Row:
    start = int(cursor.removeprefix("after:")) if cursor else 0
    more = start + size < len(rows)
    return {name: rows[start : start + size], "next_cursor": f"after:{start + size}" if more else None}


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@contextmanager
def langsmith_service(**settings: Any) -> Iterator[LangSmithService]:
    """A service that runs meanwhile."""
    state = LangSmithService(**settings)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_any(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, headers, raw)
            state.asked.append(asked)
            state.notice(asked)
            is_read = asked.method == "GET" or asked.path.endswith("/query")
            fault = state.faults.popleft() if state.faults and is_read else None
            (fault or answered)(state, self, asked)

        do_GET = do_POST = do_PATCH = handle_any

        def date_time_string(self, timestamp: float | None = None) -> str:
            return format_datetime(state.now, usegmt=True)

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    server = LoopbackServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def write(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    *,
    promised: int | None = None,
    retry_after: str | None = None,
) -> None:
    """Answers with a body, of which another length may be promised."""
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body) if promised is None else promised))
    if retry_after is not None:
        handler.send_header("Retry-After", retry_after)
    handler.end_headers()
    handler.wfile.write(body)
    handler.wfile.flush()


def answered(state: LangSmithService, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """As it should be."""
    status, document = state.answer(asked)
    write(handler, status, json.dumps(document).encode())


def refusing(status: int, retry_after: str | None = None) -> Fault:
    """Refuses, with words that quote the key, as some service might."""

    def refuse(state: LangSmithService, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        body = json.dumps({"detail": f"no: {asked.headers.get('x-api-key')}"}).encode()
        write(handler, status, body, retry_after=retry_after)

    return refuse


def half(state: LangSmithService, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Half a page, and the connection is gone."""
    body = json.dumps(state.answer(asked)[1]).encode()
    write(handler, 200, body[: len(body) // 2], promised=len(body))
    cut(state, handler, asked)


def cut(state: LangSmithService, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def hanging(state: LangSmithService, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Never answers."""
    state.released.wait(60)
    cut(state, handler, asked)


def saying(body: bytes) -> Fault:
    """Answers 200 with another body."""
    return lambda state, handler, asked: write(handler, 200, body)
