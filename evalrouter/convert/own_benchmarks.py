"""Benchmarks of your own, and the upload of their rows."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from attrs import frozen
from evalrouter_api import models as wire
from evalrouter_api.api.benchmarks import archive_benchmark, check_benchmark, create_benchmark
from evalrouter_api.api.uploads import create_upload, put_upload_part
from evalrouter_api.types import UNSET, File

from evalrouter import types
from evalrouter.convert.catalog import benchmark, benchmark_example
from evalrouter.convert.request import Request, nothing


@frozen
class Upload:
    """An upload that has begun.

    Attributes:
        id: Exact ID.
        part_bytes: Bytes of every part but the last.
        part_count: Parts in all.
        parts_received: How many from the first on are there.
    """

    id: str
    part_bytes: int
    part_count: int
    parts_received: int


def begin_upload(sha256: str, byte_count: int) -> Request[Upload]:
    """The beginning of an upload, or where to go on with it."""
    body = wire.UploadCreate(sha256=sha256, byte_count=byte_count)
    return Request(create_upload.get_kwargs(body=body), create_upload.parse_response, _upload)


def upload_part(upload_id: str, number: int, data: bytes) -> Request[None]:
    """A part of a file."""
    arguments = put_upload_part.get_kwargs(upload_id, number, body=File(BytesIO(data)))
    return Request({**arguments, "content": data}, put_upload_part.parse_response, nothing)


def create(manifest: Mapping[str, Any], upload_id: str | None) -> Request[types.Benchmark]:
    """A new version, or the one with the same content."""
    arguments = create_benchmark.get_kwargs(body=_body(manifest, upload_id))
    return Request(arguments, create_benchmark.parse_response, benchmark, may_fetch=True)


def check(manifest: Mapping[str, Any], upload_id: str | None) -> Request[types.BenchmarkCheck]:
    """What a create would find."""
    arguments = check_benchmark.get_kwargs(body=_body(manifest, upload_id))
    return Request(arguments, check_benchmark.parse_response, benchmark_check, may_fetch=True)


def archive(benchmark_id: str) -> Request[None]:
    """The archiving of a version."""
    return Request(archive_benchmark.get_kwargs(benchmark_id), archive_benchmark.parse_response, nothing)


def benchmark_check(found: wire.BenchmarkCheck) -> types.BenchmarkCheck:
    """What reading every row found."""
    return types.BenchmarkCheck(
        slug=found.slug,
        version=found.version,
        exists=found.exists,
        item_count=found.item_count,
        content_digest=found.content_digest,
        groups=tuple(found.groups),
        problem_count=found.problem_count,
        problems=tuple(
            types.RowProblem(row=each.row, column=each.column, code=each.code, message=each.message)
            for each in found.problems
        ),
        examples=tuple(benchmark_example(each) for each in found.examples),
    )


def _body(manifest: Mapping[str, Any], upload_id: str | None) -> wire.BenchmarkCreate:
    return wire.BenchmarkCreate(
        manifest=wire.JsonObject.from_dict(manifest), upload_id=UNSET if upload_id is None else upload_id
    )


def _upload(found: wire.Upload) -> Upload:
    return Upload(found.id, found.part_bytes, found.part_count, found.parts_received)
