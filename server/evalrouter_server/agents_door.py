"""The one way out of a hosted agent's sandbox: a Unix socket behind which are the gateway and the steps of a lease.

Tasks are leased outside, so that what is in a sandbox can work on its own task and learn of no other.
"""

import asyncio
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import uvicorn
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute

from evalrouter_server.delivery import on_failure_in
from evalrouter_server.gateway.http import GatewayRoutes
from evalrouter_server.http_config import http_config
from evalrouter_server.http_errors import RequestFrame, install_handlers
from evalrouter_server.routes import delivery
from evalrouter_server.services import Services

_CLOSED = ("/v1/runs/{run_id}/leases", "/v1/delivery-keys/{delivery_key_id}/release")
"""What only the server does for a hosted agent: to lease, and to let go."""

_FOR_EVERYONE = 0o666
"""Keys are what lets in; in the sandbox of a server that is root the agent is nobody."""


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to whoever owns the process."""
        yield


def door_app(services: Services) -> FastAPI:
    """The application behind the door.

    Args:
        services: What the routes use.
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.services = services
    app.add_middleware(
        RequestFrame, body_limit=services.settings.body_limit_bytes, body_limits={delivery.PREFIX: delivery.BODY_BYTES}
    )
    steps = APIRouter()
    steps.routes += [
        route for route in delivery.router.routes if isinstance(route, APIRoute) and route.path not in _CLOSED
    ]
    gateway = GatewayRoutes(
        services.database, services.router, services.gateway, on_failure=on_failure_in(services.database)
    ).api_router()
    app.router.routes += steps.routes
    app.include_router(gateway)
    install_handlers(app, [route for route in app.routes if isinstance(route, APIRoute)])
    return app


@asynccontextmanager
async def door(services: Services) -> AsyncIterator[Path]:
    """Open the door; it is shut at the end.

    Args:
        services: What the routes use.

    Yields:
        The socket's path.
    """
    folder = Path(tempfile.mkdtemp(prefix="evalrouter-door-"))
    path = folder / "gateway"
    server = _Server(http_config(door_app(services), drain_seconds=1))
    try:
        with closing(socket.socket(socket.AF_UNIX)) as listener:
            listener.bind(str(path))
            path.chmod(_FOR_EVERYONE)
            listener.listen(512)
            listener.setblocking(False)
            serving = asyncio.create_task(server.serve(sockets=[listener]), name="door of hosted agents")
            try:
                yield path
            finally:
                server.should_exit = True
                await asyncio.shield(serving)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
