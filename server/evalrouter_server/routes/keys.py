"""API keys and their spend ceilings."""

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from evalrouter_server.auth import Admin, KeyAdmin, Reader
from evalrouter_server.contract import models as contract
from evalrouter_server.routes.route import AuthenticatedRoute, Cursor, Limit, ServicesOf, answer, not_found
from evalrouter_server.routes.writes import Outcome, WriteOf
from evalrouter_server.store import keys
from evalrouter_server.store.keys import KeyRow

router = APIRouter(prefix="/v1/keys", route_class=AuthenticatedRoute)


@router.get("")
async def list_keys(principal: Reader, services: ServicesOf, cursor: Cursor = None, limit: Limit = 50) -> Response:
    """List the workspace's keys, newest first."""
    page = await services.database.read(
        lambda conn: keys.list_page(conn, principal.workspace_id, cursor=cursor, limit=limit)
    )
    return answer(contract.KeyPage(items=[key_document(key) for key in page.items], next_cursor=page.next_cursor))


@router.post("")
async def create_key(principal: KeyAdmin, write: WriteOf, request: contract.KeyCreate) -> Response:
    """Make a key and show its secret once."""

    def create(conn: Connection) -> Outcome:
        made = keys.create(
            conn,
            principal.workspace_id,
            request.name,
            request.scopes or keys.DEFAULT_SCOPES,
            request.ceiling_microusd,
        )
        return Outcome(201, contract.KeyCreated(key=key_document(made.key), secret=made.secret))

    return await write.once(create)


@router.get("/{key_id}")
async def get_key(principal: Reader, services: ServicesOf, key_id: contract.KeyIdValue) -> Response:
    """Read a key."""
    key = await services.database.read(lambda conn: keys.get(conn, principal.workspace_id, key_id))
    if key is None:
        raise not_found("key", key_id)
    return answer(key_document(key))


@router.patch("/{key_id}")
async def update_key(
    principal: KeyAdmin, write: WriteOf, key_id: contract.KeyIdValue, request: contract.KeyUpdate
) -> Response:
    """Change a key's spend ceiling."""

    def update(conn: Connection) -> Outcome:
        return Outcome(
            200, key_document(keys.set_ceiling(conn, principal.workspace_id, key_id, request.ceiling_microusd))
        )

    return await write.once(update)


@router.delete("/{key_id}")
async def revoke_key(principal: Admin, write: WriteOf, key_id: contract.KeyIdValue) -> Response:
    """Revoke a key."""

    def revoke(conn: Connection) -> Outcome:
        keys.revoke(conn, principal.workspace_id, key_id)
        return Outcome(204)

    return await write.once(revoke)


def key_document(key: KeyRow) -> contract.Key:
    """The contract's `Key`, without the secret."""
    return contract.Key(
        id=key.id,
        name=key.name,
        prefix=key.prefix,
        scopes=key.scopes,
        ceiling_microusd=key.ceiling_microusd,
        committed_microusd=key.committed_microusd,
        remaining_microusd=key.remaining_microusd,
        created_at=key.created_at,
        revoked_at=key.revoked_at,
    )
