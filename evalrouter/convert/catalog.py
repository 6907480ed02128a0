"""Benchmarks, models, prices and connections."""

from collections.abc import Sequence
from decimal import Decimal

from evalrouter_api import models as wire
from evalrouter_api.api.benchmarks import get_benchmark_example, list_benchmarks
from evalrouter_api.api.connections import (
    create_connection,
    delete_connection,
    list_connections,
    revoke_connection_key,
    rotate_connection_key,
)
from evalrouter_api.api.models import list_models
from evalrouter_api.types import UNSET

from evalrouter import types
from evalrouter.convert.request import Request, nothing
from evalrouter.money import format_decimal
from evalrouter.pages import Page, Position


def benchmark(found: wire.Benchmark) -> types.Benchmark:
    """A benchmark."""
    return types.Benchmark(
        id=found.id,
        slug=found.slug,
        version=found.version,
        is_default=found.is_default,
        name=found.name,
        description=found.description,
        licence=found.licence,
        citation=found.citation,
        homepage=found.homepage,
        task_count=found.task_count,
        content_digest=found.content_digest,
        groups=tuple(found.groups),
        grader=found.grader,
        grader_settings=found.grader_settings.to_dict(),
        protocol=types.Protocol(
            system=found.protocol.system,
            user=found.protocol.user,
            temperature=found.protocol.temperature,
            description=found.protocol.description,
        ),
        max_output_tokens=found.max_output_tokens,
        task_seconds=found.task_seconds,
        sources=tuple(types.BenchmarkSource(each.kind, each.location, each.sha256) for each in found.sources),
        primary_metric=found.primary_metric,
        is_own=found.is_own,
        attempts=found.attempts,
    )


def benchmark_example(found: wire.BenchmarkExample) -> types.BenchmarkExample:
    """A row as it is asked and graded."""
    return types.BenchmarkExample(
        row=found.row,
        messages=tuple(message.to_dict() for message in found.messages),
        target=found.target.to_dict(),
        group=found.group,
    )


def benchmark_ref(found: wire.BenchmarkRef) -> types.BenchmarkRef:
    """The benchmark of a quote or a run."""
    return types.BenchmarkRef(id=found.id, slug=found.slug, version=found.version, name=found.name)


def model_ref(found: wire.ModelRef | None) -> types.ModelRef | None:
    """The model of a quote or a run, if it has one."""
    if found is None:
        return None
    return types.ModelRef(id=found.id, slug=found.slug, provider=found.provider, name=found.name)


def agent_ref(found: wire.AgentRef | None) -> types.AgentRef | None:
    """The agent of a quote or a run, if it has one."""
    if found is None:
        return None
    return types.AgentRef(
        kind=found.kind,
        name=found.name,
        digest=found.digest,
        version=found.version,
        integrity=found.integrity,
        command=found.command,
        task_seconds=found.task_seconds,
        hosted=found.hosted,
    )


def price(found: wire.Price) -> types.Price:
    """A price."""
    return types.Price(
        input=Decimal(found.input_usd_per_mtok),
        cached_input=_optional(found.cached_input_usd_per_mtok),
        cache_write=_optional(found.cache_write_usd_per_mtok),
        output=Decimal(found.output_usd_per_mtok),
        tiers=tuple(
            types.PriceTier(
                above_input_tokens=tier.above_input_tokens,
                input=Decimal(tier.input_usd_per_mtok),
                cached_input=_optional(tier.cached_input_usd_per_mtok),
                cache_write=_optional(tier.cache_write_usd_per_mtok),
                output=Decimal(tier.output_usd_per_mtok),
            )
            for tier in found.tiers
        ),
        source=found.source,
        version=found.version,
    )


def model(found: wire.Model) -> types.Model:
    """A model."""
    return types.Model(
        id=found.id,
        slug=found.slug,
        provider=found.provider,
        name=found.name,
        reference=found.reference,
        is_makers=found.is_makers,
        connection_id=found.connection_id,
        price=None if found.price is None else price(found.price),
        context_window=found.context_window,
        callable=found.callable_,
        unavailable_reason=found.unavailable_reason,
    )


def connection(found: wire.Connection) -> types.Connection:
    """A connection."""
    return types.Connection(
        id=found.id,
        name=found.name,
        kind=found.kind,
        base_url=found.base_url,
        upstream_model=found.upstream_model,
        model_id=found.model_id,
        price=None if found.price is None else price(found.price),
        has_key=found.has_key,
        key_env=found.key_env,
        created_at=found.created_at,
        trace=None if found.trace is None else _trace_settings(found.trace),
        a2a=None if found.a2a is None else _a2a_settings(found.a2a),
        secret=found.secret,
    )


def _trace_settings(found: wire.TraceSettings) -> types.TraceSettings:
    return types.TraceSettings(
        stores_content=found.stores_content,
        retention_days=found.retention_days,
        key_prefix=found.key_prefix,
        key_revoked_at=found.key_revoked_at,
    )


def _a2a_settings(found: wire.A2ASettings) -> types.A2aSettings:
    return types.A2aSettings(card_url=found.card_url, key_header=found.key_header, origins=tuple(found.origins))


def benchmarks_page(position: Position, match: str | None = None) -> Request[Page[types.Benchmark]]:
    """A page of benchmarks, all or those that `match` names."""
    arguments = list_benchmarks.get_kwargs(
        match=match or UNSET, cursor=position.cursor or UNSET, limit=position.page_size
    )
    return Request(arguments, list_benchmarks.parse_response, _benchmarks)


def example(benchmark_id: str) -> Request[types.BenchmarkExample]:
    """The first row of a benchmark."""
    arguments = get_benchmark_example.get_kwargs(benchmark_id)
    return Request(arguments, get_benchmark_example.parse_response, benchmark_example, may_fetch=True)


def models_page(
    position: Position, match: str | None = None, callable_only: bool = False
) -> Request[Page[types.Model]]:
    """A page of models, all or those that `match` names."""
    arguments = list_models.get_kwargs(
        match=match or UNSET, callable_=callable_only, cursor=position.cursor or UNSET, limit=position.page_size
    )
    return Request(arguments, list_models.parse_response, _models)


def connections_page(position: Position, match: str | None = None) -> Request[Page[types.Connection]]:
    """A page of connections, all or those that `match` names."""
    arguments = list_connections.get_kwargs(
        match=match or UNSET, cursor=position.cursor or UNSET, limit=position.page_size
    )
    return Request(arguments, list_connections.parse_response, _connections)


def connect(
    *,
    name: str,
    base_url: str,
    upstream_model: str,
    prices: tuple[Decimal, Decimal, Decimal | None] | None,
    key: str | None,
    key_env: str | None,
) -> Request[types.Connection]:
    """A new connection.

    Args:
        name: Its name.
        base_url: The OpenAI-compatible root.
        upstream_model: The model's name there.
        prices: Input, output and cached input in USD per million tokens; None where it is free.
        key: Its key.
        key_env: The server's environment variable that holds its key.
    """
    pricing: wire.FreePricing | wire.TokenPricing = wire.FreePricing(type_="free")
    if prices is not None:
        given_input, given_output, cached_input = prices
        pricing = wire.TokenPricing(
            type_="per_token",
            input_usd_per_mtok=format_decimal(given_input),
            output_usd_per_mtok=format_decimal(given_output),
            cached_input_usd_per_mtok=UNSET if cached_input is None else format_decimal(cached_input),
        )
    body = wire.ModelConnectionCreate(
        name=name,
        kind="model",
        base_url=base_url,
        upstream_model=upstream_model,
        pricing=pricing,
        key=UNSET if key is None else key,
        key_env=UNSET if key_env is None else key_env,
    )
    return Request(create_connection.get_kwargs(body=body), create_connection.parse_response, connection)


def connect_agent(
    *,
    name: str,
    card_url: str,
    key: str | None,
    key_env: str | None,
    key_header: str | None,
    origins: Sequence[str],
) -> Request[types.Connection]:
    """A new connection to a remote agent.

    Args:
        name: Its name.
        card_url: The agent's card, or the address below which it is.
        key: Its key.
        key_env: The server's environment variable that holds its key.
        key_header: The header that carries the key; None: as the card says.
        origins: Origins beside the card's at which it may be called.
    """
    body = wire.A2AConnectionCreate(
        name=name,
        kind="a2a",
        card_url=card_url,
        key=UNSET if key is None else key,
        key_env=UNSET if key_env is None else key_env,
        key_header=UNSET if key_header is None else key_header,
        origins=list(origins) or UNSET,
    )
    return Request(create_connection.get_kwargs(body=body), create_connection.parse_response, connection)


def connect_traces(name: str, stores_content: bool, retention_days: int) -> Request[types.Connection]:
    """A new trace connection, whose key is in the answer.

    Args:
        name: Its name.
        stores_content: Whether inputs, outputs and error texts are stored.
        retention_days: Days after its last span that a trace is kept.
    """
    body = wire.TraceConnectionCreate(
        name=name, kind="trace", stores_content=stores_content, retention_days=retention_days
    )
    return Request(create_connection.get_kwargs(body=body), create_connection.parse_response, connection)


def rotate_key(connection_id: str) -> Request[types.Connection]:
    """A new key for a trace connection."""
    return Request(rotate_connection_key.get_kwargs(connection_id), rotate_connection_key.parse_response, connection)


def revoke_key(connection_id: str) -> Request[types.Connection]:
    """The end of a trace connection's key."""
    return Request(revoke_connection_key.get_kwargs(connection_id), revoke_connection_key.parse_response, connection)


def disconnect(connection_id: str) -> Request[None]:
    """The removal of a connection."""
    return Request(delete_connection.get_kwargs(connection_id), delete_connection.parse_response, nothing)


def _optional(amount: str | None) -> Decimal | None:
    return None if amount is None else Decimal(amount)


def _benchmarks(page: wire.BenchmarkPage) -> Page[types.Benchmark]:
    return Page([benchmark(item) for item in page.items], page.next_cursor, tuple(page.suggestions))


def _models(page: wire.ModelPage) -> Page[types.Model]:
    return Page([model(item) for item in page.items], page.next_cursor, tuple(page.suggestions))


def _connections(page: wire.ConnectionPage) -> Page[types.Connection]:
    return Page([connection(item) for item in page.items], page.next_cursor)
