"""A workspace's own benchmarks: versions that never change, and their items in chunks."""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, select

from evalrouter_server.store.rows import fetch_all, fetch_one, insert_unless_there, select_rows
from evalrouter_server.store.tables import own_benchmarks, own_item_chunks

ABANDONED_AFTER = timedelta(days=1)
"""How old chunks without a benchmark are when they are removed."""

type StoredItem = tuple[dict[str, Any], dict[str, Any], str | None, dict[str, Any] | None]
"""Inputs, target, group, and the answer that the item came with."""


@dataclass(frozen=True, slots=True)
class OwnBenchmarkRow:
    """A version of a workspace's own benchmark as stored.

    Attributes:
        definition: The manifest as its author wrote it.
        definition_digest: The sha256 of manifest and rows.
        content_digest: The sha256 over the normalised rows.
        groups: The groups, in the order in which they first occur.
        source_sha256: The digest of the file that the rows came from.
        archived_at: When it was archived; None while it is live.
    """

    id: str
    workspace_id: str
    slug: str
    version: int
    definition: dict[str, Any]
    definition_digest: str
    content_digest: str
    item_count: int
    groups: list[str]
    source_sha256: str
    created_at: datetime
    archived_at: datetime | None = None


def insert(connection: Connection, row: OwnBenchmarkRow) -> bool:
    """Store a version whose chunks are stored.

    Returns:
        Whether it was stored; not where the workspace has that version already.
    """
    return insert_unless_there(connection, own_benchmarks, asdict(row))


def versions(connection: Connection, workspace_id: str, slug: str) -> list[OwnBenchmarkRow]:
    """All versions of a benchmark, archived ones too, by version."""
    query = select_rows(OwnBenchmarkRow, own_benchmarks).where(
        own_benchmarks.c.workspace_id == workspace_id, own_benchmarks.c.slug == slug
    )
    return fetch_all(connection, OwnBenchmarkRow, query.order_by(own_benchmarks.c.version))


def list_live(connection: Connection, workspace_id: str) -> list[OwnBenchmarkRow]:
    """The workspace's versions that are not archived, by slug and version."""
    query = select_rows(OwnBenchmarkRow, own_benchmarks).where(
        own_benchmarks.c.workspace_id == workspace_id, own_benchmarks.c.archived_at.is_(None)
    )
    return fetch_all(connection, OwnBenchmarkRow, query.order_by(own_benchmarks.c.slug, own_benchmarks.c.version))


def load(connection: Connection, benchmark_id: str) -> OwnBenchmarkRow | None:
    """A version of any workspace, archived ones too, or None."""
    query = select_rows(OwnBenchmarkRow, own_benchmarks).where(own_benchmarks.c.id == benchmark_id)
    return fetch_one(connection, OwnBenchmarkRow, query)


def newest_live(connection: Connection, workspace_id: str, slug: str) -> int | None:
    """The highest version that is not archived, which a bare slug means; None where all are."""
    query = select(func.max(own_benchmarks.c.version)).where(
        own_benchmarks.c.workspace_id == workspace_id,
        own_benchmarks.c.slug == slug,
        own_benchmarks.c.archived_at.is_(None),
    )
    newest: int | None = connection.scalar(query)
    return newest


def archive(connection: Connection, benchmark_id: str, at: datetime | None) -> None:
    """Archive a version, or bring it back with None."""
    connection.execute(own_benchmarks.update().where(own_benchmarks.c.id == benchmark_id).values(archived_at=at))


def put_chunk(connection: Connection, benchmark_id: str, number: int, data: bytes, at: datetime) -> None:
    """Store some of a version's items, as `pack` makes them."""
    row = {"benchmark_id": benchmark_id, "number": number, "data": data, "stored_at": at}
    connection.execute(own_item_chunks.insert(), row)


def read_chunk(connection: Connection, benchmark_id: str, number: int) -> bytes | None:
    """A chunk of a version's items, or None after the last."""
    query = select(own_item_chunks.c.data).where(
        own_item_chunks.c.benchmark_id == benchmark_id, own_item_chunks.c.number == number
    )
    data: bytes | None = connection.scalar(query)
    return data


def remove_chunks(connection: Connection, benchmark_id: str) -> None:
    """Remove the items of a version that was not stored in the end."""
    connection.execute(own_item_chunks.delete().where(own_item_chunks.c.benchmark_id == benchmark_id))


def purge(connection: Connection, now: datetime) -> None:
    """Remove chunks whose benchmark was never stored, as after a crash."""
    known = select(own_benchmarks.c.id)
    connection.execute(
        own_item_chunks.delete().where(
            own_item_chunks.c.stored_at < now - ABANDONED_AFTER, own_item_chunks.c.benchmark_id.not_in(known)
        )
    )


def pack(items: Sequence[StoredItem]) -> bytes:
    """Items as a chunk."""
    return zlib.compress("\n".join(json.dumps(item, ensure_ascii=False) for item in items).encode())


def unpack(data: bytes) -> Iterator[StoredItem]:
    """The items of a chunk."""
    for line in zlib.decompress(data).decode().split("\n"):
        inputs, target, group, *recorded = json.loads(line)  # an older version's items have no fourth
        yield inputs, target, group, recorded[0] if recorded else None
