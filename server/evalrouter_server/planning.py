"""From what is asked for to a frozen plan: resolve, load the benchmark's items, choose, bound every call, price."""

import asyncio
from dataclasses import dataclass

from evalrouter_server.catalog import local_model
from evalrouter_server.catalog.benchmarks import Benchmark
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.models import RECORDED, CatalogModel
from evalrouter_server.catalog.render import messages_of
from evalrouter_server.catalog.sampling import draw_sample, sample_order
from evalrouter_server.contract import models as contract
from evalrouter_server.grading import JudgeGrader, LimitGrader, RepositoryGrader
from evalrouter_server.grading.judge import judge_messages
from evalrouter_server.own_benchmarks.definition import OwnManifest
from evalrouter_server.problems import Problem
from evalrouter_server.quoting.bounds import worst_case_input_tokens
from evalrouter_server.quoting.plan import (
    ConcurrencyLimits,
    Coverage,
    Plan,
    PlannedAgent,
    PlannedBenchmark,
    PlannedCall,
    PlannedJudge,
    PlannedModel,
    bound_calls,
    build_plan,
    largest_sample_that_fits,
)
from evalrouter_server.quoting.price import worst_case_microusd
from evalrouter_server.remote_agents.failures import AgentUnavailable
from evalrouter_server.services import Services

SECONDS_PER_TASK = 1800.0
"""The most time for a task of a remote agent where nothing is asked for."""

PROCESSES_AT_ONCE = 4
"""Tasks side by side of an agent that is a process for each, or somebody else's, where nothing is asked for."""


HOSTED_AT_ONCE = 8
"""The most tasks side by side of a hosted agent, which share the server's machine."""


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
            `agent_needed`, `agent_unavailable`, `sandbox_unavailable` or `data_unavailable`.
    """
    check_model_and_agent(spec)
    manifest = await services.benchmarks.get(workspace_id, spec.benchmark_id)
    if manifest is None:
        raise Problem(
            "not_found",
            f"There is no benchmark {spec.benchmark_id}: list the benchmarks for their IDs.",
            id=spec.benchmark_id,
        )
    model = None if spec.model_id is None else await services.models.get(workspace_id, spec.model_id)
    if model is None and spec.model_id is not None:
        raise Problem(
            "not_found", f"There is no model {spec.model_id}: list the models for their IDs.", id=spec.model_id
        )
    planned = None if model is None else planned_model(model)
    _check_answers(manifest, planned, spec)
    judge = await planned_judge(services, workspace_id, manifest)
    coverage = coverage_of(manifest, spec)
    if not isinstance(manifest, HarnessManifest):
        _require_agent(manifest, spec)
        if is_hosted(spec):
            await services.hosting.require()
        await services.assessor.require(manifest.grader)
    elif spec.agent is not None:
        raise Problem(
            "invalid_request",
            f"{manifest.reference} is run by {manifest.runner}, which asks the model itself, so no agent can work on"
            " it: choose another benchmark, or leave the agent out.",
            fields=[{"field": "spec.agent", "message": "the benchmark has a harness of its own"}],
        )
    agent = None if spec.agent is None else await planned_agent(services, workspace_id, spec.agent)
    items = await services.items.load(manifest)
    is_light = spec.agent is None or spec.agent.kind == "python"
    limits = ConcurrencyLimits(
        auto=services.settings.default_concurrency if is_light else PROCESSES_AT_ONCE,
        gateway=services.settings.gateway_concurrency,
        adapter=_adapter_limit(model, spec),
    )
    return await asyncio.to_thread(
        _propose, manifest, items, planned, judge, agent, spec, coverage, limits, spendable_microusd
    )


def check_model_and_agent(spec: contract.RunSpec) -> None:
    """Refuse a spec whose model and agent do not go together.

    Raises:
        Problem: `invalid_request`: there is no model, or one beside a remote agent, which brings its own.
    """
    if isinstance(spec.agent, contract.RemoteAgent):
        if spec.model_id is not None:
            raise Problem(
                "invalid_request",
                "A remote agent brings its own model, which is not called here: leave the model out.",
                fields=[{"field": "spec.model_id", "message": "not with a remote agent"}],
            )
    elif spec.model_id is None:
        raise Problem(
            "invalid_request",
            "The model is missing: name one. Only a remote agent brings its own.",
            fields=[{"field": "spec.model_id", "message": "Field required"}],
        )


async def planned_agent(
    services: Services,
    workspace_id: str,
    agent: contract.PythonAgent | contract.LocalAgent | contract.RegistryAgent | contract.RemoteAgent,
) -> PlannedAgent:
    """The agent as a plan freezes it; of a remote one the card is fetched.

    Raises:
        Problem: `not_found`: there is no such connection; `agent_unavailable`: its agent cannot be called.
    """
    if not isinstance(agent, contract.RemoteAgent):
        return PlannedAgent.model_validate(agent.model_dump(exclude_none=True))
    from evalrouter_server.remote_agents.agent import RemoteAgent  # only a remote agent needs its client

    row = await services.agents.connection(agent.connection_id)
    if row is None or row.workspace_id != workspace_id:
        raise Problem(
            "not_found",
            f"There is no connection {agent.connection_id} to a remote agent: list the connections for their IDs.",
            id=agent.connection_id,
        )
    try:
        async with RemoteAgent.connected(await services.agents.address(row.id)) as found:
            card = found.card
    except AgentUnavailable as error:
        raise Problem(
            "agent_unavailable", f"The remote agent cannot be used: {error.message}.", reason=error.code
        ) from None
    return PlannedAgent(
        kind="remote",
        name=row.name,
        digest=row.id,
        version=card.version,
        task_seconds=agent.task_seconds or SECONDS_PER_TASK,
        protocol=card.protocol,
    )


def _require_agent(manifest: Manifest, spec: contract.RunSpec) -> None:
    """Make sure that somebody can work with files where a benchmark's tasks are files.

    Raises:
        Problem: `agent_needed`.
    """
    if not isinstance(manifest.grader, RepositoryGrader):
        return
    if isinstance(spec.agent, contract.RemoteAgent):
        raise Problem(
            "agent_needed",
            f"The tasks of {manifest.reference} are files to change in a folder, which a remote agent does not get:"
            " pass an agent that runs on your machine, or choose another benchmark.",
            fields=[{"field": "spec.agent", "message": "a remote agent gets no files"}],
        )
    if spec.agent is None:
        raise Problem(
            "agent_needed",
            f"The tasks of {manifest.reference} are files to change, which a model alone cannot do: pass an agent,"
            ' such as agent="opencode", or choose another benchmark.',
            fields=[{"field": "spec.agent", "message": "the benchmark needs one"}],
        )


def _check_answers(manifest: Benchmark, model: PlannedModel | None, spec: contract.RunSpec) -> None:
    """See that answers that are to be graded as they were recorded are there, and are asked for where they must be.

    Raises:
        Problem: `invalid_request`.
    """
    has_answers = isinstance(manifest, OwnManifest) and manifest.has_answers
    if model is None or not model.is_recorded:
        if not isinstance(manifest, HarnessManifest) and isinstance(manifest.grader, LimitGrader):
            raise _mismatch("model_id", f"{manifest.reference} grades what recorded answers took, and no model's own")
        return
    if not has_answers:
        raise _mismatch("model_id", f"{manifest.reference} has no recorded answers: choose a model that is asked")
    if spec.agent is not None:
        raise _mismatch("agent", "the answers were recorded before, so there is no work for an agent")
    if spec.repeats != 1:
        raise _mismatch("repeats", "a recorded answer is graded once")


def _mismatch(field: str, message: str) -> Problem:
    return Problem(
        "invalid_request",
        f"The request is not valid: spec.{field}: {message}.",
        fields=[{"field": f"spec.{field}", "message": message}],
    )


def is_hosted(spec: contract.RunSpec) -> bool:
    """Whether the server is to run the agent."""
    return isinstance(spec.agent, contract.RegistryAgent) and bool(spec.agent.hosted)


def _adapter_limit(model: CatalogModel | None, spec: contract.RunSpec) -> int | None:
    """The most tasks side by side that the model, or the machine that hosts the agent, can take; None: no limit."""
    limits = [local_model.CONCURRENCY] if model is not None and model.provider == local_model.PROVIDER else []
    limits += [HOSTED_AT_ONCE] if is_hosted(spec) else []
    return min(limits, default=None)


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
    model: PlannedModel | None,
    judge: PlannedJudge | None,
    agent: PlannedAgent | None,
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
        calls=_bounded(manifest, model, chosen, judge),
        limits=limits,
        repeats=spec.repeats,
        concurrency=spec.concurrency,
        budget_microusd=limit if limit is not None else spendable_microusd,
        judge=judge,
        agent=agent,
    )
    fitting = None
    if limit is not None and plan.maximum_charge_microusd > limit:
        ordered = sample_order(manifest.reference, items, coverage.seed or 0, coverage.stratify)
        fitting = largest_sample_that_fits(
            _bounded(manifest, model, ordered, judge),
            model=model,
            repeats=spec.repeats,
            max_cost_microusd=limit,
            judge=judge,
        )
    return Proposal(spec, plan, fitting)


def _bounded(
    manifest: Benchmark, model: PlannedModel | None, items: list[Item], judge: PlannedJudge | None
) -> tuple[PlannedCall, ...]:
    if model is None or model.is_recorded:
        calls = tuple(
            PlannedCall(item_id=item.id, input_tokens=0, output_tokens=0, worst_case_microusd=0) for item in items
        )
    else:
        requests = ((item.id, messages_of(manifest, item)) for item in items)
        calls = bound_calls(model.price, requests, output_tokens=manifest.limits.max_output_tokens)
    if judge is None or isinstance(manifest, HarnessManifest) or not isinstance(manifest.grader, JudgeGrader):
        return calls
    grader = manifest.grader
    longest = (judge_input_bound(grader, item) for item in items)
    return tuple(
        call.model_copy(
            update={
                "judge_input_tokens": tokens,
                "judge_microusd": worst_case_microusd(judge.model.price, tokens, judge.output_token_limit),
            }
        )
        for call, tokens in zip(calls, longest, strict=True)
    )


def judge_input_bound(grader: JudgeGrader, item: Item) -> int:
    """An upper bound of the input tokens of a call of the judge, whatever the answer is."""
    messages = judge_messages(grader, inputs=item.inputs, target=item.target, answer="", again=True)
    shown = (grader.template or "{answer}").count("{answer}")
    return worst_case_input_tokens(messages) + shown * grader.answer_bytes


async def planned_judge(services: Services, workspace_id: str, manifest: Benchmark) -> PlannedJudge | None:
    """The judge that a benchmark's grader names, resolved and priced; None where it has none.

    Raises:
        Problem: `not_found` (no model has the name, or several have), `unpriced_model`, `model_unavailable`.
    """
    if isinstance(manifest, HarnessManifest) or not isinstance(manifest.grader, JudgeGrader):
        return None
    grader = manifest.grader
    found = [model for model in await services.models.match(workspace_id, grader.model) if model is not RECORDED]
    makers = [model for model in found if model.is_makers] or found
    if len(makers) != 1:
        what = "no model" if not makers else f"several models ({', '.join(model.reference for model in makers)})"
        raise Problem(
            "not_found",
            f"The judge of {manifest.reference} is named {grader.model!r}, which is {what} here: connect it, or name"
            " another in a new version.",
            name=grader.model,
        )
    (judge,) = makers
    if not judge.callable:
        raise Problem(
            "model_unavailable",
            f"The judge of {manifest.reference}, {judge.reference}, cannot be called: {judge.unavailable_reason}.",
            model_id=judge.id,
        )
    return PlannedJudge(model=planned_model(judge), output_token_limit=grader.max_output_tokens)


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
