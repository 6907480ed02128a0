"""Delivery: a client leases a run's tasks, hands answers in, and never sees what is right."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from sqlalchemy import Connection
from starlette.responses import Response

from evalrouter_server import delivery
from evalrouter_server.auth import Principal, Runner
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.render import task_inputs
from evalrouter_server.contract import models as contract
from evalrouter_server.grading import RepositoryGrader, repository
from evalrouter_server.problems import Problem
from evalrouter_server.routes.route import AuthenticatedRoute, ServicesOf, not_found, services_of
from evalrouter_server.routes.writes import Outcome, WriteOf
from evalrouter_server.services import Services
from evalrouter_server.store import leases, runs
from evalrouter_server.store.leases import DeliveryKeyRow, LeaseRow
from evalrouter_server.store.runs import ENDED

LONGEST_OUTPUT = 1_000_000
"""Characters of what is kept of a submission."""


PREFIX = "/v1/leases/"
"""What the paths of a lease's steps begin with."""

BODY_BYTES = 16 * 1024**2
"""The largest body of a step: an answer of as many characters as are allowed, however JSON writes them."""


class DeliveryRoute(APIRoute):
    """A route that knows the delivery key it is called with before it reads the request's body."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler with authentication in front of it."""
        handle = super().get_route_handler()

        async def handle_authenticated(request: Request) -> Response:
            await _authenticate(request, services_of(request))
            await request.body()
            return await handle(request)

        return handle_authenticated


router = APIRouter(prefix="/v1", route_class=DeliveryRoute)
keys_router = APIRouter(prefix="/v1/runs/{run_id}/delivery-keys", route_class=AuthenticatedRoute)


async def _authenticate(request: Request, services: Services) -> None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")

    def read(connection: Connection) -> tuple[DeliveryKeyRow, str] | None:
        key = leases.authenticate(connection, secret.strip())
        run = None if key is None else runs.load(connection, key.run_id)
        return None if key is None or run is None else (key, run.workspace_id)

    found = await services.database.read(read) if scheme.casefold() == "bearer" and secret else None
    if found is None:
        raise Problem(
            "unauthenticated",
            "This request has no valid delivery key of a run that is going on: make one for the run, and pass it as"
            ' "Authorization: Bearer er_dk_...".',
        )
    key, workspace_id = found
    request.state.delivery_key = key
    request.state.principal = Principal(workspace_id, key.id, "delivery", (), has_ceiling=False)


def _key(request: Request) -> DeliveryKeyRow:
    return cast(DeliveryKeyRow, request.state.delivery_key)


def _key_of_run(request: Request, run_id: contract.RunIdValue) -> DeliveryKeyRow:
    key = _key(request)
    if key.run_id != run_id:
        raise Problem("not_found", f"The delivery key is of {key.run_id}, not of {run_id}.", id=run_id)
    return key


type Key = Annotated[DeliveryKeyRow, Depends(_key)]
type KeyOfRun = Annotated[DeliveryKeyRow, Depends(_key_of_run)]


@keys_router.post("")
async def create_delivery_key(principal: Runner, write: WriteOf, run_id: contract.RunIdValue) -> Response:
    """Make a key that can only deliver the run's tasks."""

    def create(conn: Connection) -> Outcome:
        run = runs.get(conn, principal.workspace_id, run_id)
        if run is None:
            raise not_found("run", run_id)
        if run.agent is None or run.is_remote:
            raise Problem(
                "no_agent",
                f"{run_id} has no agent that a client runs: the server works on it itself, so there is nothing to"
                " deliver.",
            )
        if run.status in ENDED:
            raise Problem("run_ended", f"{run_id} has ended ({run.status}): it has no task left to deliver.")
        made = leases.create_key(conn, run_id)
        return Outcome(201, contract.DeliveryKey(id=made.key.id, run_id=run_id, secret=made.secret))

    return await write.once(create)


@router.post("/delivery-keys/{delivery_key_id}/release")
async def release_delivery_key(
    key: Key, services: ServicesOf, write: WriteOf, delivery_key_id: contract.DeliveryKeyIdValue
) -> Response:
    """Deliver no more: what is leased goes back."""

    def release(conn: Connection) -> Outcome:
        if delivery_key_id != key.id:
            raise not_found("delivery key", delivery_key_id)
        delivery.release(conn, key)
        return Outcome(204)

    response = await write.once(release)
    services.engine.delivered(key.run_id)
    return response


@router.post("/runs/{run_id}/leases")
async def lease_tasks(
    request: Request,
    key: KeyOfRun,
    services: ServicesOf,
    write: WriteOf,
    run_id: contract.RunIdValue,
    body: contract.LeaseRequest,
) -> Response:
    """Lease tasks."""
    replayed = await write.replayed()
    if replayed is not None:
        return replayed
    inputs_of = await _inputs(services, run_id)
    base_url = f"{str(request.base_url).rstrip('/')}/gateway/v1"
    resumed = False

    def lease(conn: Connection) -> Outcome:
        nonlocal resumed
        batch = delivery.lease(conn, key, body.count)
        resumed = batch.resumed
        agent, model = batch.run.agent or {}, batch.run.model or {}
        granted = [
            contract.Lease(
                id=each.lease.id,
                run_id=run_id,
                task_id=each.lease.task_id,
                index=each.lease.position,
                repeat=each.lease.repeat,
                inputs=inputs_of(each.lease.item_id),
                gateway_key=each.gateway_key,
                gateway_base_url=base_url,
                model=model["slug"],
                task_seconds=agent["task_seconds"],
                expires_at=each.lease.expires_at,
            )
            for each in batch.granted
        ]
        document = contract.LeaseBatch(
            leases=granted,
            run_status=batch.run.status,
            status_reason=batch.run.status_reason,
            unfinished=batch.unfinished,
        )
        return Outcome(200, document)

    response = await write.once(lease)
    if resumed:
        services.engine.run_created(run_id)
    return response


@router.post("/runs/{run_id}/leases/renew")
async def renew_leases(
    key: KeyOfRun, write: WriteOf, run_id: contract.RunIdValue, body: contract.LeaseRenewalRequest
) -> Response:
    """Keep leases."""

    def renew(conn: Connection) -> Outcome:
        expires_at, over, status = delivery.renew(conn, key, body.lease_ids)
        document = contract.LeaseRenewal(
            expires_at=expires_at, ended=[_state(each) for each in over], run_status=status
        )
        return Outcome(200, document)

    return await write.once(renew)


@router.post("/leases/{lease_id}/submission")
async def submit_answer(
    key: Key, services: ServicesOf, write: WriteOf, lease_id: contract.LeaseIdValue, body: contract.Submission
) -> Response:
    """Hand in a task's answer, once."""
    output = await _output(services, key.run_id, body)
    return await write.once(lambda conn: Outcome(200, _state(delivery.submit(conn, key, lease_id, output))))


@router.post("/leases/{lease_id}/done")
async def finish_task(key: Key, services: ServicesOf, write: WriteOf, lease_id: contract.LeaseIdValue) -> Response:
    """End the work on a task, whose answer is graded next."""
    response = await write.once(lambda conn: Outcome(200, _state(delivery.finish(conn, key, lease_id))))
    services.engine.delivered(key.run_id)
    return response


@router.post("/leases/{lease_id}/fail")
async def fail_task(
    key: Key, services: ServicesOf, write: WriteOf, lease_id: contract.LeaseIdValue, body: contract.TaskFailure
) -> Response:
    """Give a task up."""

    def fail(conn: Connection) -> Outcome:
        failed = delivery.fail(conn, key, lease_id, code=body.code, message=body.message, details=body.details)
        return Outcome(200, _state(failed))

    response = await write.once(fail)
    services.engine.delivered(key.run_id)
    return response


@router.post("/leases/{lease_id}/return")
async def return_task(key: Key, services: ServicesOf, write: WriteOf, lease_id: contract.LeaseIdValue) -> Response:
    """Give a task back."""
    response = await write.once(lambda conn: Outcome(200, _state(delivery.give_back(conn, key, lease_id))))
    services.engine.delivered(key.run_id)
    return response


@router.post("/leases/{lease_id}/notes")
async def add_notes(
    key: Key, services: ServicesOf, write: WriteOf, lease_id: contract.LeaseIdValue, body: contract.TaskNotes
) -> Response:
    """Add progress notes to the run's events."""
    newest = 0

    def note(conn: Connection) -> Outcome:
        nonlocal newest
        held, newest = delivery.note(conn, key, lease_id, body.notes)
        return Outcome(200, _state(held))

    response = await write.once(note)
    if newest:
        services.engine.signals.notify(key.run_id, newest)
    return response


def _state(lease: LeaseRow) -> contract.LeaseState:
    return contract.LeaseState(id=lease.id, task_id=lease.task_id, status=lease.status, reason=lease.reason)


async def _output(services: Services, run_id: str, body: contract.Submission) -> str:
    """What is kept of a submission: its text, with the changed files where the task came with files.

    Raises:
        Problem: `invalid_request`: files are not wanted, one comes twice, or they are too large together.
    """
    run = await services.database.read(lambda conn: runs.load(conn, run_id))
    manifest = None if run is None else await services.benchmarks.load(run.benchmark["id"])
    if not isinstance(manifest, Manifest) or not isinstance(manifest.grader, RepositoryGrader):
        if body.files:
            raise _wrong_files("the tasks of this benchmark come without files")
        return body.output
    files = {each.path: each.text for each in body.files or ()}
    if len(files) < len(body.files or ()):
        raise _wrong_files("a path is there twice")
    output = repository.packed(body.output, files, body.left_out or ())
    if len(output) > LONGEST_OUTPUT:
        raise _wrong_files(f"together they have more than {LONGEST_OUTPUT:,} characters")
    return output


def _wrong_files(reason: str) -> Problem:
    return Problem(
        "invalid_request",
        f"The changed files cannot be taken: {reason}.",
        fields=[{"field": "files", "message": reason}],
    )


async def _inputs(services: Services, run_id: str) -> Callable[[str], dict[str, Any]]:
    """What an agent gets of each of a run's items: what its prompt is made of, and the prompt."""
    run = await services.database.read(lambda conn: runs.load(conn, run_id))
    manifest = None if run is None else await services.benchmarks.load(run.benchmark["id"])
    if manifest is None or isinstance(manifest, HarnessManifest):
        raise Problem("not_found", f"This server does not have the benchmark of {run_id}.", id=run_id)
    items = {item.id: item for item in await services.items.load(manifest)}
    return lambda item_id: task_inputs(manifest, items[item_id])
