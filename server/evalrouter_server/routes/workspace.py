"""The caller's workspace and its switches."""

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from evalrouter_server.auth import Admin, Reader
from evalrouter_server.contract import models as contract
from evalrouter_server.routes.route import AuthenticatedRoute, ServicesOf, answer
from evalrouter_server.routes.writes import Outcome, WriteOf
from evalrouter_server.store import workspaces
from evalrouter_server.store.workspaces import WorkspaceRow

router = APIRouter(prefix="/v1/workspace", route_class=AuthenticatedRoute)


@router.get("")
async def get_workspace(principal: Reader, services: ServicesOf) -> Response:
    """Read the workspace's switches."""
    return answer(_document(await services.database.read(lambda conn: workspaces.get(conn, principal.workspace_id))))


@router.patch("")
async def update_workspace(principal: Admin, write: WriteOf, request: contract.WorkspaceUpdate) -> Response:
    """Turn a switch."""

    def switch(conn: Connection) -> Outcome:
        return Outcome(200, _document(workspaces.switch_traces(conn, principal.workspace_id, request.traces_enabled)))

    return await write.once(switch)


def _document(row: WorkspaceRow) -> contract.Workspace:
    return contract.Workspace(id=row.id, name=row.name, traces_enabled=row.traces_enabled)
