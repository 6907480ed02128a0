"""Files with the rows of benchmarks of one's own, sent in parts."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from sqlalchemy import Connection
from starlette.responses import Response

from evalrouter_server.auth import Runner
from evalrouter_server.clock import utc_now
from evalrouter_server.contract import models as contract
from evalrouter_server.ids import derived_id
from evalrouter_server.own_benchmarks.files import LARGEST_FILE_BYTES
from evalrouter_server.problems import Problem
from evalrouter_server.routes.route import AuthenticatedRoute, ServicesOf, not_found
from evalrouter_server.routes.writes import Outcome, WriteOf
from evalrouter_server.store import uploads
from evalrouter_server.store.uploads import UploadRow

PART_BYTES = 512 * 1024

router = APIRouter(prefix="/v1/uploads", route_class=AuthenticatedRoute)


@router.post("")
async def create_upload(
    principal: Runner, services: ServicesOf, write: WriteOf, request: contract.UploadCreate
) -> Response:
    """Begin to upload a file, or go on with it."""
    if request.byte_count > LARGEST_FILE_BYTES:
        message = f"a file may have {LARGEST_FILE_BYTES:,} bytes, not {request.byte_count:,}: split the benchmark"
        raise Problem("invalid_request", message, fields=[{"field": "body.byte_count", "message": "too large"}])
    workspace_id = principal.workspace_id
    row = UploadRow(
        id=derived_id("upload", workspace_id, request.sha256, str(request.byte_count)),
        workspace_id=workspace_id,
        sha256=request.sha256,
        byte_count=request.byte_count,
        part_bytes=min(PART_BYTES, services.settings.body_limit_bytes),
        touched_at=utc_now(),
    )

    def begin(conn: Connection) -> Outcome:
        upload = uploads.begin(conn, row)
        return Outcome(201, _document(upload, uploads.parts_received(conn, upload.id)))

    return await write.once(begin)


@router.put("/{upload_id}/parts/{part_number}")
async def put_upload_part(
    principal: Runner,
    services: ServicesOf,
    write: WriteOf,
    request: Request,
    upload_id: contract.UploadIdValue,
    part_number: Annotated[int, Path(ge=0, le=100_000)],
) -> Response:
    """Store a part of a file."""
    data = await request.body()
    upload = await services.database.read(lambda conn: uploads.get(conn, principal.workspace_id, upload_id))
    if upload is None:
        raise not_found("upload", upload_id)
    if part_number >= upload.part_count:
        message = f"the file has the parts 0 to {upload.part_count - 1}, not {part_number}"
        raise Problem("invalid_request", message, fields=[{"field": "path.part_number", "message": message}])
    if len(data) != upload.part_size(part_number):
        message = f"part {part_number} must have {upload.part_size(part_number):,} bytes, not {len(data):,}"
        raise Problem("invalid_request", message, fields=[{"field": "body", "message": message}])

    def put(conn: Connection) -> Outcome:
        uploads.put_part(conn, upload_id, part_number, data)
        return Outcome(204)

    return await write.once(put)


def _document(upload: UploadRow, received: int) -> contract.Upload:
    return contract.Upload(
        id=upload.id,
        sha256=upload.sha256,
        byte_count=upload.byte_count,
        part_bytes=upload.part_bytes,
        part_count=upload.part_count,
        parts_received=received,
    )
