"""Who a request comes from: the API key in its Authorization header, and what that key may do.

Every key may read its own workspace. `run` adds what spends (quotes, runs, gateway keys), `admin` adds connections,
keys and the wallet.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, cast

from fastapi import Depends, Request

from evalrouter_server.problems import Problem
from evalrouter_server.services import Services
from evalrouter_server.store import keys

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
            another workspace.
    """
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret:
        raise _unauthenticated()
    key = await services.database.read(lambda conn: keys.authenticate(conn, secret.strip()))
    wanted = request.headers.get(WORKSPACE_HEADER)
    if key is None or (wanted is not None and wanted != key.workspace_id):
        raise _unauthenticated()
    return Principal(
        workspace_id=key.workspace_id,
        key_id=key.id,
        key_name=key.name,
        scopes=tuple(key.scopes),
        has_ceiling=key.ceiling_microusd is not None,
    )


def _unauthenticated() -> Problem:
    return Problem("unauthenticated", 'This request has no valid API key. Pass one as "Authorization: Bearer er_...".')


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
type Runner = Annotated[Principal, _holder_of("run")]
"""A key that may spend."""
type Admin = Annotated[Principal, _holder_of("admin")]
"""A key that may manage connections, keys and the wallet."""
type KeyAdmin = Annotated[Principal, Depends(_admin_of_keys)]
"""A key that may make keys and change ceilings: one that has no ceiling itself."""
