"""Who a request comes from: the API key in its Authorization header, and what that key may do.

Every key may read its own workspace. `run` adds what spends (quotes, runs, gateway keys), `admin` adds connections,
keys and the wallet.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, cast

from fastapi import Depends, Request

from evalrouter_server.problems import Problem
from evalrouter_server.services import Services
from evalrouter_server.store import connections, keys, workspaces
from evalrouter_server.store.connections import TraceConnectionRow

WORKSPACE_HEADER = "EvalRouter-Workspace"

type Scope = Literal["read", "run", "admin"]


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of a request.

    Attributes:
        workspace_id: The workspace of the key; nothing of another one is ever visible.
        key_id: The key.
        key_name: Its name.
        scopes: What the key may do.
        has_ceiling: Whether what the key starts is limited.
    """

    workspace_id: str
    key_id: str
    key_name: str
    scopes: tuple[str, ...]
    has_ceiling: bool


async def authenticate(request: Request, services: Services) -> Principal:
    """Find the caller.

    Args:
        request: The request.
        services: The service.

    Raises:
        Problem: `unauthenticated`, in the same words for a missing, malformed, unknown or revoked key and for one of
            another workspace; `forbidden` for the key of a trace connection.
    """
    secret = _bearer(request)
    key = await services.database.read(lambda conn: keys.authenticate(conn, secret))
    wanted = request.headers.get(WORKSPACE_HEADER)
    if key is None and await _is_ingest_key(services, secret):
        raise Problem(
            "forbidden",
            "This is the key of a trace connection, which can only send traces to it: use an API key.",
            needed_scope="read",
        )
    if key is None or (wanted is not None and wanted != key.workspace_id):
        raise _unauthenticated()
    return Principal(
        workspace_id=key.workspace_id,
        key_id=key.id,
        key_name=key.name,
        scopes=tuple(key.scopes),
        has_ceiling=key.ceiling_microusd is not None,
    )


async def authenticate_sender(request: Request, services: Services) -> TraceConnectionRow:
    """Find the trace connection whose key a request carries, and whose path it names.

    Args:
        request: A request below `/v1/trace-connections/{connection_id}`.
        services: The service.

    Raises:
        Problem: `unauthenticated` for a missing, unknown or revoked key; `forbidden` for an API key; `not_found` for
            another connection's path; `traces_not_enabled`.
    """
    secret = _bearer(request)
    sender = await services.database.read(lambda conn: connections.find_by_ingest_key(conn, secret))
    wanted = request.headers.get(WORKSPACE_HEADER)
    if sender is None or (wanted is not None and wanted != sender.workspace_id):
        if sender is None and await services.database.read(lambda conn: keys.authenticate(conn, secret)) is not None:
            raise Problem("forbidden", "Traces are sent with the key of their connection (er_tr_...), not an API key.")
        raise Problem(
            "unauthenticated",
            'This request has no valid key of a trace connection. Pass one as "Authorization: Bearer er_tr_...".',
        )
    connection_id = str(request.path_params["connection_id"])
    if connection_id != sender.id:
        raise Problem("not_found", "The key is that of another trace connection.", id=connection_id)
    await check_traces_enabled(services, sender.workspace_id)
    return sender


async def check_traces_enabled(services: Services, workspace_id: str) -> None:
    """See that the workspace's Traces switch is on.

    Raises:
        Problem: `traces_not_enabled`.
    """
    workspace = await services.database.read(lambda conn: workspaces.get(conn, workspace_id))
    if not workspace.traces_enabled:
        raise Problem(
            "traces_not_enabled",
            f"Traces are switched off in the workspace {workspace_id}: an admin turns them on with "
            "`evalrouter traces enable`.",
        )


async def _is_ingest_key(services: Services, secret: str) -> bool:
    return await services.database.read(lambda conn: connections.find_by_ingest_key(conn, secret)) is not None


def _bearer(request: Request) -> str:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret:
        raise _unauthenticated()
    return secret.strip()


def _unauthenticated() -> Problem:
    return Problem("unauthenticated", 'This request has no valid API key. Pass one as "Authorization: Bearer er_...".')


def current_sender(request: Request) -> TraceConnectionRow:
    """The trace connection that the route has authenticated."""
    return cast(TraceConnectionRow, request.state.sender)


def current_principal(request: Request) -> Principal:
    """The caller that the route has authenticated."""
    return cast(Principal, request.state.principal)


def _check_scope(request: Request, scope: Scope) -> Principal:
    principal = current_principal(request)
    if scope not in principal.scopes:
        raise Problem(
            "forbidden",
            f"The key {principal.key_id} has the scopes {', '.join(principal.scopes)} and lacks {scope!r}:"
            " use a key that has it.",
            needed_scope=scope,
        )
    return principal


def _holder_of(scope: Scope) -> object:
    def check(request: Request) -> Principal:
        return _check_scope(request, scope)

    return Depends(check)


def _admin_of_keys(request: Request) -> Principal:
    principal = _check_scope(request, "admin")
    if principal.has_ceiling:
        raise Problem(
            "forbidden",
            f"The key {principal.key_id} has a ceiling, which it could get around with another key: use a key without"
            " one to make keys and to change ceilings.",
            needed_scope="admin",
        )
    return principal


type Reader = Annotated[Principal, Depends(current_principal)]
"""Any key of the workspace."""
type Sender = Annotated[TraceConnectionRow, Depends(current_sender)]
"""The trace connection whose own key the request carries."""
type Runner = Annotated[Principal, _holder_of("run")]
"""A key that may spend."""
type Admin = Annotated[Principal, _holder_of("admin")]
"""A key that may manage connections, keys and the wallet."""
type KeyAdmin = Annotated[Principal, Depends(_admin_of_keys)]
"""A key that may make keys and change ceilings: one that has no ceiling itself."""
