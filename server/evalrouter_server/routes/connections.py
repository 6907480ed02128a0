"""Connections: model endpoints of one's own, remote agents, and agents that send traces."""

from decimal import Decimal
from urllib.parse import urlsplit

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from evalrouter_server.auth import Admin, Principal, Reader, check_traces_enabled
from evalrouter_server.catalog.models import connected_model_id
from evalrouter_server.clock import utc_now
from evalrouter_server.contract import models as contract
from evalrouter_server.ids import new_id
from evalrouter_server.problems import Problem
from evalrouter_server.quoting.price import Price
from evalrouter_server.remote_agents.address import RESERVED_HEADERS
from evalrouter_server.routes.route import AuthenticatedRoute, Cursor, Limit, Match, ServicesOf, answer, not_found
from evalrouter_server.routes.trace_documents import limits_document
from evalrouter_server.routes.writes import Outcome, WriteOf
from evalrouter_server.secrets import SecretBox, hash_secret, new_secret, shown_prefix
from evalrouter_server.store import connections
from evalrouter_server.store.connections import AgentConnectionRow, ConnectionRow, EndpointRow, TraceConnectionRow

router = APIRouter(prefix="/v1/connections", route_class=AuthenticatedRoute)


@router.get("")
async def list_connections(
    principal: Reader, services: ServicesOf, match: Match = None, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """List the workspace's connections, newest first."""
    page = await services.database.read(
        lambda conn: connections.list_page(conn, principal.workspace_id, match=match, cursor=cursor, limit=limit)
    )
    return answer(
        contract.ConnectionPage(items=[connection_document(row) for row in page.items], next_cursor=page.next_cursor)
    )


@router.post("")
async def create_connection(
    principal: Admin, services: ServicesOf, write: WriteOf, request: contract.ConnectionCreate
) -> Response:
    """Connect an OpenAI-compatible endpoint, a remote agent, or agents that send traces."""
    secret: str | None = None
    row: EndpointRow | TraceConnectionRow | AgentConnectionRow
    match request:
        case contract.TraceConnectionCreate():
            await check_traces_enabled(services, principal.workspace_id)
            secret = new_secret("er_tr_")
            row = _trace_row(principal, request, secret)
        case contract.A2aConnectionCreate():
            row = _agent_row(principal, services.box, request)
        case contract.ModelConnectionCreate():
            row = _endpoint_row(principal, services.box, request)

    def create(conn: Connection) -> Outcome:
        connections.insert(conn, row)
        made = connections.get(conn, principal.workspace_id, row.id)
        assert made is not None
        return Outcome(201, connection_document(made, secret))

    return await write.once(create)


@router.get("/{connection_id}")
async def get_connection(
    principal: Reader, services: ServicesOf, connection_id: contract.ConnectionIdValue
) -> Response:
    """Read a connection."""
    row = await services.database.read(lambda conn: connections.get(conn, principal.workspace_id, connection_id))
    if row is None:
        raise not_found("connection", connection_id)
    return answer(connection_document(row))


@router.delete("/{connection_id}")
async def delete_connection(principal: Admin, write: WriteOf, connection_id: contract.ConnectionIdValue) -> Response:
    """Remove a connection and forget its key."""

    def delete(conn: Connection) -> Outcome:
        connections.delete(conn, principal.workspace_id, connection_id, utc_now())
        return Outcome(204)

    return await write.once(delete)


@router.post("/{connection_id}/rotate")
async def rotate_connection_key(
    principal: Admin, services: ServicesOf, write: WriteOf, connection_id: contract.ConnectionIdValue
) -> Response:
    """Give a trace connection a new key and show it once."""
    await check_traces_enabled(services, principal.workspace_id)
    secret = new_secret("er_tr_")

    def rotate(conn: Connection) -> Outcome:
        row = connections.set_ingest_key(conn, principal.workspace_id, connection_id, secret)
        return Outcome(200, connection_document(row, secret))

    return await write.once(rotate)


@router.post("/{connection_id}/revoke")
async def revoke_connection_key(
    principal: Admin, write: WriteOf, connection_id: contract.ConnectionIdValue
) -> Response:
    """Revoke a trace connection's key."""

    def revoke(conn: Connection) -> Outcome:
        row = connections.revoke_ingest_key(conn, principal.workspace_id, connection_id, utc_now())
        return Outcome(200, connection_document(row))

    return await write.once(revoke)


def connection_document(row: ConnectionRow, secret: str | None = None) -> contract.Connection:
    """The contract's `Connection`.

    Args:
        row: The connection.
        secret: A trace connection's key, where it was just made.
    """
    return contract.Connection(
        id=row.id,
        name=row.name,
        kind=row.kind,
        base_url=row.base_url,
        upstream_model=row.upstream_model,
        model_id=row.model_id,
        price=None if row.price is None else contract.Price.model_validate(row.price),
        has_key=row.key_encrypted is not None or row.key_env is not None,
        key_env=row.key_env,
        trace=_trace_settings(row),
        a2a=_a2a_settings(row),
        secret=secret,
        created_at=row.created_at,
    )


def _trace_settings(row: ConnectionRow) -> contract.TraceSettings | None:
    if row.stores_content is None or row.retention_days is None or row.ingest_key_prefix is None:
        return None
    return contract.TraceSettings(
        stores_content=row.stores_content,
        retention_days=row.retention_days,
        key_prefix=row.ingest_key_prefix,
        key_revoked_at=row.ingest_key_revoked_at,
        limits=limits_document(),
    )


def _a2a_settings(row: ConnectionRow) -> contract.A2aSettings | None:
    if row.card_url is None:
        return None
    return contract.A2aSettings(card_url=row.card_url, key_header=row.key_header, origins=row.origins or [])


def _check_address(address: str, field: str = "base_url") -> None:
    """Refuse what is no address to add a path to, and a password in it, which every reader would be shown."""
    try:
        parts = urlsplit(address)
        wrong = None if parts.hostname and parts.port != 0 else "has no host, or no port, that can be called"
    except ValueError:
        wrong = "has no host, or no port, that can be called"
    else:
        if parts.username is not None or parts.password is not None:
            wrong = "holds a user or a password: leave them out, and pass a key as key or key_env"
        elif parts.query or parts.fragment:
            wrong = "has a query or a fragment, after which no path can follow: leave it out"
    if wrong is not None:
        raise Problem("invalid_request", f"The {field} {wrong}.", fields=[{"field": f"body.{field}", "message": wrong}])


def _trace_row(principal: Principal, request: contract.TraceConnectionCreate, secret: str) -> TraceConnectionRow:
    return TraceConnectionRow(
        id=new_id("conn"),
        workspace_id=principal.workspace_id,
        name=request.name,
        kind=request.kind,
        ingest_key_hash=hash_secret(secret),
        ingest_key_prefix=shown_prefix(secret),
        ingest_key_revoked_at=None,
        stores_content=request.stores_content,
        retention_days=request.retention_days,
        created_at=utc_now(),
    )


def _agent_row(principal: Principal, box: SecretBox, request: contract.A2aConnectionCreate) -> AgentConnectionRow:
    _check_one_key(request)
    _check_address(request.card_url, "card_url")
    if request.key_header is not None and request.key_header.casefold() in RESERVED_HEADERS:
        message = f"{request.key_header} is no header that can carry a key"
        raise Problem(
            "invalid_request", f"key_header: {message}.", fields=[{"field": "body.key_header", "message": message}]
        )
    return AgentConnectionRow(
        id=new_id("conn"),
        workspace_id=principal.workspace_id,
        name=request.name,
        kind=request.kind,
        card_url=request.card_url.rstrip("/"),
        key_header=request.key_header,
        origins=list(request.origins or []),
        key_encrypted=None if request.key is None else box.seal(request.key.encode()),
        key_env=request.key_env,
        created_at=utc_now(),
    )


def _check_one_key(request: contract.ModelConnectionCreate | contract.A2aConnectionCreate) -> None:
    if request.key is not None and request.key_env is not None:
        raise Problem(
            "invalid_request",
            "A connection takes its key either as key or from the variable key_env: leave one of them out.",
            fields=[{"field": "body.key_env", "message": "not together with key"}],
        )


def _endpoint_row(principal: Principal, box: SecretBox, request: contract.ModelConnectionCreate) -> EndpointRow:
    _check_one_key(request)
    _check_address(request.base_url)
    connection_id = new_id("conn")
    now = utc_now()
    return EndpointRow(
        id=connection_id,
        workspace_id=principal.workspace_id,
        name=request.name,
        kind=request.kind,
        base_url=request.base_url.rstrip("/"),
        upstream_model=request.upstream_model,
        model_id=connected_model_id(principal.workspace_id, connection_id),
        price=_price(request.pricing, version=now.date().isoformat()).model_dump(mode="json"),
        key_encrypted=None if request.key is None else box.seal(request.key.encode()),
        key_env=request.key_env,
        created_at=now,
    )


def _price(pricing: contract.FreePricing | contract.TokenPricing, version: str) -> Price:
    if isinstance(pricing, contract.FreePricing):
        nothing = Decimal(0)
        return Price(input_usd_per_mtok=nothing, output_usd_per_mtok=nothing, source="connection", version=version)
    cached = pricing.cached_input_usd_per_mtok
    return Price(
        input_usd_per_mtok=Decimal(pricing.input_usd_per_mtok),
        output_usd_per_mtok=Decimal(pricing.output_usd_per_mtok),
        cached_input_usd_per_mtok=None if cached is None else Decimal(cached),
        source="connection",
        version=version,
    )
