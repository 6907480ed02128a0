"""Quotes and the specification of a run."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from attrs import frozen
from evalrouter_api import models as wire
from evalrouter_api.api.quotes import create_quote, get_quote
from evalrouter_api.types import UNSET, Unset

from evalrouter import types
from evalrouter.agents.agent import AgentSpec
from evalrouter.convert.catalog import agent_ref, benchmark_ref, model_ref, price
from evalrouter.convert.request import Request
from evalrouter.coverage import CoverageChoice, SampleChoice
from evalrouter.money import from_microusd, to_microusd


@frozen
class RunSpec:
    """What is to be run, with names resolved and amounts read.

    Attributes:
        benchmark_id: Exact ID.
        model_id: Exact ID; None: a remote agent brings its own.
        max_cost: USD, if limited.
        coverage: Which items; None for all.
        concurrency: Calls at once; None for the server's choice.
        repeats: How often each item is tried.
        name: The run's name.
        metadata: The run's labels.
        dedupe_key: Names the run that is meant; None for what the other values say.
        agent: Who works on the tasks; None: the model itself is asked.
        connection_id: Exact ID of a remote agent's connection.
    """

    benchmark_id: str
    model_id: str | None
    max_cost: Decimal | None
    coverage: CoverageChoice | None
    concurrency: int | None
    repeats: int
    name: str | None
    metadata: Mapping[str, str] | None
    dedupe_key: str | None
    agent: AgentSpec | None = None
    connection_id: str | None = None


def quote(found: wire.Quote) -> types.Quote:
    """A quote."""
    return types.Quote(
        id=found.id,
        created_at=found.created_at,
        expires_at=found.expires_at,
        plan=_plan(found.plan),
        maximum_charge=from_microusd(found.maximum_charge_microusd),
        max_cost=optional_usd(found.max_cost_microusd),
        within_max_cost=found.within_max_cost,
        shortfall=from_microusd(found.shortfall_microusd),
        largest_sample_count=found.largest_sample_count,
        name=found.name,
        metadata=found.metadata.to_dict(),
        run_id=found.run_id,
    )


def create(spec: RunSpec) -> Request[types.Quote]:
    """A new quote."""
    return Request(create_quote.get_kwargs(body=run_spec(spec)), create_quote.parse_response, quote, may_fetch=True)


def read(quote_id: str) -> Request[types.Quote]:
    """One quote by its exact ID."""
    return Request(get_quote.get_kwargs(quote_id), get_quote.parse_response, quote)


def run_spec(spec: RunSpec) -> wire.RunSpec:
    """The specification as it is sent."""
    return wire.RunSpec(
        benchmark_id=spec.benchmark_id,
        model_id=UNSET if spec.model_id is None else spec.model_id,
        max_cost_microusd=UNSET if spec.max_cost is None else to_microusd(spec.max_cost),
        coverage=_coverage(spec.coverage),
        concurrency=UNSET if spec.concurrency is None else spec.concurrency,
        repeats=spec.repeats,
        name=UNSET if spec.name is None else spec.name,
        metadata=UNSET if spec.metadata is None else wire.Metadata.from_dict(spec.metadata),
        dedupe_key=UNSET if spec.dedupe_key is None else spec.dedupe_key,
        agent=UNSET if spec.agent is None else _agent(spec.agent, spec.connection_id),
    )


def optional_usd(microusd: int | None) -> Decimal | None:
    """USD of an amount that may be missing."""
    return None if microusd is None else from_microusd(microusd)


def _coverage(choice: CoverageChoice | None) -> wire.FullCoverage | wire.SampleCoverage | Unset:
    match choice:
        case None:
            return UNSET
        case SampleChoice(sample_count=count, seed=seed, by_group=by_group):
            stratify: Literal["group"] | Unset = "group" if by_group else UNSET
            return wire.SampleCoverage(mode="sample", sample_count=count, seed=seed, stratify=stratify)
        case _:
            return wire.FullCoverage(mode="full")


def _agent(
    spec: AgentSpec, connection_id: str | None
) -> wire.PythonAgent | wire.LocalAgent | wire.RegistryAgent | wire.RemoteAgent:
    version = spec.version or UNSET
    aliases, seconds = list(spec.model_aliases), spec.task_seconds
    match spec.kind:
        case "remote":
            assert connection_id is not None
            return wire.RemoteAgent("remote", connection_id, seconds)
        case "python":
            return wire.PythonAgent("python", spec.name, spec.digest, version, aliases, seconds)
        case "local":
            return wire.LocalAgent(
                "local", spec.name, spec.digest, spec.command or spec.name, version, aliases, seconds
            )
        case "registry":
            integrity = wire.IntegrityValue(spec.integrity or "unverified-upstream")
            return wire.RegistryAgent(
                "registry", spec.name, spec.digest, spec.version or "unknown", integrity, aliases, seconds, spec.hosted
            )


def _plan(found: wire.Plan) -> types.Plan:
    return types.Plan(
        benchmark=benchmark_ref(found.benchmark),
        content_digest=found.content_digest,
        model=model_ref(found.model),
        agent=agent_ref(found.agent),
        price=None if found.price is None else price(found.price),
        coverage=types.CoveragePlan(
            mode=found.coverage.mode,
            sample_count=found.coverage.sample_count,
            seed=found.coverage.seed,
            stratify=found.coverage.stratify,
            benchmark_task_count=found.coverage.benchmark_task_count,
        ),
        item_ids=tuple(found.item_ids),
        repeats=found.repeats,
        concurrency=types.ConcurrencyPlan(
            requested=found.concurrency.requested,
            admitted=found.concurrency.admitted,
            reason=found.concurrency.reason,
        ),
        call_count=found.call_count,
        input_token_bound=found.input_token_bound,
        output_token_limit=found.output_token_limit,
        lost_try_allowance=found.lost_try_allowance,
        lines=tuple(
            types.PlanLine(line.label, line.detail, optional_usd(line.amount_microusd)) for line in found.lines
        ),
    )
