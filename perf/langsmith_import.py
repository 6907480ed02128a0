"""Traces a second and peak memory of an import from LangSmith: `python perf/langsmith_import.py [TRACES ...]` (10,000).

Each trace has five runs with metadata only. LangSmith and the destination are processes of their own that make up their
answers, so that what is measured is the connector; a real destination takes at most 1,200 requests a minute.
"""

import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.machine import machine
from tests.loopback import LoopbackServer

PROJECT = str(uuid.UUID(int=7))
RUNS = 5
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
LONG = timedelta(days=60)
"""The traces start evenly over that time."""


def source(count: int) -> Callable[[str, Any], Any]:
    """LangSmith's second API for a project of so many traces."""
    step = LONG / count

    def run(trace: int, place: int) -> dict[str, Any]:
        began = BEGAN + step * trace
        ancestors = [str(uuid.UUID(int=(trace << 16) + 1))] if place else []
        return {
            "id": str(uuid.UUID(int=(trace << 16) + 1 + place)),
            "trace_id": str(uuid.UUID(int=(trace << 16) + 1)),
            "parent_run_ids": ancestors,
            "project_id": PROJECT,
            "run_type": "LLM" if place else "CHAIN",
            "start_time": began.isoformat(),
            "end_time": (began + timedelta(seconds=2)).isoformat(),
            "status": "SUCCESS",
            "prompt_tokens": 100 + place,
            "completion_tokens": 20,
            "total_tokens": 120 + place,
            "total_cost": 0.0001,
        }

    def index(text: str) -> int:
        return min(max(0, -((BEGAN - datetime.fromisoformat(text)) // step)), count)

    def answer(path: str, body: Any) -> Any:
        if path.startswith("/info"):
            return {"version": "0.16.2"}
        if path.startswith("/api/v2/sessions"):
            return {"items": [{"id": PROJECT, "name": "large", "start_time": BEGAN.isoformat()}], "next_cursor": None}
        if "trace_id" in body:
            trace = uuid.UUID(body["trace_id"]).int >> 16
            return {"items": [run(trace, place) for place in range(RUNS)], "next_cursor": None}
        start = int(body.get("cursor") or index(body["min_start_time"]))
        end = index(body["max_start_time"])
        until = min(end, start + body["page_size"])
        return {
            "items": [run(trace, 0) for trace in range(start, until)],
            "next_cursor": str(until) if until < end else None,
        }

    return answer


def destination(_count: int) -> Callable[[str, Any], Any]:
    """A trace connection that acknowledges everything."""

    def answer(path: str, body: Any) -> Any:
        if path.endswith("/seals"):
            return {"trace_id": body["trace_id"], "complete": True, "span_count": body["span_count"]}
        names = {span["trace_id"] for span in body["spans"]}
        count = len(body["spans"])
        receipt = {"batch_id": body["batch_id"], "received": count, "inserted": count, "late": 0}
        return {**receipt, "traces": [{"trace_id": name, "server_trace_id": name} for name in names]}

    return answer


def serve(make: Callable[[int], Callable[[str, Any], Any]], count: int, told: Connection) -> None:
    """Answers for ever; tells its port first."""
    answer = make(count)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def handle_any(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            content = json.dumps(answer(self.path, json.loads(raw) if raw else None)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = handle_any

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    server = LoopbackServer(("127.0.0.1", 0), Handler)
    told.send(server.server_address[1])
    server.serve_forever()


def measure(count: int) -> None:
    """Imports a project of so many traces and prints what it took."""
    processes, urls = [], []
    for make in (source, destination):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=serve, args=(make, count, theirs), daemon=True)
        process.start()
        processes.append(process)
        urls.append(f"http://127.0.0.1:{ours.recv()}")
    environment = {
        "LANGSMITH_API_KEY": "lsv2_pt_perf",
        "LANGSMITH_ENDPOINT": urls[0],
        "EVALROUTER_BASE_URL": urls[1],
        "EVALROUTER_WORKSPACE_ID": "ws_1",
        "EVALROUTER_TRACE_CONNECTION_ID": "conn_1",
        "EVALROUTER_TRACE_KEY": "er_tr_perf",
    }
    program = (
        "import sys; from evalrouter.langsmith.command import main; "
        f"sys.exit(main(sys.argv[1:], environment={environment!r}, pause=0.0))"
    )
    with tempfile.TemporaryDirectory() as folder:
        state = str(Path(folder) / "state.json")
        arguments = ["sync", "--project", PROJECT, "--state", state, "--metadata-only", "--json"]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
        seconds = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    for process in processes:
        process.terminate()
    found = json.loads(done.stdout)
    if found["imported"] != count:
        raise SystemExit(f"{found} of {count} traces")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{count:,} traces of {RUNS} runs: {count / seconds:,.0f} traces a second, "
        f"{cpu / count * 1e3:.2f} ms CPU a trace, peak memory {after.ru_maxrss / 1024:.0f} MiB "
        f"({seconds:.0f} s, {machine()})",
        flush=True,
    )


if __name__ == "__main__":
    for size in [int(argument) for argument in sys.argv[1:]] or [10_000]:
        measure(size)
