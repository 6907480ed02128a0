"""Benchmarks: what can be measured."""

import hashlib

from fastapi import APIRouter
from pydantic import JsonValue
from starlette.responses import Response

from evalrouter_server.auth import Reader
from evalrouter_server.catalog.benchmarks import Benchmark
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.render import render
from evalrouter_server.contract import models as contract
from evalrouter_server.grading import CustomGrader
from evalrouter_server.grading.custom import decoded_files
from evalrouter_server.own_benchmarks.definition import OwnManifest
from evalrouter_server.routes.route import (
    AuthenticatedRoute,
    Cursor,
    Limit,
    Match,
    ServicesOf,
    answer,
    not_found,
    page_of,
)
from evalrouter_server.suggestions import nearest

router = APIRouter(prefix="/v1/benchmarks", route_class=AuthenticatedRoute)


@router.get("")
async def list_benchmarks(
    principal: Reader, services: ServicesOf, match: Match = None, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """List the versions of all benchmarks, or those that a name means."""
    benchmarks = services.benchmarks
    everything = await benchmarks.all(principal.workspace_id)
    found = everything if match is None else await benchmarks.match(principal.workspace_id, match)
    suggestions = [] if match is None or found else nearest(match, {manifest.slug for manifest in everything})
    page = page_of(found, "benchmarks", cursor, limit, lambda manifest: manifest.id)
    return answer(
        contract.BenchmarkPage(
            items=[benchmark_document(manifest) for manifest in page.items],
            next_cursor=page.next_cursor,
            suggestions=suggestions,
        )
    )


@router.get("/{benchmark_id}")
async def get_benchmark(principal: Reader, services: ServicesOf, benchmark_id: contract.BenchmarkIdValue) -> Response:
    """Read a version of a benchmark."""
    manifest = await services.benchmarks.get(principal.workspace_id, benchmark_id)
    if manifest is None:
        raise not_found("benchmark", benchmark_id)
    return answer(benchmark_document(manifest))


@router.get("/{benchmark_id}/example")
async def get_benchmark_example(
    principal: Reader, services: ServicesOf, benchmark_id: contract.BenchmarkIdValue
) -> Response:
    """Read a benchmark's first row as it is asked and graded."""
    manifest = await services.benchmarks.get(principal.workspace_id, benchmark_id)
    if manifest is None:
        raise not_found("benchmark", benchmark_id)
    item, *_ = await services.items.load(manifest)
    return answer(
        contract.BenchmarkExample(
            row=item.index + 1,
            messages=_messages(manifest, item),
            target=item.target,
            group=item.group,
        )
    )


def benchmark_document(manifest: Benchmark) -> contract.Benchmark:
    """The contract's `Benchmark` of a manifest."""
    return contract.Benchmark(
        id=manifest.id,
        slug=manifest.slug,
        version=manifest.version,
        is_default=manifest.default,
        name=manifest.name,
        description=manifest.description,
        licence=manifest.licence,
        citation=manifest.citation,
        homepage=manifest.homepage,
        task_count=manifest.item_count,
        content_digest=manifest.content_digest,
        groups=list(manifest.groups),
        grader=manifest.runner if isinstance(manifest, HarnessManifest) else manifest.grader.kind,
        grader_settings=_grader_settings(manifest),
        protocol=_protocol(manifest),
        max_output_tokens=manifest.limits.max_output_tokens,
        task_seconds=manifest.limits.task_seconds,
        sources=[
            contract.BenchmarkSource(kind=source.kind, location=source.location, sha256=source.sha256)
            for source in manifest.sources
        ],
        primary_metric=manifest.metric,
        is_own=isinstance(manifest, OwnManifest),
        attempts=manifest.attempts,
    )


def _messages(manifest: Benchmark, item: Item) -> list[dict[str, JsonValue]]:
    if isinstance(manifest, HarnessManifest):
        asked = item.inputs["messages"]
        return [message for message in asked if isinstance(message, dict)] if isinstance(asked, list) else []
    return [dict(message) for message in render(manifest.protocol, item)]


def _grader_settings(manifest: Benchmark) -> dict[str, JsonValue]:
    if isinstance(manifest, HarnessManifest):
        return {}
    if isinstance(manifest.grader, CustomGrader):
        files = decoded_files(manifest.grader.files)
        return {"files": {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}}
    return manifest.grader.model_dump(mode="json", exclude={"kind"}, exclude_defaults=True)


def _protocol(manifest: Benchmark) -> contract.Protocol:
    if isinstance(manifest, HarnessManifest):
        asked = f"The messages of the task {manifest.task}, as {manifest.runner} makes them."
        return contract.Protocol(system=None, user=asked, temperature=0.0, description=manifest.description)
    protocol = manifest.protocol
    return contract.Protocol(
        system=protocol.system,
        user=protocol.user,
        temperature=protocol.temperature,
        description=protocol.description,
    )
