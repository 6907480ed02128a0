"""Whether the server answers, and whom it takes the caller for."""

from fastapi import APIRouter
from starlette.responses import Response

from evalrouter_server.auth import Reader
from evalrouter_server.contract import models as contract
from evalrouter_server.ledger.bootstrap import workspace_name
from evalrouter_server.routes.route import AuthenticatedRoute, ServicesOf, answer
from evalrouter_server.services import SERVER_VERSION

open_router = APIRouter()
router = APIRouter(route_class=AuthenticatedRoute)


@open_router.get("/v1/health")
async def get_health() -> Response:
    """Say that the server is up; needs no key."""
    return answer(contract.Health(status="ok", version=SERVER_VERSION))


@router.get("/v1/whoami")
async def get_identity(principal: Reader, services: ServicesOf) -> Response:
    """Name the caller's workspace and key."""
    name = await services.database.read(lambda conn: workspace_name(conn, principal.workspace_id))
    return answer(
        contract.Identity(
            workspace_id=principal.workspace_id,
            workspace_name=name or "",
            key_id=principal.key_id,
            key_name=principal.key_name,
            scopes=list(principal.scopes),
            server_version=SERVER_VERSION,
            embedded=services.settings.embedded,
        )
    )
