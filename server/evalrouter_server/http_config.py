"""How this package's HTTP servers are set up: no signals, logs or headers of their own."""

import uvicorn
from starlette.types import ASGIApp


def http_config(app: ASGIApp, drain_seconds: int) -> uvicorn.Config:
    """The configuration of a server that lives inside another's process.

    Args:
        app: What it serves.
        drain_seconds: How long requests under way may take once it stops, in seconds.
    """
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=drain_seconds,
    )
