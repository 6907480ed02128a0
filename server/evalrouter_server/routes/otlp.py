"""Traces come in as OpenTelemetry exporters send them, with OTLP's own answers."""

import hashlib
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from evalrouter_server.auth import Sender, authenticate_sender
from evalrouter_server.clock import utc_now
from evalrouter_server.problems import Problem
from evalrouter_server.routes.route import ServicesOf, services_of
from evalrouter_server.routes.trace_ingest import PREFIX
from evalrouter_server.store import trace_ingest
from evalrouter_server.store.trace_ingest import Batch
from evalrouter_server.traces import otlp
from evalrouter_server.traces.limits import BATCH_BYTES
from evalrouter_server.traces.spans import SpanRecord, read_span


class OtlpRoute(APIRoute):
    """A route for a trace connection's own key, which refuses as OTLP does."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler with authentication in front of it and OTLP's errors around it."""
        handle = super().get_route_handler()

        async def handle_foreign(request: Request) -> Response:
            services = services_of(request)
            try:
                request.state.sender = await authenticate_sender(request, services)
                services.trace_rates.admit(request.state.sender.id)
                return await handle(request)
            except Problem as problem:
                return _refused(request, problem)

        return handle_foreign


router = APIRouter(prefix=f"{PREFIX}{{connection_id}}/otlp", route_class=OtlpRoute)


@router.post("/v1/traces")
async def ingest_otlp_traces(sender: Sender, services: ServicesOf, request: Request) -> Response:
    """Take what can be taken of an export, and say how much cannot."""
    media_type = _media_type(request)
    try:
        encoding = request.headers.get("content-encoding", "").strip().lower()
        body = otlp.unpack(await request.body(), encoding, BATCH_BYTES)
        if body is None:
            raise Problem(
                "request_too_large",
                f"The request unpacks to more than {BATCH_BYTES:,} bytes: let the exporter send smaller batches.",
                limit_bytes=BATCH_BYTES,
            )
        found = otlp.exported(otlp.read_request(body, media_type), stores_content=sender.stores_content)
    except ValueError as error:
        raise Problem("invalid_request", f"The export cannot be read: {error}.") from None
    rejected, reason = found.rejected, found.reason
    spans: list[SpanRecord] = []
    for span in found.spans:
        try:
            spans.append(read_span(span, stores_content=sender.stores_content))
        except Problem as problem:
            rejected, reason = rejected + 1, reason or problem.message
    if spans:
        digest = hashlib.sha256(body).hexdigest()
        batch = Batch(f"otlp:{digest}", digest, spans, refuses_conflicts=False)
        try:
            taken = await services.database.write(lambda conn: trace_ingest.ingest(conn, sender, batch, utc_now()))
        except Problem as problem:
            rejected, reason = rejected + len(spans), reason or problem.message
        else:
            rejected += len(taken.conflicts)
            reason = reason or (f"{len(taken.conflicts)} spans are there with other content" if taken.conflicts else "")
    return Response(otlp.success(media_type, rejected, reason), media_type=media_type)


def _media_type(request: Request) -> str:
    """The request's encoding, which is the answer's.

    Raises:
        Problem: It is neither of OTLP's.
    """
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in (otlp.JSON, otlp.PROTOBUF):
        raise Problem(
            "invalid_request", f"Content-Type {given!r} is not one of OTLP's: send {otlp.PROTOBUF} or {otlp.JSON}."
        )
    return given


def _refused(request: Request, problem: Problem) -> Response:
    try:
        media_type = _media_type(request)
    except Problem:
        media_type = otlp.JSON
    status = 400 if problem.status == 422 else problem.status
    wait = problem.details.get("retry_after_seconds")
    headers = None if wait is None else {"Retry-After": str(wait)}
    return Response(otlp.failure(media_type, status, problem.message), status, headers, media_type)
