"""The gateway on a loopback port of its own, for one process that this machine works with."""

import asyncio
import socket
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager, closing, contextmanager

import uvicorn
from fastapi import FastAPI

from evalrouter_server.gateway.http import GatewayRoutes


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to whoever owns the process."""
        yield


@asynccontextmanager
async def loopback(routes: GatewayRoutes) -> AsyncIterator[str]:
    """Serve the gateway; its URL holds while the context is open. Calls under way at its end go on to be settled.

    Args:
        routes: The gateway's routes.

    Yields:
        The base URL of the wires, which ends in `/v1`.
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.include_router(routes.api_router())
    config = uvicorn.Config(
        app, http="httptools", ws="none", lifespan="off", log_config=None, access_log=False, server_header=False
    )
    config.timeout_graceful_shutdown = 1
    server = _Server(config)
    with closing(socket.create_server(("127.0.0.1", 0), backlog=512)) as listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]), name="gateway on loopback")
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/gateway/v1"
        finally:
            server.should_exit = True
            await asyncio.shield(serving)
