"""Spans taken per second, on SQLite and on PostgreSQL: `python perf/ingest.py [SPANS] [SENDERS] [TIMES]`.

Each sender sends traces of 100 spans, depth 10, with 200 bytes in and out, a trace a batch, and seals each. Measured is
what the server does with a request's JSON: checking it, digests, storing. PostgreSQL is the server that
EVALROUTER_TEST_POSTGRES names or that answers on 127.0.0.1:5432.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from evalrouter_server.clock import utc_now
from evalrouter_server.contract import models as contract
from evalrouter_server.store import trace_ingest
from evalrouter_server.store.connections import TraceConnectionRow
from evalrouter_server.store.database import Database
from evalrouter_server.store.migrate import migrate
from evalrouter_server.store.trace_ingest import Batch
from evalrouter_server.traces.digests import batch_digest, decode
from evalrouter_server.traces.spans import read_span

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.machine import machine
from tests.databases import KINDS, empty_database, postgres_server, postgres_version, run_apart
from tests.traces.sender import batch, seal, span
from tests.traces.test_store import connect

BATCH = 100
DEPTH = 10
TEXT = "x" * 200

type Measured = tuple[float, float]
"""Spans per second, and microseconds of this process's processor time for a span."""


def trace(number: int) -> list[dict[str, Any]]:
    """The spans of a trace: ten chains below a root."""
    own: dict[str, Any] = {"trace_id": f"{number + 1:032x}", "input": TEXT, "output": TEXT}
    return [
        span(place + 1, None if place == 0 else (place if place % DEPTH else 1), kind="model", **own)
        for place in range(BATCH)
    ]


async def take(database: Database, sender: TraceConnectionRow, body: bytes, closing: dict[str, Any]) -> None:
    """What the routes do with a batch and a seal."""
    request = contract.TraceBatch.model_validate(json.loads(body))
    spans = [read_span(sent, stores_content=True) for sent in decode(body)["spans"]]
    assert batch_digest(each.digest for each in spans) == request.digest
    taken = await database.write(
        lambda conn: trace_ingest.ingest(conn, sender, Batch(request.batch_id, request.digest, spans), utc_now())
    )
    assert taken.inserted == BATCH
    held = await database.write(
        lambda conn: trace_ingest.seal(
            conn, sender, closing["trace_id"], closing["span_count"], closing["digest"], utc_now()
        )
    )
    assert held.complete


async def measure(url: str, spans: int, senders: int) -> Measured:
    """Take traces into an empty database."""
    traces = [trace(number) for number in range(spans // BATCH)]
    requests = [
        (json.dumps(batch(f"b{number}", *each)).encode(), seal(*each, trace_id=each[0]["trace_id"]))
        for number, each in enumerate(traces)
    ]
    database = await Database.open(url)
    try:
        connection = await connect(database)

        async def send(number: int) -> None:
            for body, closing in requests[number::senders]:
                await take(database, connection, body, closing)

        started, worked = time.perf_counter(), time.process_time()
        await asyncio.gather(*(send(number) for number in range(senders)))
        seconds, work = time.perf_counter() - started, time.process_time() - worked
        done = len(requests) * BATCH
        return done / seconds, work / done * 1e6
    finally:
        await database.close()


def measure_fresh(kind: str, spans: int, senders: int) -> Measured:
    """Measure on a database of its own."""
    with tempfile.TemporaryDirectory() as folder, empty_database(kind, Path(folder)) as url:
        run_apart(migrate(url))
        return asyncio.run(measure(url, spans, senders))


def main() -> None:
    """Print the medians."""
    given = [int(argument) for argument in sys.argv[1:]]
    spans, senders, times = (*given, *(10_000, 8, 3)[len(given) :])
    print(machine())
    kinds = KINDS if postgres_server() else KINDS[:1]
    for kind in kinds:
        results = [measure_fresh(kind, spans, senders) for _ in range(times)]
        rate, work = (statistics.median(values) for values in zip(*results, strict=True))
        version = f" {postgres_version()}" if kind == "postgresql" else ""
        print(f"{kind}{version}: {rate:,.0f} spans/s, {work:.0f} microseconds of processor time a span")


if __name__ == "__main__":
    main()
