"""Runs: start them, follow them, stop them, and read what came of them."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from sqlalchemy import Connection
from starlette.responses import Response, StreamingResponse

from evalrouter_server.auth import Principal, Reader, Runner
from evalrouter_server.comparisons import compare_stored_runs
from evalrouter_server.contract import models as contract
from evalrouter_server.documents import call_document, result_document, run_document
from evalrouter_server.exports import MEDIA_TYPES, export
from evalrouter_server.problems import Problem
from evalrouter_server.routes.route import AuthenticatedRoute, Cursor, Limit, ServicesOf, answer, not_found
from evalrouter_server.routes.writes import Outcome, WriteOf
from evalrouter_server.run_creation import prepare_run, prepare_run_from_quote
from evalrouter_server.services import Services
from evalrouter_server.store import calls, keys, results, runs
from evalrouter_server.store.runs import ENDED, RunRow

router = APIRouter(prefix="/v1/runs", route_class=AuthenticatedRoute)

ComparedWith = Annotated[list[contract.RunIdValue], Query(alias="with", min_length=1, max_length=9)]

EXPORT_PAGE = 500
"""Results that an export reads at a time."""


@router.get("")
async def list_runs(
    principal: Reader,
    services: ServicesOf,
    status: contract.RunStatusValue | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List the workspace's runs, newest first."""
    page = await services.database.read(
        lambda conn: runs.list_page(conn, principal.workspace_id, status=status, cursor=cursor, limit=limit)
    )
    return answer(contract.RunPage(items=[run_document(run) for run in page.items], next_cursor=page.next_cursor))


@router.post("")
async def create_run(principal: Runner, services: ServicesOf, write: WriteOf, request: contract.RunCreate) -> Response:
    """Start a run, or give the one that an equal create started."""
    replayed = await write.replayed()
    if replayed is not None:
        return replayed
    if isinstance(request, contract.RunFromQuote):
        start = await prepare_run_from_quote(services, principal, request.quote_id)
    else:
        start = await prepare_run(services, principal, request)
    started_id = ""

    def create(conn: Connection) -> Outcome:
        nonlocal started_id
        started = start(conn)
        started_id = started.run.id if started.is_new else ""
        return Outcome(201 if started.is_new else 200, run_document(started.run))

    response = await write.once(create)
    if started_id:
        services.engine.run_created(started_id)
    return response


@router.get("/{run_id}")
async def get_run(principal: Reader, services: ServicesOf, run_id: contract.RunIdValue) -> Response:
    """Read a run."""
    return answer(run_document(await _run(services, principal, run_id)))


@router.post("/{run_id}/cancel")
async def cancel_run(principal: Runner, services: ServicesOf, write: WriteOf, run_id: contract.RunIdValue) -> Response:
    """Start no new call of a run; calls in flight finish."""
    replayed = await write.replayed()
    if replayed is not None:
        return replayed
    await _run(services, principal, run_id)
    await services.engine.cancel_run(run_id)
    return await _answer_with_run(services, principal, write, run_id)


@router.post("/{run_id}/resume")
async def resume_run(principal: Runner, services: ServicesOf, write: WriteOf, run_id: contract.RunIdValue) -> Response:
    """Go on with a paused run."""
    replayed = await write.replayed()
    if replayed is not None:
        return replayed
    await _run(services, principal, run_id)
    await services.engine.resume_run(run_id)
    return await _answer_with_run(services, principal, write, run_id)


@router.get("/{run_id}/results")
async def list_results(
    principal: Reader, services: ServicesOf, run_id: contract.RunIdValue, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """List a run's task results in the order of the plan."""
    await _run(services, principal, run_id)
    page = await services.database.read(lambda conn: results.list_page(conn, run_id, cursor=cursor, limit=limit))
    return answer(
        contract.TaskResultPage(items=[result_document(row) for row in page.items], next_cursor=page.next_cursor)
    )


@router.get("/{run_id}/calls")
async def list_calls(
    principal: Reader,
    services: ServicesOf,
    run_id: contract.RunIdValue,
    task_id: contract.TaskIdValue | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List a run's model calls with their tries, or those of one task, oldest first."""
    await _run(services, principal, run_id)
    page = await services.database.read(
        lambda conn: calls.list_page(conn, run_id, task_id=task_id, cursor=cursor, limit=limit)
    )
    return answer(contract.CallPage(items=[call_document(row) for row in page.items], next_cursor=page.next_cursor))


@router.get("/{run_id}/export")
async def export_run(
    principal: Reader,
    services: ServicesOf,
    run_id: contract.RunIdValue,
    form: Annotated[contract.ExportFormatValue, Query(alias="format")] = "json",
) -> Response:
    """Stream a run with all its results."""
    run = run_document(await _run(services, principal, run_id))
    measures: list[results.Measure] = []
    template = None
    if form == "html":
        template = await services.benchmarks.template_of(run.benchmark.id)
        measures = await services.database.read(lambda conn: list(results.measures(conn, run_id)))
    return StreamingResponse(
        export(form, run, _result_pages(services, run_id), measures, template),
        media_type=MEDIA_TYPES[form],
        headers={"Content-Disposition": f'attachment; filename="{run_id}.{form}"'},
    )


@router.get("/{run_id}/comparison")
async def compare_runs(
    principal: Reader, services: ServicesOf, run_id: contract.RunIdValue, others: ComparedWith
) -> Response:
    """Compare runs with this one."""
    return answer(await compare_stored_runs(services, principal.workspace_id, run_id, others))


@router.get("/{run_id}/comparison/report")
async def report_comparison(
    principal: Reader, services: ServicesOf, run_id: contract.RunIdValue, others: ComparedWith
) -> Response:
    """Compare runs with this one, as a page."""
    from evalrouter_server.reports import comparison_report  # its templates are needed by reports only

    compared = await compare_stored_runs(services, principal.workspace_id, run_id, others)
    return Response(
        await asyncio.to_thread(comparison_report, compared),
        media_type=MEDIA_TYPES["html"],
        headers={"Content-Disposition": f'attachment; filename="comparison-{run_id}.html"'},
    )


@router.post("/{run_id}/gateway-keys")
async def create_gateway_key(
    principal: Runner, request: Request, write: WriteOf, run_id: contract.RunIdValue
) -> Response:
    """Make a key that can only call the run's model."""
    base_url = f"{str(request.base_url).rstrip('/')}/gateway/v1"

    def create(conn: Connection) -> Outcome:
        run = runs.get(conn, principal.workspace_id, run_id)
        if run is None:
            raise not_found("run", run_id)
        if run.status in ENDED:
            raise Problem("run_ended", f"{run_id} has ended ({run.status}): its model cannot be called any more.")
        if run.model is None:
            raise Problem("no_model", f"{run_id} has no model that could be called: its agent brings its own.")
        made = keys.create_gateway_key(conn, run_id)
        document = contract.GatewayKey(
            id=made.key.id, run_id=run_id, secret=made.secret, base_url=base_url, model=run.model["slug"]
        )
        return Outcome(201, document)

    return await write.once(create)


async def _run(services: Services, principal: Principal, run_id: str) -> RunRow:
    run = await services.database.read(lambda conn: runs.get(conn, principal.workspace_id, run_id))
    if run is None:
        raise not_found("run", run_id)
    return run


async def _answer_with_run(services: Services, principal: Principal, write: WriteOf, run_id: str) -> Response:
    run = await _run(services, principal, run_id)
    return await write.once(lambda _: Outcome(200, run_document(run)))


async def _result_pages(services: Services, run_id: str) -> AsyncIterator[list[contract.TaskResult]]:
    position = -1
    while True:
        rows = await services.database.read(partial(results.after, run_id=run_id, position=position, limit=EXPORT_PAGE))
        if not rows:
            return
        yield [result_document(row) for row in rows]
        position = rows[-1].position
