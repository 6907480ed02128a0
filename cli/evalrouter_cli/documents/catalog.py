"""Documents of what can be measured: benchmarks, models with prices, connections."""

from typing import TYPE_CHECKING

from evalrouter_cli.documents.values import Document, amount, time
from evalrouter_cli.formats import plain

if TYPE_CHECKING:
    from evalrouter import Benchmark, BenchmarkCheck, BenchmarkExample, Connection, Model, Price, PriceTier


def benchmark(value: "Benchmark") -> Document:
    """One version of a benchmark."""
    return {
        "id": value.id,
        "slug": value.slug,
        "version": value.version,
        "is_default": value.is_default,
        "name": value.name,
        "description": value.description,
        "licence": value.licence,
        "citation": value.citation,
        "homepage": value.homepage,
        "task_count": value.task_count,
        "content_digest": value.content_digest,
        "groups": list(value.groups),
        "grader": value.grader,
        "grader_settings": value.grader_settings,
        "protocol": {
            "system": value.protocol.system,
            "user": value.protocol.user,
            "temperature": value.protocol.temperature,
            "description": value.protocol.description,
        },
        "max_output_tokens": value.max_output_tokens,
        "task_seconds": value.task_seconds,
        "sources": [
            {"kind": source.kind, "location": source.location, "sha256": source.sha256} for source in value.sources
        ],
        "primary_metric": value.primary_metric,
        "is_own": value.is_own,
        "attempts": value.attempts,
    }


def benchmark_example(value: "BenchmarkExample") -> Document:
    """A row as it is asked and graded."""
    return {"row": value.row, "messages": list(value.messages), "target": value.target, "group": value.group}


def benchmark_check(value: "BenchmarkCheck") -> Document:
    """What a dry run of a benchmark of one's own found."""
    return {
        "slug": value.slug,
        "version": value.version,
        "exists": value.exists,
        "item_count": value.item_count,
        "content_digest": value.content_digest,
        "groups": list(value.groups),
        "problem_count": value.problem_count,
        "problems": [
            {"row": each.row, "column": each.column, "code": each.code, "message": each.message}
            for each in value.problems
        ],
        "examples": [benchmark_example(each) for each in value.examples],
    }


def model(value: "Model") -> Document:
    """A model with its price."""
    return {
        "id": value.id,
        "slug": value.slug,
        "provider": value.provider,
        "reference": value.reference,
        "name": value.name,
        "is_makers": value.is_makers,
        "connection_id": value.connection_id,
        "price": None if value.price is None else price(value.price),
        "context_window": value.context_window,
        "callable": value.callable,
        "unavailable_reason": value.unavailable_reason,
    }


def price(value: "Price") -> Document:
    """Prices in USD per million tokens."""
    return {
        **_rates(value),
        "tiers": [{"above_input_tokens": tier.above_input_tokens, **_rates(tier)} for tier in value.tiers],
        "source": value.source,
        "version": value.version,
    }


def connection(value: "Connection") -> Document:
    """A connection; its key is never part of it, but for a trace connection's where it was just made."""
    trace, a2a = value.trace, value.a2a
    return {
        "id": value.id,
        "name": value.name,
        "kind": value.kind,
        "base_url": value.base_url,
        "upstream_model": value.upstream_model,
        "model": value.model if value.kind == "model" else None,
        "agent": value.agent if a2a is not None else None,
        "model_id": value.model_id,
        "price": None if value.price is None else price(value.price),
        "has_key": value.has_key,
        "key_env": value.key_env,
        "trace": None
        if trace is None
        else {
            "stores_content": trace.stores_content,
            "retention_days": trace.retention_days,
            "key_prefix": trace.key_prefix,
            "key_revoked_at": time(trace.key_revoked_at),
        },
        "a2a": None
        if a2a is None
        else {"card_url": a2a.card_url, "key_header": a2a.key_header, "origins": list(a2a.origins)},
        "created_at": time(value.created_at),
    }


def _rates(value: "Price | PriceTier") -> Document:
    return {
        "input_usd_per_mtok": plain(value.input),
        "cached_input_usd_per_mtok": amount(value.cached_input),
        "cache_write_usd_per_mtok": amount(value.cache_write),
        "output_usd_per_mtok": plain(value.output),
    }
