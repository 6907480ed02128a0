"""From what is asked for to a frozen plan: resolve, load the benchmark's items, choose, bound every call, price."""

import asyncio
from dataclasses import dataclass

from evalrouter_server.catalog import local_model
from evalrouter_server.catalog.benchmarks import Benchmark
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.models import CatalogModel
from evalrouter_server.catalog.render import messages_of
from evalrouter_server.catalog.sampling import draw_sample, sample_order
from evalrouter_server.contract import models as contract
from evalrouter_server.problems import Problem
from evalrouter_server.quoting.plan import (
    ConcurrencyLimits,
    Coverage,
    Plan,
    PlannedBenchmark,
    PlannedCall,
    PlannedModel,
    bound_calls,
    build_plan,
    largest_sample_that_fits,
)
from evalrouter_server.quoting.price import Price
from evalrouter_server.services import Services


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan for what was asked.

    Attributes:
        spec: What was asked for.
        plan: The plan.
        largest_sample_count: The largest sample of the same seed that fits `max_cost`; None where all that was asked
            for fits.
    """

    spec: contract.RunSpec
    plan: Plan
    largest_sample_count: int | None

    @property
    def shortfall_microusd(self) -> int:
        """By how much the maximum charge is above `max_cost`, in micro-USD."""
        limit = self.spec.max_cost_microusd
        return 0 if limit is None else max(0, self.plan.maximum_charge_microusd - limit)


async def propose(services: Services, workspace_id: str, spec: contract.RunSpec, spendable_microusd: int) -> Proposal:
    """Make a plan for what is asked.

    Args:
        services: The service.
        workspace_id: Whose connections count.
        spec: What is asked for.
        spendable_microusd: What the wallet and the key's ceiling leave, in micro-USD; it bounds the concurrency.

    Raises:
        Problem: `not_found`, `unpriced_model`, `invalid_request` (the sample is larger than the benchmark),
            `sandbox_unavailable` or `data_unavailable`.
    """
    manifest = await services.benchmarks.get(workspace_id, spec.benchmark_id)
    if manifest is None:
        raise Problem(
            "not_found",
            f"There is no benchmark {spec.benchmark_id}: list the benchmarks for their IDs.",
            id=spec.benchmark_id,
        )
    model = await services.models.get(workspace_id, spec.model_id)
    if model is None:
        raise Problem(
            "not_found", f"There is no model {spec.model_id}: list the models for their IDs.", id=spec.model_id
        )
    planned = planned_model(model)
    coverage = coverage_of(manifest, spec)
    if not isinstance(manifest, HarnessManifest):
        await services.assessor.require(manifest.grader)
    items = await services.items.load(manifest)
    limits = ConcurrencyLimits(
        auto=services.settings.default_concurrency,
        gateway=services.settings.gateway_concurrency,
        adapter=local_model.CONCURRENCY if model.provider == local_model.PROVIDER else None,
    )
    return await asyncio.to_thread(_propose, manifest, items, planned, spec, coverage, limits, spendable_microusd)


def planned_model(model: CatalogModel) -> PlannedModel:
    """The model as a plan freezes it.

    Raises:
        Problem: `unpriced_model`.
    """
    if model.price is None:
        raise Problem(
            "unpriced_model",
            f"{model.reference} has no known price, so its cost cannot be bounded: connect it with a price of your own,"
            " or state that it is free.",
            model_id=model.id,
        )
    return PlannedModel(
        id=model.id,
        provider=model.provider,
        slug=model.slug,
        name=model.name,
        upstream_name=model.upstream_name,
        route=model.route,
        price=model.price,
    )


def _propose(
    manifest: Benchmark,
    items: list[Item],
    model: PlannedModel,
    spec: contract.RunSpec,
    coverage: Coverage,
    limits: ConcurrencyLimits,
    spendable_microusd: int,
) -> Proposal:
    chosen = items
    if coverage.sample_count is not None:
        chosen = draw_sample(
            manifest.reference, items, count=coverage.sample_count, seed=coverage.seed or 0, stratify=coverage.stratify
        )
    limit = spec.max_cost_microusd
    plan = build_plan(
        benchmark=PlannedBenchmark(
            id=manifest.id,
            slug=manifest.slug,
            version=manifest.version,
            name=manifest.name,
            content_digest=manifest.content_digest,
        ),
        model=model,
        coverage=coverage,
        calls=_bounded(manifest, model.price, chosen),
        limits=limits,
        repeats=spec.repeats,
        concurrency=spec.concurrency,
        budget_microusd=limit if limit is not None else spendable_microusd,
    )
    fitting = None
    if limit is not None and plan.maximum_charge_microusd > limit:
        ordered = sample_order(manifest.reference, items, coverage.seed or 0, coverage.stratify)
        fitting = largest_sample_that_fits(
            _bounded(manifest, model.price, ordered), repeats=spec.repeats, max_cost_microusd=limit
        )
    return Proposal(spec, plan, fitting)


def _bounded(manifest: Benchmark, price: Price, items: list[Item]) -> tuple[PlannedCall, ...]:
    requests = ((item.id, messages_of(manifest, item)) for item in items)
    return bound_calls(price, requests, output_tokens=manifest.limits.max_output_tokens)


def coverage_of(manifest: Benchmark, spec: contract.RunSpec) -> Coverage:
    """The coverage that is asked for.

    Raises:
        Problem: `invalid_request`: the benchmark has fewer items than the sample, or no groups to draw from.
    """
    asked = spec.coverage
    if not isinstance(asked, contract.SampleCoverage):
        return Coverage(mode="full", sample_count=None, seed=None, benchmark_task_count=manifest.item_count)
    if asked.sample_count > manifest.item_count:
        raise Problem(
            "invalid_request",
            f"{manifest.reference} has {manifest.item_count:,} items, so no sample of {asked.sample_count:,}:"
            " ask for fewer, or for full coverage.",
            fields=[{"field": "spec.coverage.sample_count", "message": f"at most {manifest.item_count}"}],
        )
    if asked.stratify is not None and not manifest.groups:
        raise Problem(
            "invalid_request",
            f"{manifest.reference} has no groups, so a sample of it cannot be stratified: leave stratify out.",
            fields=[{"field": "spec.coverage.stratify", "message": "the benchmark has no groups"}],
        )
    return Coverage(
        mode="sample",
        sample_count=asked.sample_count,
        seed=asked.seed,
        stratify=asked.stratify,
        benchmark_task_count=manifest.item_count,
    )
