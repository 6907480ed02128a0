"""Documents of runs, quotes, results, calls and events."""

from typing import TYPE_CHECKING

from evalrouter_cli.documents.catalog import price
from evalrouter_cli.documents.values import Document, amount, time
from evalrouter_cli.formats import plain

if TYPE_CHECKING:
    from evalrouter import AgentRef, Call, Metric, ModelRef, Quote, Run, RunData, RunEvent, TaskResult, Usage


def run(value: "Run") -> Document:
    """A run with its score, coverage and cost, and whether an earlier command had started it."""
    return {**run_facts(value), "reused": value.reused}


def run_facts(value: "Run | RunData") -> Document:
    """A run with its score, coverage and cost."""
    coverage = value.coverage
    return {
        "id": value.id,
        "status": value.status,
        "status_reason": value.status_reason,
        "benchmark": str(value.benchmark),
        "benchmark_id": value.benchmark.id,
        **model(value.model),
        "agent": None if value.agent is None else agent(value.agent),
        "models_served": list(value.models_served),
        "name": value.name,
        "metadata": dict(value.metadata),
        "score": value.score,
        "metrics": {name: metric(each) for name, each in value.metrics.items()},
        "groups": {
            group.name: {
                "score": group.score,
                "n": group.n,
                "standard_error": group.standard_error,
                "low": group.low,
                "high": group.high,
                "method": group.method,
            }
            for group in value.groups.values()
        },
        "is_sample": value.is_sample,
        "is_partial": value.is_partial,
        "coverage": {
            "mode": coverage.mode,
            "sample_count": coverage.sample_count,
            "seed": coverage.seed,
            "stratify": coverage.stratify,
            "benchmark_task_count": coverage.benchmark_task_count,
            "selected": coverage.selected,
            "graded": coverage.graded,
            "failed": coverage.failed,
            "missing": coverage.missing,
        },
        "repeats": value.repeats,
        "concurrency": value.concurrency,
        "flags": list(value.flags),
        "cost_usd": plain(value.cost),
        "max_cost_usd": amount(value.max_cost),
        "cap_usd": plain(value.cap),
        "maximum_charge_usd": plain(value.maximum_charge),
        "overage_usd": plain(value.overage),
        "quote_id": value.quote_id,
        "created_at": time(value.created_at),
        "started_at": time(value.started_at),
        "ended_at": time(value.ended_at),
    }


def model(value: "ModelRef | None") -> Document:
    """The model of a run or a quote; all null where a remote agent brings its own."""
    if value is None:
        return {"model": None, "model_provider": None, "model_id": None}
    return {"model": value.slug, "model_provider": value.provider, "model_id": value.id}


def agent(value: "AgentRef") -> Document:
    """The agent of a run or a quote."""
    return {
        "kind": value.kind,
        "name": value.name,
        "digest": value.digest,
        "version": value.version,
        "integrity": value.integrity,
        "command": value.command,
        "task_seconds": value.task_seconds,
    }


def metric(value: "Metric") -> Document:
    """A metric with its uncertainty, without its name."""
    return {
        "value": value.value,
        "n": value.n,
        "standard_error": value.standard_error,
        "low": value.low,
        "high": value.high,
        "method": value.method,
    }


def quote(value: "Quote") -> Document:
    """A quote with the lines of how its maximum charge comes about."""
    plan = value.plan
    return {
        "id": value.id,
        "benchmark": str(plan.benchmark),
        "benchmark_id": plan.benchmark.id,
        **model(plan.model),
        "agent": None if plan.agent is None else agent(plan.agent),
        "price": None if plan.price is None else price(plan.price),
        "coverage": {
            "mode": plan.coverage.mode,
            "sample_count": plan.coverage.sample_count,
            "seed": plan.coverage.seed,
            "stratify": plan.coverage.stratify,
            "benchmark_task_count": plan.coverage.benchmark_task_count,
        },
        "item_ids": list(plan.item_ids),
        "repeats": plan.repeats,
        "concurrency": {
            "requested": plan.concurrency.requested,
            "admitted": plan.concurrency.admitted,
            "reason": plan.concurrency.reason,
        },
        "call_count": plan.call_count,
        "input_token_bound": plan.input_token_bound,
        "output_token_limit": plan.output_token_limit,
        "lost_try_allowance": plan.lost_try_allowance,
        "lines": [
            {"label": line.label, "detail": line.detail, "amount_usd": amount(line.amount)} for line in plan.lines
        ],
        "maximum_charge_usd": plain(value.maximum_charge),
        "max_cost_usd": amount(value.max_cost),
        "within_max_cost": value.within_max_cost,
        "shortfall_usd": plain(value.shortfall),
        "largest_sample_count": value.largest_sample_count,
        "name": value.name,
        "metadata": dict(value.metadata),
        "run_id": value.run_id,
        "created_at": time(value.created_at),
        "expires_at": time(value.expires_at),
    }


def task_result(value: "TaskResult") -> Document:
    """What one task came to."""
    error = value.error
    return {
        "task_id": value.task_id,
        "item_id": value.item_id,
        "index": value.index,
        "repeat": value.repeat,
        "group": value.group,
        "status": value.status,
        "inputs": dict(value.inputs),
        "output": value.output,
        "target": dict(value.target),
        "score": value.score,
        "correct": value.correct,
        "extracted": value.extracted,
        "rule": value.rule,
        "details": None if value.details is None else dict(value.details),
        "finish_reason": value.finish_reason,
        "usage": usage(value.usage),
        "cost_usd": plain(value.charge),
        "latency_seconds": value.latency_seconds,
        "model_served": value.model_served,
        "error": None if error is None else {"code": error.code, "message": error.message},
        "ended_at": time(value.ended_at),
    }


def call(value: "Call") -> Document:
    """One model call with its tries."""
    return {
        "id": value.id,
        "task_id": value.task_id,
        "purpose": value.purpose,
        "wire": value.wire,
        "streamed": value.streamed,
        "model_requested": value.model_requested,
        "model_served": value.model_served,
        "status": value.status,
        "usage": usage(value.usage),
        "usage_source": value.usage_source,
        "cost_usd": plain(value.charge),
        "overage_usd": plain(value.overage),
        "provider_cost_usd": amount(value.provider_cost),
        "tries": [
            {
                "number": each.number,
                "status": each.status,
                "reservation_usd": plain(each.reservation),
                "cost_usd": plain(each.charge),
                "http_status": each.http_status,
                "error": each.error,
                "started_at": time(each.started_at),
                "ended_at": time(each.ended_at),
            }
            for each in value.tries
        ],
        "started_at": time(value.started_at),
        "ended_at": time(value.ended_at),
    }


def usage(value: "Usage") -> Document:
    """Tokens, in buckets that do not overlap."""
    return {
        "input_tokens": value.input_tokens,
        "cached_input_tokens": value.cached_input_tokens,
        "cache_write_tokens": value.cache_write_tokens,
        "output_tokens": value.output_tokens,
        "reasoning_tokens": value.reasoning_tokens,
    }


def event(value: "RunEvent") -> Document:
    """One event of a run."""
    return {
        "run_id": value.run_id,
        "seq": value.seq,
        "type": value.type,
        "at": time(value.at),
        "data": dict(value.data),
    }
