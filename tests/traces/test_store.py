"""Ingest, seal, tree and retention on both databases, and two senders at once."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.bootstrap import make_workspace
from evalrouter_server.problems import Problem
from evalrouter_server.store import connections, trace_ingest, traces
from evalrouter_server.store.connections import TraceConnectionRow
from evalrouter_server.store.database import Database
from evalrouter_server.store.tables import trace_batches
from evalrouter_server.store.trace_ingest import Batch, new_trace_id
from evalrouter_server.store.traces import TraceFilter
from evalrouter_server.traces import limits
from evalrouter_server.traces.digests import trace_digest
from evalrouter_server.traces.spans import SpanRecord, read_span
from sqlalchemy import Connection, func, select

from tests.traces.sender import TRACE, span

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


async def connect(database: Database, retention_days: int = 1) -> TraceConnectionRow:
    workspace_id = new_id("ws")
    row = TraceConnectionRow(
        id=new_id("conn"),
        workspace_id=workspace_id,
        name="agents",
        kind="trace",
        ingest_key_hash=new_id("key"),
        ingest_key_prefix="er_tr_ab",
        ingest_key_revoked_at=None,
        stores_content=True,
        retention_days=retention_days,
        created_at=NOW,
    )

    def make(connection: Connection) -> None:
        make_workspace(connection, workspace_id, "test")
        connections.insert(connection, row)

    await database.write(make)
    return row


def records(*numbers: int, name: str = "step") -> list[SpanRecord]:
    return [read_span(span(n, None if n == 1 else 1, name=name), stores_content=True) for n in numbers]


async def take(database: Database, sender: TraceConnectionRow, batch: Batch, at: datetime = NOW) -> int:
    taken = await database.write(lambda connection: trace_ingest.ingest(connection, sender, batch, at))
    return taken.inserted


async def test_batches_sent_at_once_are_taken_once(database: Database) -> None:
    sender = await connect(database)
    batches = [Batch(f"b{n % 5}", str(n % 5), records(1, 10 + n % 5)) for n in range(20)]
    inserted = await asyncio.gather(*(take(database, sender, batch) for batch in batches))
    assert sum(inserted) == 6
    held = await database.read(lambda connection: trace_ingest.read_held(connection, sender.id, TRACE))
    assert held.trace is not None
    assert (held.trace.span_count, held.trace.name) == (6, "step")
    digest = trace_digest((each.span_id, each.digest) for each in records(1, 10, 11, 12, 13, 14))
    assert held.digest == digest
    sealed = await database.write(lambda conn: trace_ingest.seal(conn, sender, TRACE, 6, digest, NOW))
    assert sealed.complete


async def test_a_conflict_undoes_the_whole_batch(database: Database) -> None:
    sender = await connect(database)
    await take(database, sender, Batch("b1", "1", records(1)))
    with pytest.raises(Problem, match="other content"):
        await take(database, sender, Batch("b2", "2", [*records(2), *records(1, name="other")]))
    assert await take(database, sender, Batch("b2", "3", records(2))) == 1


async def test_a_trace_has_a_largest_size(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    sender = await connect(database)
    monkeypatch.setattr(trace_ingest, "TRACE_SPANS", 3)
    await take(database, sender, Batch("b1", "1", records(1, 2, 3)))
    with pytest.raises(Problem) as refused:
        await take(database, sender, Batch("b2", "2", records(3, 4)))
    assert refused.value.code == "trace_too_large"
    assert limits.TRACE_SPANS == 25_000


async def test_retention_deletes_what_is_old_and_nothing_else(database: Database) -> None:
    brief, long = await connect(database, 1), await connect(database, 30)
    for sender in (brief, long):
        await take(database, sender, Batch("b1", "1", records(1, 2)))
    assert await database.write(lambda conn: traces.purge(conn, NOW + timedelta(hours=23))) is False
    await database.write(lambda conn: traces.purge(conn, NOW + timedelta(days=1)))

    def left(connection: Connection) -> list[int]:
        pages = [
            traces.list_page(connection, sender.workspace_id, TraceFilter(), cursor=None, limit=10)
            for sender in (brief, long)
        ]
        batches = connection.scalar(select(func.count()).select_from(trace_batches))
        return [*(len(page.items) for page in pages), batches or 0]

    assert await database.read(left) == [0, 1, 1]
    assert await take(database, brief, Batch("b1", "1", records(1, 2))) == 2, "forgotten is forgotten"


def test_trace_ids_are_uuids_that_ascend() -> None:
    made = [new_trace_id() for _ in range(3)]
    assert all(each[14] == "7" and each[19] in "89ab" for each in made)
