"""Benchmarks of one's own: checked, made, archived."""

from dataclasses import asdict

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from evalrouter_server.auth import Runner
from evalrouter_server.clock import utc_now
from evalrouter_server.contract import models as contract
from evalrouter_server.own_benchmarks import creation
from evalrouter_server.own_benchmarks.creation import Checked, prepare_benchmark
from evalrouter_server.own_benchmarks.definition import OwnManifest
from evalrouter_server.problems import Problem
from evalrouter_server.routes.benchmarks import benchmark_document
from evalrouter_server.routes.route import AuthenticatedRoute, ServicesOf, answer, not_found
from evalrouter_server.routes.writes import Outcome, WriteOf
from evalrouter_server.store import own_benchmarks

router = APIRouter(prefix="/v1", route_class=AuthenticatedRoute)


@router.post("/benchmarks")
async def create_benchmark(
    principal: Runner, services: ServicesOf, write: WriteOf, request: contract.BenchmarkCreate
) -> Response:
    """Make a version of a benchmark of one's own."""
    replayed = await write.replayed()
    if replayed is not None:
        return replayed
    make = await prepare_benchmark(services, principal.workspace_id, request.manifest, request.upload_id)

    def create(conn: Connection) -> Outcome:
        made = make(conn)
        return Outcome(201 if made.is_new else 200, benchmark_document(made.manifest))

    return await write.once(create)


@router.post("/benchmark-checks")
async def check_benchmark(
    principal: Runner, services: ServicesOf, write: WriteOf, request: contract.BenchmarkCreate
) -> Response:
    """Read every row as a create would, and make nothing."""
    checked = await creation.check_benchmark(services, principal.workspace_id, request.manifest, request.upload_id)
    return answer(_check_document(checked))


@router.delete("/benchmarks/{benchmark_id}")
async def archive_benchmark(
    principal: Runner, services: ServicesOf, write: WriteOf, benchmark_id: contract.BenchmarkIdValue
) -> Response:
    """Archive a version of a benchmark of one's own."""
    manifest = await services.benchmarks.get(principal.workspace_id, benchmark_id)
    if manifest is not None and not isinstance(manifest, OwnManifest):
        raise Problem("in_use", f"{manifest.reference} is a benchmark of the catalog, which every workspace uses.")

    def archive(conn: Connection) -> Outcome:
        if manifest is None:
            raise not_found("benchmark", benchmark_id)
        own_benchmarks.archive(conn, benchmark_id, utc_now())
        return Outcome(204)

    return await write.once(archive)


def _check_document(checked: Checked) -> contract.BenchmarkCheck:
    check = checked.check
    return contract.BenchmarkCheck(
        slug=checked.definition.slug,
        version=str(checked.version),
        exists=checked.exists,
        item_count=check.item_count,
        content_digest=check.content_digest,
        groups=list(check.groups),
        problem_count=check.problem_count,
        problems=[contract.RowProblem(**asdict(problem)) for problem in check.problems],
        examples=[contract.BenchmarkExample(**asdict(example)) for example in check.examples],
    )
