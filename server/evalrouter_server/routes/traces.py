"""Traces are found, read and deleted."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BeforeValidator
from pydantic_core import PydanticCustomError
from sqlalchemy import Connection
from starlette.responses import Response

from evalrouter_server.auth import Admin, Reader
from evalrouter_server.contract import models as contract
from evalrouter_server.routes.route import Cursor, Limit, ServicesOf, TracesRoute, answer, not_found
from evalrouter_server.routes.trace_documents import span_document, trace_document
from evalrouter_server.routes.writes import Outcome, WriteOf
from evalrouter_server.store import traces
from evalrouter_server.store.pages import Page
from evalrouter_server.store.traces import SpanRow, TraceFilter
from evalrouter_server.traces.tree import Placed


def _refuse_number(value: object) -> object:
    """A number would pass as seconds since 1970."""
    if isinstance(value, str) and value[4:5] != "-":
        raise PydanticCustomError("time_expected", "A time is as in 2026-01-31T12:00:00Z")
    return value


Moment = Annotated[AwareDatetime | None, BeforeValidator(_refuse_number), Query()]

router = APIRouter(prefix="/v1/traces", route_class=TracesRoute)


@router.get("")
async def list_traces(
    principal: Reader,
    services: ServicesOf,
    name: Annotated[contract.NameQuery | None, Query()] = None,
    status: Annotated[contract.SpanStatusValue | None, Query()] = None,
    connection_id: Annotated[contract.ConnectionIdValue | None, Query()] = None,
    started_from: Moment = None,
    started_before: Moment = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List the workspace's traces, the last to arrive first."""
    wanted = TraceFilter(name, status, connection_id, started_from, started_before)
    page = await services.database.read(
        lambda conn: traces.list_page(conn, principal.workspace_id, wanted, cursor=cursor, limit=limit)
    )
    return answer(contract.TracePage(items=[trace_document(row) for row in page.items], next_cursor=page.next_cursor))


@router.get("/{trace_id}")
async def get_trace(principal: Reader, services: ServicesOf, trace_id: contract.TraceIdValue) -> Response:
    """Read a trace."""
    row = await services.database.read(lambda conn: traces.get(conn, principal.workspace_id, trace_id))
    if row is None:
        raise not_found("trace", trace_id)
    return answer(trace_document(row))


@router.delete("/{trace_id}")
async def delete_trace(principal: Admin, write: WriteOf, trace_id: contract.TraceIdValue) -> Response:
    """Delete a trace."""

    def delete(conn: Connection) -> Outcome:
        traces.delete(conn, principal.workspace_id, trace_id)
        return Outcome(204)

    return await write.once(delete)


@router.get("/{trace_id}/spans")
async def list_trace_spans(
    principal: Reader,
    services: ServicesOf,
    trace_id: contract.TraceIdValue,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """Read a trace's spans in the order of the tree."""

    def read(conn: Connection) -> Page[tuple[Placed, SpanRow]] | None:
        if traces.get(conn, principal.workspace_id, trace_id) is None:
            return None
        return traces.span_page(conn, trace_id, cursor=cursor, limit=limit)

    page = await services.database.read(read)
    if page is None:
        raise not_found("trace", trace_id)
    return answer(contract.SpanPage(items=[span_document(*item) for item in page.items], next_cursor=page.next_cursor))
