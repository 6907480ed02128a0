"""Uploaded files, in parts, so that neither side ever holds one whole; a file is kept for a day."""

import math
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from evalrouter_server.store.rows import fetch_one, insert_unless_there, select_rows
from evalrouter_server.store.tables import upload_parts, uploads

KEPT = timedelta(days=1)
"""How long an upload is kept after it was last begun."""


@dataclass(frozen=True, slots=True)
class UploadRow:
    """An upload as stored.

    Attributes:
        part_bytes: The size of every part but the last, in bytes.
        touched_at: When it was last begun.
    """

    id: str
    workspace_id: str
    sha256: str
    byte_count: int
    part_bytes: int
    touched_at: datetime

    @property
    def part_count(self) -> int:
        """How many parts it has."""
        return math.ceil(self.byte_count / self.part_bytes)

    def part_size(self, number: int) -> int:
        """The size of a part, in bytes."""
        return min(self.part_bytes, self.byte_count - number * self.part_bytes)


def begin(connection: Connection, row: UploadRow) -> UploadRow:
    """Store a new upload, or touch the one that is there."""
    if insert_unless_there(connection, uploads, asdict(row)):
        return row
    connection.execute(uploads.update().where(uploads.c.id == row.id).values(touched_at=row.touched_at))
    found = fetch_one(connection, UploadRow, select_rows(UploadRow, uploads).where(uploads.c.id == row.id))
    assert found is not None
    return found


def get(connection: Connection, workspace_id: str, upload_id: str) -> UploadRow | None:
    """An upload of the workspace, or None."""
    query = select_rows(UploadRow, uploads).where(uploads.c.id == upload_id, uploads.c.workspace_id == workspace_id)
    return fetch_one(connection, UploadRow, query)


def parts_received(connection: Connection, upload_id: str) -> int:
    """How many parts from the first on are there without a gap."""
    query = select(upload_parts.c.number).where(upload_parts.c.upload_id == upload_id).order_by(upload_parts.c.number)
    numbers = connection.scalars(query).all()
    return next((place for place, number in enumerate(numbers) if place != number), len(numbers))


def put_part(connection: Connection, upload_id: str, number: int, data: bytes) -> None:
    """Store a part; one that is there is left as it is."""
    insert_unless_there(connection, upload_parts, {"upload_id": upload_id, "number": number, "data": data})


def read_part(connection: Connection, upload_id: str, number: int) -> bytes | None:
    """A part, or None where it has not come."""
    query = select(upload_parts.c.data).where(upload_parts.c.upload_id == upload_id, upload_parts.c.number == number)
    data: bytes | None = connection.scalar(query)
    return data


def forget_parts(connection: Connection, upload_id: str) -> None:
    """Forget what has come of an upload, which can then be sent anew."""
    connection.execute(upload_parts.delete().where(upload_parts.c.upload_id == upload_id))


def purge(connection: Connection, now: datetime) -> None:
    """Forget the uploads that are older than `KEPT`."""
    old = select(uploads.c.id).where(uploads.c.touched_at < now - KEPT)
    connection.execute(upload_parts.delete().where(upload_parts.c.upload_id.in_(old)))

    connection.execute(uploads.delete().where(uploads.c.touched_at < now - KEPT))
