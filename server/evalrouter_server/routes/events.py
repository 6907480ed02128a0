"""A run's events: by the page, or as a stream that can be resumed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query
from sqlalchemy import Connection
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from evalrouter_server.auth import Reader
from evalrouter_server.contract import models as contract
from evalrouter_server.documents import event_document
from evalrouter_server.routes.route import AuthenticatedRoute, Limit, ServicesOf, answer, not_found
from evalrouter_server.services import Services
from evalrouter_server.store import events, runs
from evalrouter_server.store.runs import ENDED, RunRow

router = APIRouter(prefix="/v1/runs/{run_id}/events", route_class=AuthenticatedRoute)

SECONDS_BETWEEN_COMMENTS = 10
"""How often a stream says that it is alive."""

SECONDS_BETWEEN_POLLS = 1.0
"""How long a stream goes without asking the database, whose events another process may have written."""

SECONDS_TO_GATHER = 0.02
"""How long a stream waits for more news once there is some, since tasks that end together tell of it one by one."""

STREAM_PAGE = 200
"""Events that a stream reads at a time."""

LARGEST_SEQ = 2**53 - 1

After = Annotated[int, Query(ge=0, le=LARGEST_SEQ)]


@router.get("")
async def list_events(
    principal: Reader, services: ServicesOf, run_id: contract.RunIdValue, after: After = 0, limit: Limit = 50
) -> Response:
    """List the events after a number, in order."""
    run, page = await _read(services, principal.workspace_id, run_id, after, limit)
    return answer(
        contract.RunEventPage(
            items=[event_document(event) for event in page], last_seq=run.last_seq, run_status=run.status
        )
    )


@router.get("/stream")
async def stream_events(
    principal: Reader,
    services: ServicesOf,
    run_id: contract.RunIdValue,
    last_event_id: Annotated[str, Header(max_length=20, pattern="^[0-9]*$")] = "",
    after: After = 0,
    scope: contract.EventScopeValue = "all",
) -> Response:
    """Follow a run's events until it ends or pauses."""
    start = min(int(last_event_id), LARGEST_SEQ) if last_event_id else after
    await _read(services, principal.workspace_id, run_id, start, 1)
    return EventSourceResponse(
        _follow(services, principal.workspace_id, run_id, start, of_tasks=scope == "all"),
        ping=SECONDS_BETWEEN_COMMENTS,
        ping_message_factory=lambda: ServerSentEvent(comment="alive"),
    )


async def _follow(
    services: Services, workspace_id: str, run_id: str, after: int, *, of_tasks: bool
) -> AsyncIterator[ServerSentEvent]:
    while not services.closing.is_set():
        run, page = await _read(services, workspace_id, run_id, after, STREAM_PAGE, of_tasks=of_tasks)
        for event in page:
            after = event.seq
            yield ServerSentEvent(id=str(event.seq), event=event.type, data=event_document(event).model_dump_json())
        if not of_tasks and len(page) < STREAM_PAGE:
            after = max(after, run.last_seq)
        if after >= run.last_seq:
            if run.status in ENDED or run.status == "paused":
                return
            await _wait_for_news(services, run_id, after)
            await asyncio.sleep(SECONDS_TO_GATHER)


async def _wait_for_news(services: Services, run_id: str, after: int) -> None:
    """Return once there may be a newer event, or the server stops."""
    waits = [
        asyncio.ensure_future(services.engine.signals.wait(run_id, after, SECONDS_BETWEEN_POLLS)),
        asyncio.ensure_future(services.closing.wait()),
    ]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


async def _read(
    services: Services, workspace_id: str, run_id: str, after: int, limit: int, *, of_tasks: bool = True
) -> tuple[RunRow, list[events.EventRow]]:
    def read(conn: Connection) -> tuple[RunRow, list[events.EventRow]]:
        run = runs.get(conn, workspace_id, run_id)
        if run is None:
            raise not_found("run", run_id)
        return run, events.after(conn, run_id, after, limit, of_tasks=of_tasks)

    return await services.database.read(read)
