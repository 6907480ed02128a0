"""Runs with their results, calls, pages of events and gateway keys."""

from typing import Any

import httpx
from evalrouter_api import models as wire
from evalrouter_api.api.runs import (
    cancel_run,
    create_gateway_key,
    create_run,
    export_run,
    get_run,
    list_calls,
    list_events,
    list_results,
    list_runs,
    resume_run,
    stream_events,
)
from evalrouter_api.types import UNSET

from evalrouter import types
from evalrouter.convert.catalog import agent_ref, benchmark_ref, model_ref
from evalrouter.convert.events import event
from evalrouter.convert.quotes import RunSpec, optional_usd, run_spec
from evalrouter.convert.request import Request
from evalrouter.money import from_microusd
from evalrouter.pages import Page, Position


def run(found: wire.Run) -> types.RunData:
    """A run."""
    return types.RunData(
        id=found.id,
        status=found.status,
        status_reason=found.status_reason,
        benchmark=benchmark_ref(found.benchmark),
        model=model_ref(found.model),
        agent=agent_ref(found.agent),
        models_served=tuple(found.models_served),
        name=found.name,
        metadata=found.metadata.to_dict(),
        quote_id=found.quote_id,
        coverage=types.Coverage(
            mode=found.coverage.mode,
            sample_count=found.coverage.sample_count,
            seed=found.coverage.seed,
            stratify=found.coverage.stratify,
            benchmark_task_count=found.coverage.benchmark_task_count,
            selected=found.coverage.selected,
            graded=found.coverage.graded,
            failed=found.coverage.failed,
            missing=found.coverage.missing,
        ),
        is_sample=found.is_sample,
        is_partial=found.is_partial,
        concurrency=found.concurrency,
        repeats=found.repeats,
        score=found.score,
        metrics={each.name: metric(each) for each in found.metrics},
        groups={each.name: _group(each) for each in found.groups},
        cap=from_microusd(found.cap_microusd),
        max_cost=optional_usd(found.max_cost_microusd),
        maximum_charge=from_microusd(found.maximum_charge_microusd),
        cost=from_microusd(found.charge_microusd),
        reserved=from_microusd(found.reserved_microusd),
        overage=from_microusd(found.overage_microusd),
        flags=tuple(found.flags),
        created_at=found.created_at,
        started_at=found.started_at,
        ended_at=found.ended_at,
        last_seq=found.last_seq,
    )


def start(spec: RunSpec) -> Request[tuple[types.RunData, bool]]:
    """A new run; the answer says whether it is one that an earlier create started."""
    body = wire.RunFromSpec(source="spec", spec=run_spec(spec))
    return Request(create_run.get_kwargs(body=body), _with_status, _created, may_fetch=True)


def start_quote(quote_id: str) -> Request[tuple[types.RunData, bool]]:
    """The run of a quote; the answer says whether it had been started before."""
    body = wire.RunFromQuote(source="quote", quote_id=quote_id)
    return Request(create_run.get_kwargs(body=body), _with_status, _created)


def read(run_id: str) -> Request[types.RunData]:
    """One run by its exact ID."""
    return Request(get_run.get_kwargs(run_id), get_run.parse_response, run)


def cancel(run_id: str) -> Request[types.RunData]:
    """The end of a run before its time."""
    return Request(cancel_run.get_kwargs(run_id), cancel_run.parse_response, run)


def resume(run_id: str) -> Request[types.RunData]:
    """The going on of a paused run."""
    return Request(resume_run.get_kwargs(run_id), resume_run.parse_response, run)


def page(position: Position, status: str | None = None) -> Request[Page[types.RunData]]:
    """A page of runs, newest first."""
    arguments = list_runs.get_kwargs(
        status=UNSET if status is None else wire.RunStatusValue(status),
        cursor=position.cursor or UNSET,
        limit=position.page_size,
    )
    return Request(arguments, list_runs.parse_response, _runs)


def results_page(run_id: str, position: Position) -> Request[Page[types.TaskResult]]:
    """A page of a run's task results."""
    arguments = list_results.get_kwargs(run_id, cursor=position.cursor or UNSET, limit=position.page_size)
    return Request(arguments, list_results.parse_response, _results)


def calls_page(run_id: str, position: Position, task_id: str | None = None) -> Request[Page[types.Call]]:
    """A page of a run's model calls, or of one task's."""
    arguments = list_calls.get_kwargs(
        run_id, task_id=task_id or UNSET, cursor=position.cursor or UNSET, limit=position.page_size
    )
    return Request(arguments, list_calls.parse_response, _calls)


def events_after(run_id: str, after: int, limit: int) -> Request[tuple[list[types.RunEvent], int, str]]:
    """Events after a number, with the newest event's number and the run's status."""
    return Request(list_events.get_kwargs(run_id, after=after, limit=limit), list_events.parse_response, _events)


def event_stream(run_id: str, after: int, of_tasks: bool = True) -> dict[str, Any]:
    """The arguments of the request that follows a run's events, or with `of_tasks=False` those of the run alone."""
    scope = UNSET if of_tasks else wire.EventScopeValue.RUN
    return stream_events.get_kwargs(run_id, after=after, scope=scope, last_event_id=str(after) if after else UNSET)


def export(run_id: str, file_format: str) -> dict[str, Any]:
    """The arguments of the request that exports a run."""
    return export_run.get_kwargs(run_id, format_=wire.ExportFormatValue(file_format))


def new_gateway_key(run_id: str) -> Request[types.GatewayKey]:
    """A new gateway key of a run."""
    return Request(create_gateway_key.get_kwargs(run_id), create_gateway_key.parse_response, _gateway_key)


def _with_status(*, response: httpx.Response) -> tuple[Any, bool]:
    return create_run.parse_response(response=response), response.status_code == 200


def _created(answer: tuple[wire.Run, bool]) -> tuple[types.RunData, bool]:
    found, reused = answer
    return run(found), reused


def metric(found: wire.Metric) -> types.Metric:
    """A metric."""
    return types.Metric(
        name=found.name,
        value=found.value,
        n=found.n,
        standard_error=found.standard_error,
        low=found.low,
        high=found.high,
        method=found.method,
    )


def _group(found: wire.GroupScore) -> types.GroupScore:
    return types.GroupScore(
        name=found.name,
        score=found.score,
        n=found.n,
        standard_error=found.standard_error,
        low=found.low,
        high=found.high,
        method=found.method,
    )


def _usage(found: wire.Usage) -> types.Usage:
    return types.Usage(
        input_tokens=found.input_tokens,
        cached_input_tokens=found.cached_input_tokens,
        cache_write_tokens=found.cache_write_tokens,
        output_tokens=found.output_tokens,
        reasoning_tokens=found.reasoning_tokens,
    )


def _result(found: wire.TaskResult) -> types.TaskResult:
    return types.TaskResult(
        task_id=found.task_id,
        item_id=found.item_id,
        index=found.index,
        repeat=found.repeat,
        group=found.group,
        status=found.status,
        inputs=found.inputs.to_dict(),
        output=found.output,
        target=found.target.to_dict(),
        score=found.score,
        correct=found.correct,
        extracted=found.extracted,
        rule=found.rule,
        details=None if found.details is None else found.details.to_dict(),
        finish_reason=found.finish_reason,
        usage=_usage(found.usage),
        charge=from_microusd(found.charge_microusd),
        latency_seconds=found.latency_seconds,
        model_served=found.model_served,
        error=None if found.error is None else types.TaskError(found.error.code, found.error.message),
        ended_at=found.ended_at,
    )


def _call(found: wire.Call) -> types.Call:
    return types.Call(
        id=found.id,
        task_id=found.task_id,
        purpose=found.purpose,
        wire=found.wire,
        streamed=found.streamed,
        model_requested=found.model_requested,
        model_served=found.model_served,
        status=found.status,
        usage=_usage(found.usage),
        usage_source=found.usage_source,
        charge=from_microusd(found.charge_microusd),
        overage=from_microusd(found.overage_microusd),
        provider_cost=optional_usd(found.provider_cost_microusd),
        tries=tuple(
            types.CallTry(
                number=each.number,
                status=each.status,
                reservation=from_microusd(each.reservation_microusd),
                charge=from_microusd(each.charge_microusd),
                http_status=each.http_status,
                error=each.error,
                started_at=each.started_at,
                ended_at=each.ended_at,
            )
            for each in found.tries
        ),
        started_at=found.started_at,
        ended_at=found.ended_at,
    )


def _gateway_key(found: wire.GatewayKey) -> types.GatewayKey:
    return types.GatewayKey(
        id=found.id, run_id=found.run_id, secret=found.secret, base_url=found.base_url, model=found.model
    )


def _runs(found: wire.RunPage) -> Page[types.RunData]:
    return Page([run(item) for item in found.items], found.next_cursor)


def _results(found: wire.TaskResultPage) -> Page[types.TaskResult]:
    return Page([_result(item) for item in found.items], found.next_cursor)


def _calls(found: wire.CallPage) -> Page[types.Call]:
    return Page([_call(item) for item in found.items], found.next_cursor)


def _events(found: wire.RunEventPage) -> tuple[list[types.RunEvent], int, str]:
    return [event(item) for item in found.items], found.last_seq, found.run_status
