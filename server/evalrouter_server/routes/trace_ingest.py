"""Traces come in, each with the restricted key of its connection."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from evalrouter_server.auth import Sender
from evalrouter_server.clock import utc_now
from evalrouter_server.contract import models as contract
from evalrouter_server.problems import Problem
from evalrouter_server.routes.route import SenderRoute, ServicesOf, answer
from evalrouter_server.routes.trace_documents import limits_document, receipt_document
from evalrouter_server.store import trace_ingest
from evalrouter_server.store.trace_ingest import Batch, Taken
from evalrouter_server.traces.digests import batch_digest, decode
from evalrouter_server.traces.spans import read_span

PREFIX = "/v1/trace-connections/"

router = APIRouter(prefix=f"{PREFIX}{{connection_id}}", route_class=SenderRoute)


@router.get("")
async def get_trace_destination(sender: Sender) -> Response:
    """Say what the connection takes."""
    return answer(
        contract.TraceDestination(
            connection_id=sender.id,
            workspace_id=sender.workspace_id,
            name=sender.name,
            stores_content=sender.stores_content,
            retention_days=sender.retention_days,
            limits=limits_document(),
        )
    )


@router.post("/batches")
async def ingest_trace_batch(
    sender: Sender, services: ServicesOf, request: contract.TraceBatch, http: Request
) -> Response:
    """Take spans, all of a batch or none."""
    try:
        sent: dict[str, Any] = decode(await http.body())
    except ValueError as error:
        raise Problem("invalid_request", f"The batch {request.batch_id} is not valid: {error}.", fields=[]) from None
    spans = [read_span(span, stores_content=sender.stores_content) for span in sent["spans"]]
    found = batch_digest(span.digest for span in spans)
    if found != request.digest:
        message = f"the digest of these spans is {found}"
        raise Problem(
            "invalid_request",
            f"The batch {request.batch_id} states another digest than its spans have, which is {found}: it was "
            "changed on its way, or the digest was made otherwise than the contract says.",
            fields=[{"field": "body.digest", "message": message}],
        )
    batch = Batch(request.batch_id, request.digest, spans)
    taken = await services.database.write(lambda conn: trace_ingest.ingest(conn, sender, batch, utc_now()))
    return answer(_receipt(batch, taken))


@router.post("/seals")
async def seal_trace(sender: Sender, services: ServicesOf, request: contract.TraceSeal) -> Response:
    """Close a trace, if exactly its spans are held."""
    held = await services.database.write(
        lambda conn: trace_ingest.seal(conn, sender, request.trace_id, request.span_count, request.digest, utc_now())
    )
    return answer(receipt_document(request.trace_id, held))


@router.get("/receipts/{source_trace_id}")
async def get_trace_receipt(
    sender: Sender, services: ServicesOf, source_trace_id: contract.SourceTraceIdValue
) -> Response:
    """Say what is held of a trace."""
    held = await services.database.read(lambda conn: trace_ingest.read_held(conn, sender.id, source_trace_id))
    return answer(receipt_document(source_trace_id, held))


def _receipt(batch: Batch, taken: Taken) -> contract.TraceBatchReceipt:
    return contract.TraceBatchReceipt(
        batch_id=batch.batch_id,
        received=len(batch.spans),
        inserted=taken.inserted,
        duplicates=taken.duplicates,
        late=taken.late,
        content_dropped=taken.content_dropped,
        replayed=taken.replayed,
        traces=[
            contract.TraceName(trace_id=source, server_trace_id=trace_id)
            for source, trace_id in sorted(taken.trace_ids.items())
        ],
    )
