"""Stored runs, quotes, results and calls as the contract's documents."""

from evalrouter_server.contract import models as contract
from evalrouter_server.ledger.items import is_judge_call
from evalrouter_server.quoting.document import plan_document
from evalrouter_server.quoting.plan import Plan
from evalrouter_server.store.calls import CallWithTries
from evalrouter_server.store.events import EventRow
from evalrouter_server.store.quotes import QuoteRow
from evalrouter_server.store.results import ResultRow
from evalrouter_server.store.runs import RunRow


def quote_document(quote: QuoteRow) -> contract.Quote:
    """The contract's `Quote`."""
    return contract.Quote(
        id=quote.id,
        created_at=quote.created_at,
        expires_at=quote.expires_at,
        plan=contract.Plan.model_validate(plan_document(Plan.model_validate(quote.plan))),
        maximum_charge_microusd=quote.maximum_charge_microusd,
        max_cost_microusd=quote.max_cost_microusd,
        within_max_cost=quote.within_max_cost,
        shortfall_microusd=quote.shortfall_microusd,
        largest_sample_count=quote.largest_sample_count,
        name=quote.spec.get("name"),
        metadata=quote.spec.get("metadata") or {},
        run_id=quote.run_id,
    )


def run_document(run: RunRow) -> contract.Run:
    """The contract's `Run`."""
    return contract.Run(
        id=run.id,
        status=run.status,
        status_reason=run.status_reason,
        benchmark=contract.BenchmarkRef.model_validate(run.benchmark),
        model=None if run.model is None else contract.ModelRef.model_validate(run.model),
        agent=None if run.agent is None else contract.AgentRef.model_validate({"hosted": False, **run.agent}),
        models_served=run.models_served,
        name=run.name,
        metadata=run.metadata,
        quote_id=run.quote_id,
        coverage=contract.Coverage(
            **{"stratify": None, **run.coverage},
            selected=run.selected,
            graded=run.graded,
            failed=run.failed,
            missing=run.missing,
        ),
        is_sample=run.coverage["mode"] == "sample",
        is_partial=run.graded < run.selected,
        concurrency=run.concurrency,
        repeats=run.repeats,
        score=run.score,
        metrics=[contract.Metric.model_validate(metric) for metric in run.metrics],
        groups=[contract.GroupScore.model_validate(_NO_UNCERTAINTY | group) for group in run.groups],
        cap_microusd=run.cap_microusd,
        max_cost_microusd=run.max_cost_microusd,
        maximum_charge_microusd=run.maximum_charge_microusd,
        charge_microusd=run.spent_microusd,
        reserved_microusd=run.reserved_microusd,
        overage_microusd=run.overage_microusd,
        flags=run.flags,
        created_at=run.created_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
        last_seq=run.last_seq,
    )


def result_document(result: ResultRow) -> contract.TaskResult:
    """The contract's `TaskResult`."""
    return contract.TaskResult(
        task_id=result.task_id,
        item_id=result.item_id,
        index=result.position,
        repeat=result.repeat,
        group=result.group,
        status=result.status,
        inputs=result.inputs,
        output=result.output,
        target=result.target,
        score=result.score,
        correct=result.correct,
        extracted=result.extracted,
        rule=result.rule,
        details=result.details,
        finish_reason=result.finish_reason,
        usage=contract.Usage.model_validate(result.usage),
        charge_microusd=result.charge_microusd,
        latency_seconds=result.latency_seconds,
        model_served=result.model_served,
        error=None if result.error is None else contract.TaskError.model_validate(result.error),
        ended_at=result.ended_at,
    )


def call_document(made: CallWithTries) -> contract.Call:
    """The contract's `Call`, with its tries."""
    call = made.call
    return contract.Call(
        id=call.id,
        task_id=call.task_id,
        purpose="judge" if is_judge_call(call.call_key) else "task",
        wire=call.wire,
        streamed=call.streamed,
        model_requested=call.model_requested,
        model_served=call.model_served,
        status=call.status,
        usage=contract.Usage.model_validate(call.usage or _NO_USAGE),
        usage_source=call.usage_source,
        charge_microusd=call.charge_microusd,
        overage_microusd=call.overage_microusd,
        provider_cost_microusd=call.provider_cost_microusd,
        tries=[
            contract.CallTry(
                number=attempt.number,
                status=attempt.status,
                reservation_microusd=attempt.reservation_microusd,
                charge_microusd=attempt.charge_microusd,
                http_status=attempt.http_status,
                error=attempt.error,
                started_at=attempt.started_at,
                ended_at=attempt.ended_at,
            )
            for attempt in made.tries
        ],
        started_at=call.started_at,
        ended_at=call.ended_at,
    )


def event_document(event: EventRow) -> contract.RunEvent:
    """The contract's `RunEvent`."""
    return contract.RunEvent(run_id=event.run_id, seq=event.seq, type=event.type, at=event.at, data=event.data)


_NO_USAGE = dict.fromkeys(contract.Usage.model_fields, 0)

_NO_UNCERTAINTY = dict.fromkeys(contract.GroupScore.model_fields)
"""What a run says of its groups that ended before their errors were computed."""
