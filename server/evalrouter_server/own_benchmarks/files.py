"""The rows of a benchmark of one's own as a file here: put together from parts, fetched from a hub, or of traces."""

import asyncio
import hashlib
import logging
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from evalrouter_server.catalog.cache import FetchError, FileCache
from evalrouter_server.catalog.sources import fetch_source
from evalrouter_server.own_benchmarks.definition import Definition, FileSource, Format, HubFile, TracesGiven
from evalrouter_server.own_benchmarks.trace_rows import write_rows
from evalrouter_server.problems import Problem
from evalrouter_server.store import uploads
from evalrouter_server.store.database import Database
from evalrouter_server.store.uploads import UploadRow

LARGEST_FILE_BYTES = 128 * 1024 * 1024

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RowsFile:
    """An open file with rows.

    Attributes:
        file: The file; whoever reads it begins at its start.
        sha256: Its digest.
    """

    file: BinaryIO
    sha256: str


@asynccontextmanager
async def rows_file(
    database: Database, cache_dir: Path, workspace_id: str, definition: Definition, upload_id: str | None
) -> AsyncIterator[RowsFile]:
    """Open the file that a manifest's rows are in.

    Args:
        database: Where uploads are.
        cache_dir: Where fetched files are kept.
        workspace_id: Whose upload it is.
        definition: The manifest.
        upload_id: The upload, where the manifest names a file.

    Raises:
        Problem: `not_found`, `invalid_request` (a part is missing, or the file is another one) or `data_unavailable`.
    """
    if isinstance(definition.source, TracesGiven):
        if upload_id is not None:
            raise _invalid("body.upload_id", "the manifest's source is traces: leave upload_id out")
        with await asyncio.to_thread(_scratch_file, cache_dir) as file:
            sha256 = await write_rows(database, workspace_id, definition.source, file)
            file.seek(0)
            yield RowsFile(file, sha256)
        return
    if isinstance(definition.source, FileSource):
        upload = await _upload(database, workspace_id, upload_id)
        with await asyncio.to_thread(_scratch_file, cache_dir) as file:
            await _put_together(database, upload, file)
            file.seek(0)
            yield RowsFile(file, upload.sha256)
        return
    if upload_id is not None:
        raise _invalid("body.upload_id", "the manifest's source is a hub's file: leave upload_id out")
    path = await asyncio.to_thread(_fetch, definition.source, definition.format, cache_dir)
    with path.open("rb") as file:
        yield RowsFile(file, definition.source.sha256)


def _scratch_file(folder: Path) -> BinaryIO:
    folder.mkdir(parents=True, exist_ok=True)
    return cast(BinaryIO, tempfile.TemporaryFile(dir=folder))


async def _upload(database: Database, workspace_id: str, upload_id: str | None) -> UploadRow:
    if upload_id is None:
        raise _invalid("body.upload_id", "the manifest's source is a file: upload it, and pass the upload's ID")
    upload = await database.read(lambda conn: uploads.get(conn, workspace_id, upload_id))
    if upload is None:
        raise Problem("not_found", f"There is no upload {upload_id} in this workspace: begin it again.", id=upload_id)
    return upload


async def _put_together(database: Database, upload: UploadRow, file: BinaryIO) -> None:
    digest = hashlib.sha256()
    for number in range(upload.part_count):
        data = await database.read(lambda conn, number=number: uploads.read_part(conn, upload.id, number))  # type: ignore[misc]
        if data is None:
            message = f"part {number} of {upload.part_count} has not come: send it"
            raise _invalid("body.upload_id", message)
        digest.update(data)
        file.write(data)
    if digest.hexdigest() != upload.sha256:
        await database.write(lambda conn: uploads.forget_parts(conn, upload.id))
        raise _invalid("body.upload_id", f"what came has the sha256 {digest.hexdigest()}: send the file anew")


def _fetch(source: HubFile, format: Format, cache_dir: Path) -> Path:
    named = source.as_source(format)
    try:
        (path,) = fetch_source(named, FileCache(cache_dir), logger.info)
    except (FetchError, OSError) as error:
        raise Problem(
            "data_unavailable",
            f"{named.location} could not be had ({error}). Connect the server to it, or put the file, named by its"
            " sha256, into the folder that EVALROUTER_MIRROR names.",
            sources={named.location: str(error)},
        ) from None
    size = path.stat().st_size
    if size > LARGEST_FILE_BYTES:
        raise _invalid("manifest.source.path", f"the file has {size:,} bytes, more than {LARGEST_FILE_BYTES:,}")
    return path


def _invalid(field: str, message: str) -> Problem:
    return Problem(
        "invalid_request",
        f"The request is not valid: {field}: {message}.",
        fields=[{"field": field, "message": message}],
    )
