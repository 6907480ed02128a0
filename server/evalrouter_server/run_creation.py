"""Quoting and starting runs. A quote is a stored plan; starting it writes run, tasks, hold and first event at once.

Repeating a create never starts a second run, whether directly or from a quote. What names a run is the caller's key,
else a digest of what was asked for; it is unique in its workspace over all runs.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection

from evalrouter_server.auth import Principal
from evalrouter_server.catalog.benchmarks import Benchmark
from evalrouter_server.catalog.models import CatalogModel
from evalrouter_server.clock import utc_now
from evalrouter_server.contract import models as contract
from evalrouter_server.documents import quote_document
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.holds import place_hold
from evalrouter_server.ledger.wallet import read_wallet
from evalrouter_server.planning import Proposal, is_hosted, planned_judge, propose
from evalrouter_server.problems import Problem
from evalrouter_server.quoting.document import agent_document, model_document
from evalrouter_server.quoting.plan import Plan, PlannedAgent, PlannedJudge
from evalrouter_server.quoting.price import Price
from evalrouter_server.services import Services
from evalrouter_server.store import events, keys, quotes, runs, tasks
from evalrouter_server.store.quotes import QuoteRow
from evalrouter_server.store.runs import NewRun, RunRow
from evalrouter_server.store.tasks import PlannedTask


@dataclass(frozen=True, slots=True)
class Started:
    """The run that a create gives.

    Attributes:
        run: The run.
        is_new: Whether this create started it.
    """

    run: RunRow
    is_new: bool


type Start = Callable[[Connection], Started]
"""Starts the run, or finds the one that an equal create started; to be called within a write."""


def spec_digest(spec: contract.RunSpec) -> str:
    """The sha256 of what is asked for: two requests with the same digest mean the same run."""
    coverage = spec.coverage
    sample = isinstance(coverage, contract.SampleCoverage) and [
        coverage.sample_count,
        coverage.seed,
        *([coverage.stratify] if coverage.stratify else []),
    ]
    asked = {
        "benchmark_id": spec.benchmark_id,
        "model_id": spec.model_id,
        "sample": sample or None,
        "repeats": spec.repeats,
        "concurrency": spec.concurrency,
        "max_cost_microusd": spec.max_cost_microusd,
        "name": spec.name,
        "metadata": spec.metadata or {},
    }
    if spec.agent is not None:
        asked["agent"] = (
            [spec.agent.kind, spec.agent.connection_id]
            if isinstance(spec.agent, contract.RemoteAgent)
            else [spec.agent.kind, spec.agent.name, spec.agent.digest]
        )
        if is_hosted(spec):
            asked["hosted"] = True
    return hashlib.sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


async def prepare_quote(
    services: Services, principal: Principal, spec: contract.RunSpec
) -> Callable[[Connection], QuoteRow]:
    """Plan what is asked for.

    Args:
        services: The service.
        principal: The caller.
        spec: What is asked for.

    Returns:
        Stores the quote; to be called within a write.

    Raises:
        Problem: What `propose` refuses.
    """
    proposal = await propose(services, principal.workspace_id, spec, await _spendable(services, principal))
    quote = _quote_of(services, principal, proposal)

    def store(conn: Connection) -> QuoteRow:
        quotes.insert(conn, quote)
        return quote

    return store


async def prepare_run(services: Services, principal: Principal, request: contract.RunFromSpec) -> Start:
    """Plan a run from what is asked for, unless an equal create came before.

    Args:
        services: The service.
        principal: The caller.
        request: What is asked for.

    Returns:
        Starts it.

    Raises:
        Problem: What `propose` refuses, `idempotency_conflict`, `model_unavailable`.
    """

    def find(conn: Connection) -> Started | None:
        return _find(conn, principal.workspace_id, request.spec)

    earlier = await services.database.read(find)
    if earlier is not None:
        return lambda _: earlier
    if request.spec.model_id is not None:
        await _callable_model(services, principal.workspace_id, request.spec.model_id)
    proposal = await propose(services, principal.workspace_id, request.spec, await _spendable(services, principal))
    quote = _quote_of(services, principal, proposal)
    _check_within_max_cost(quote)

    def start(conn: Connection) -> Started:
        earlier = find(conn)
        if earlier is not None:
            return earlier
        quotes.insert(conn, quote)
        return _start(conn, principal, quote, proposal.plan, request.spec)

    return start


async def prepare_run_from_quote(services: Services, principal: Principal, quote_id: str) -> Start:
    """Start a quote's run, or find the one that it or an equal create started.

    Args:
        services: The service.
        principal: The caller.
        quote_id: The quote.

    Returns:
        Starts it.

    Raises:
        Problem: `not_found`, `quote_expired`, `quote_changed`, `max_cost_too_low`, `model_unavailable`,
            `agent_unavailable`.
    """
    workspace_id = principal.workspace_id

    def read(conn: Connection, lock: bool = False) -> QuoteRow:
        quote = quotes.get(conn, workspace_id, quote_id, lock=lock)
        if quote is None:
            raise Problem("not_found", f"There is no quote {quote_id} in this workspace.", id=quote_id)
        return quote

    def find(conn: Connection, quote: QuoteRow) -> Started | None:
        if quote.run_id is not None:
            return Started(_run(conn, workspace_id, quote.run_id), is_new=False)
        return _find(conn, workspace_id, spec)

    quote = await services.database.read(read)
    plan = Plan.model_validate(quote.plan)
    spec = contract.RunSpec.model_validate(quote.spec)
    if await services.database.read(lambda conn: find(conn, quote)) is None:
        _check_not_expired(quote)
        model = None if plan.model is None else await _callable_model(services, workspace_id, plan.model.id)
        if plan.agent is not None and plan.agent.is_remote:
            await _connected_agent(services, plan.agent)
        manifest = await services.benchmarks.get(workspace_id, plan.benchmark.id)
        judge = None if manifest is None else await planned_judge(services, workspace_id, manifest)
        _check_unchanged(manifest, judge, quote, plan, model)
        _check_within_max_cost(quote)

    def start(conn: Connection) -> Started:
        current = read(conn, lock=True)
        earlier = find(conn, current)
        if earlier is not None:
            return earlier
        _check_not_expired(current)
        return _start(conn, principal, current, plan, spec)

    return start


def _start(conn: Connection, principal: Principal, quote: QuoteRow, plan: Plan, spec: contract.RunSpec) -> Started:
    now = utc_now()
    new = NewRun(
        id=new_id("run"),
        workspace_id=principal.workspace_id,
        key_id=principal.key_id,
        quote_id=quote.id,
        dedupe_key=_dedupe_key(spec),
        spec_digest=spec_digest(spec),
        name=spec.name,
        metadata=spec.metadata or {},
        benchmark=plan.benchmark.model_dump(mode="json", exclude={"content_digest"}),
        model=model_document(plan),
        connection_id=_connection_of(plan),
        price=None if plan.model is None else plan.model.price.model_dump(mode="json"),
        coverage=plan.coverage.model_dump(mode="json"),
        concurrency=plan.concurrency.admitted,
        repeats=plan.repeats,
        cap_microusd=_cap(conn, principal, quote, plan),
        max_cost_microusd=quote.max_cost_microusd,
        maximum_charge_microusd=plan.maximum_charge_microusd,
        selected=plan.task_count,
        created_at=now,
        agent=agent_document(plan),
    )
    run, inserted = runs.insert(conn, new)
    if not inserted:
        return _same_meaning(run, spec_digest(spec))
    tasks.insert_tasks(
        conn, run.id, [PlannedTask(item_id, repeat) for item_id in plan.item_ids for repeat in range(plan.repeats)]
    )
    if plan.agent is not None and plan.agent.is_remote:
        runs.add_flags(conn, run.id, "external_cost")
    place_hold(conn, principal.workspace_id, principal.key_id, run.id, run.cap_microusd)
    quotes.use(conn, quote.id, run.id)
    events.append(conn, run.id, "run.created", {"cap_microusd": run.cap_microusd, "selected": run.selected}, now)
    return Started(_run(conn, principal.workspace_id, run.id), is_new=True)


def _cap(conn: Connection, principal: Principal, quote: QuoteRow, plan: Plan) -> int:
    """The most that the run may charge: its maximum, or what wallet and ceiling leave where no `max_cost` was given.

    The hold is placed next and refuses a cap that cannot be covered; here it is raised to one task's worst case, so
    that a run that could not pay for one task is refused in the same words.
    """
    maximum = plan.maximum_charge_microusd
    if quote.max_cost_microusd is not None:
        return min(quote.max_cost_microusd, maximum)
    one_task = min(call.task_microusd for call in plan.calls)
    return max(min(maximum, _spendable_now(conn, principal)), one_task)


def _spendable_now(conn: Connection, principal: Principal) -> int:
    available = read_wallet(conn, principal.workspace_id).available_microusd
    key = keys.get(conn, principal.workspace_id, principal.key_id)
    remaining = None if key is None else key.remaining_microusd
    return max(0, available if remaining is None else min(available, remaining))


async def _spendable(services: Services, principal: Principal) -> int:
    return await services.database.read(lambda conn: _spendable_now(conn, principal))


def _connection_of(plan: Plan) -> str | None:
    if plan.agent is not None and plan.agent.is_remote:
        return plan.agent.digest
    if plan.model is None:
        return None
    kind, _, place = plan.model.route.partition(":")
    return place if kind == "connection" else None


def _quote_of(services: Services, principal: Principal, proposal: Proposal) -> QuoteRow:
    now = utc_now()
    spec, plan = proposal.spec, proposal.plan
    return QuoteRow(
        id=new_id("quote"),
        workspace_id=principal.workspace_id,
        key_id=principal.key_id,
        spec=spec.model_dump(mode="json", exclude_none=True),
        plan=plan.model_dump(mode="json"),
        maximum_charge_microusd=plan.maximum_charge_microusd,
        max_cost_microusd=spec.max_cost_microusd,
        within_max_cost=proposal.shortfall_microusd == 0,
        shortfall_microusd=proposal.shortfall_microusd,
        largest_sample_count=proposal.largest_sample_count,
        run_id=None,
        created_at=now,
        expires_at=now + timedelta(seconds=services.settings.quote_seconds),
    )


def _dedupe_key(spec: contract.RunSpec) -> str:
    """What names the run that is meant."""
    return f"spec:{spec_digest(spec)}" if spec.dedupe_key is None else f"key:{spec.dedupe_key}"


def _find(conn: Connection, workspace_id: str, spec: contract.RunSpec) -> Started | None:
    """The run that an equal create started; None where there is none."""
    run = runs.find_by_dedupe_key(conn, workspace_id, _dedupe_key(spec))
    return None if run is None else _same_meaning(run, spec_digest(spec))


def _same_meaning(run: RunRow, digest: str) -> Started:
    if run.spec_digest != digest:
        raise Problem(
            "idempotency_conflict",
            f"The key {run.dedupe_key.partition(':')[2]!r} names {run.id}, which was asked for with other arguments:"
            " use another key, or the same arguments.",
            run_id=run.id,
        )
    return Started(run, is_new=False)


async def _callable_model(services: Services, workspace_id: str, model_id: str) -> CatalogModel:
    model = await services.models.get(workspace_id, model_id)
    if model is None:
        raise Problem("not_found", f"There is no model {model_id}: list the models for their IDs.", id=model_id)
    if not model.callable:
        raise Problem(
            "model_unavailable", f"{model.reference} cannot be called: {model.unavailable_reason}.", model_id=model.id
        )
    return model


async def _connected_agent(services: Services, agent: PlannedAgent) -> None:
    """Make sure that a remote agent's connection is still there.

    Raises:
        Problem: `agent_unavailable`.
    """
    if await services.agents.connection(agent.digest) is None:
        raise Problem(
            "agent_unavailable",
            f"The connection of the remote agent {agent.name} was deleted: connect it anew, and ask for a new quote.",
        )


def _check_within_max_cost(quote: QuoteRow) -> None:
    if quote.within_max_cost:
        return
    fits, maximum = quote.largest_sample_count, _usd(quote.maximum_charge_microusd)
    advice = f", or take a sample of at most {fits:,}" if fits else ""
    raise Problem(
        "max_cost_too_low",
        f"The run may cost up to {maximum} USD, {_usd(quote.shortfall_microusd)} USD more than max_cost: raise max_cost"
        f" to {maximum}{advice}. Nothing was started or charged.",
        quote=quote_document(quote).model_dump(mode="json"),
        shortfall_microusd=quote.shortfall_microusd,
        largest_sample_count=fits,
    )


def _check_not_expired(quote: QuoteRow) -> None:
    if utc_now() >= quote.expires_at:
        raise Problem(
            "quote_expired",
            f"{quote.id} expired at {quote.expires_at.isoformat()}: ask for a new quote.",
            expires_at=quote.expires_at.isoformat(),
        )


def _check_unchanged(
    manifest: Benchmark | None, judge: PlannedJudge | None, quote: QuoteRow, plan: Plan, model: CatalogModel | None
) -> None:
    changed = [
        name
        for name, same in (
            (
                "price",
                _rates(None if model is None else model.price)
                == _rates(None if plan.model is None else plan.model.price),
            ),
            ("judge", _without_price_version(judge) == _without_price_version(plan.judge)),
            ("model", (model and model.upstream_name) == (plan.model and plan.model.upstream_name)),
            ("benchmark", manifest is not None and manifest.content_digest == plan.benchmark.content_digest),
        )
        if not same
    ]
    if changed:
        raise Problem(
            "quote_changed",
            f"The {' and '.join(changed)} of {quote.id} changed since it was made: ask for a new quote.",
            changed=changed,
        )


def _rates(price: Price | None) -> dict[str, Any] | None:
    return None if price is None else price.model_dump(exclude={"version"})


def _without_price_version(judge: PlannedJudge | None) -> dict[str, Any] | None:
    return None if judge is None else judge.model_dump(exclude={"model": {"price": {"version"}}})


def _run(conn: Connection, workspace_id: str, run_id: str) -> RunRow:
    run = runs.get(conn, workspace_id, run_id)
    if run is None:
        raise RuntimeError(f"{run_id} is gone: runs are never removed")
    return run


def _usd(microusd: int) -> str:
    return f"{Decimal(microusd).scaleb(-6):f}"
