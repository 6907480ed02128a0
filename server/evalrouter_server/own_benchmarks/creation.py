"""Checking a benchmark of one's own, and making a version of it."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from sqlalchemy import Connection

from evalrouter_server.auth import check_traces_enabled
from evalrouter_server.benchmark_catalog import manifest_of
from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.own_benchmarks.checking import Check, check_rows, read_items
from evalrouter_server.own_benchmarks.definition import (
    LARGEST_VERSION,
    Definition,
    OwnManifest,
    TracesGiven,
    read_definition,
)
from evalrouter_server.own_benchmarks.files import rows_file
from evalrouter_server.problems import Problem
from evalrouter_server.services import Services
from evalrouter_server.store import own_benchmarks
from evalrouter_server.store.own_benchmarks import OwnBenchmarkRow, StoredItem

CHUNK_ITEMS = 1000
CHUNK_CHARACTERS = 512 * 1024


@dataclass(frozen=True, slots=True)
class Checked:
    """A benchmark that was read to its end.

    Attributes:
        definition: Its manifest.
        check: What was found.
        version: The version that it is, or would be.
        exists: Whether that version is there already.
    """

    definition: Definition
    check: Check
    version: int
    exists: bool


@dataclass(frozen=True, slots=True)
class Made:
    """The version that a create gives.

    Attributes:
        manifest: The version.
        is_new: Whether this create made it.
    """

    manifest: OwnManifest
    is_new: bool


async def check_benchmark(
    services: Services, workspace_id: str, document: dict[str, Any], upload_id: str | None
) -> Checked:
    """Read every row as a create would, and make nothing.

    Args:
        services: The service.
        workspace_id: Whose benchmark it is.
        document: The manifest.
        upload_id: The upload with the rows, where the manifest names a file.

    Raises:
        Problem: What `read_definition` and `rows_file` refuse, `name_taken`, `version_taken`,
            `sandbox_unavailable`, `traces_not_enabled`.
    """
    definition = await _definition(services, workspace_id, document)
    async with rows_file(services.database, services.settings.cache_dir, workspace_id, definition, upload_id) as opened:
        check = await asyncio.to_thread(check_rows, definition, opened.file)
    version, existing = await services.database.read(
        lambda conn: _version(conn, workspace_id, definition, check.content_digest)
    )
    return Checked(definition, check, version, existing is not None)


async def prepare_benchmark(
    services: Services, workspace_id: str, document: dict[str, Any], upload_id: str | None
) -> Callable[[Connection], Made]:
    """Check a benchmark and store its items.

    Args:
        services: The service.
        workspace_id: Whose benchmark it is.
        document: The manifest.
        upload_id: The upload with the rows, where the manifest names a file.

    Returns:
        Makes the version, or finds the one with the same content; to be called within a write.

    Raises:
        Problem: What `check_benchmark` refuses, `invalid_rows`.
    """
    definition, database = await _definition(services, workspace_id, document), services.database
    benchmark_id = new_id("bench")
    async with rows_file(database, services.settings.cache_dir, workspace_id, definition, upload_id) as opened:
        check = await asyncio.to_thread(check_rows, definition, opened.file)
        if check.problem_count:
            raise _invalid_rows(check)
        _, existing = await database.read(lambda conn: _version(conn, workspace_id, definition, check.content_digest))
        if existing is None:
            await _store_items(services, benchmark_id, definition, opened.file)
        source_sha256 = opened.sha256

    def make(conn: Connection) -> Made:
        version, existing = _version(conn, workspace_id, definition, check.content_digest)
        if existing is None:
            row = OwnBenchmarkRow(
                id=benchmark_id,
                workspace_id=workspace_id,
                slug=definition.slug,
                version=version,
                definition=definition.model_dump(mode="json", exclude_unset=True),
                definition_digest=definition.digest(check.content_digest),
                content_digest=check.content_digest,
                item_count=check.item_count,
                groups=list(check.groups),
                source_sha256=source_sha256,
                created_at=utc_now(),
            )
            if own_benchmarks.insert(conn, row):
                return _made(conn, row, is_new=True)
            version, existing = _version(conn, workspace_id, definition, check.content_digest)
        if existing is None:
            raise Problem(
                "version_taken",
                f"Another request has just made {definition.slug}@{version - 1}: repeat the request.",
                next_version=str(version),
            )
        own_benchmarks.remove_chunks(conn, benchmark_id)
        own_benchmarks.archive(conn, existing.id, None)
        return _made(conn, existing, is_new=False)

    return make


def _made(conn: Connection, row: OwnBenchmarkRow, *, is_new: bool) -> Made:
    newest = own_benchmarks.newest_live(conn, row.workspace_id, row.slug)
    return Made(manifest_of(row, default=row.version == newest), is_new)


async def _definition(services: Services, workspace_id: str, document: dict[str, Any]) -> Definition:
    definition = read_definition(document)
    if isinstance(definition.source, TracesGiven):
        await check_traces_enabled(services, workspace_id)
    if any(manifest.slug == definition.slug for manifest in services.benchmarks.shipped.all()):
        raise Problem(
            "name_taken",
            f"{definition.slug!r} is a benchmark of the catalog: choose another slug.",
            name=definition.slug,
        )
    await services.assessor.require(definition.grader)
    return definition


def _version(
    conn: Connection, workspace_id: str, definition: Definition, content_digest: str
) -> tuple[int, OwnBenchmarkRow | None]:
    """The version that a definition is or would be, and the row that it is.

    Raises:
        Problem: `version_taken`.
    """
    versions = own_benchmarks.versions(conn, workspace_id, definition.slug)
    digest = definition.digest(content_digest)
    following = max((row.version for row in versions), default=0) + 1
    same = [row for row in versions if row.definition_digest == digest]
    if definition.version is None:
        if following > LARGEST_VERSION:
            raise Problem("version_taken", f"{definition.slug} has no version left: choose another slug.")
        return (same[-1].version, same[-1]) if same else (following, None)
    wanted = int(definition.version)
    there = next((row for row in versions if row.version == wanted), None)
    if there is None or there in same:
        return wanted, there
    raise Problem(
        "version_taken",
        f"{definition.slug}@{wanted} is there with other content, and a version never changes: the next version is"
        f" {following}.",
        next_version=str(following),
    )


def _invalid_rows(check: Check) -> Problem:
    first = check.problems[0]
    place = "" if first.row is None else f"row {first.row}: "
    rest = f", and {check.problem_count - 1:,} more errors" if check.problem_count > 1 else ""
    return Problem(
        "invalid_rows",
        f"Nothing was made: {place}{first.message}{rest}. A dry run lists them.",
        problem_count=check.problem_count,
        problems=[
            {"row": each.row, "column": each.column, "code": each.code, "message": each.message}
            for each in check.problems
        ],
    )


async def _store_items(services: Services, benchmark_id: str, definition: Definition, file: BinaryIO) -> None:
    file.seek(0)
    chunks = _chunks(definition, file)
    number = 0
    while (data := await asyncio.to_thread(next, chunks, None)) is not None:
        await services.database.write(
            lambda conn, number=number, data=data: own_benchmarks.put_chunk(  # type: ignore[misc]
                conn, benchmark_id, number, data, utc_now()
            )
        )
        number += 1


def _chunks(definition: Definition, file: BinaryIO) -> Iterator[bytes]:
    chunk: list[StoredItem] = []
    characters = 0
    for _, item in read_items(definition, file, Check()):
        recorded = None if item.recorded is None else item.recorded.document()
        chunk.append((item.inputs, item.target, item.group, recorded))
        characters += sum(len(str(value)) for value in (*item.inputs.values(), *item.target.values(), recorded or ""))
        if len(chunk) >= CHUNK_ITEMS or characters >= CHUNK_CHARACTERS:
            yield own_benchmarks.pack(chunk)
            chunk, characters = [], 0
    if chunk:
        yield own_benchmarks.pack(chunk)
