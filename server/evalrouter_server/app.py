"""The service's ASGI application."""

from importlib import resources

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.responses import Response

from evalrouter_server.delivery import on_failure_in
from evalrouter_server.gateway.http import GatewayRoutes
from evalrouter_server.http_errors import RequestFrame, install_handlers
from evalrouter_server.routes import (
    benchmarks,
    connections,
    delivery,
    events,
    keys,
    models,
    otlp,
    own_benchmarks,
    quotes,
    runs,
    service,
    trace_ingest,
    traces,
    uploads,
    wallet,
    workspace,
)
from evalrouter_server.services import Services
from evalrouter_server.traces.limits import BATCH_BYTES


def create_app(services: Services) -> FastAPI:
    """Put the application together.

    Args:
        services: What the routes use; opening and closing them is the caller's.
    """
    app = FastAPI(title="EvalRouter", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.services = services
    app.add_middleware(
        RequestFrame,
        body_limit=services.settings.body_limit_bytes,
        body_limits={trace_ingest.PREFIX: BATCH_BYTES, delivery.PREFIX: delivery.BODY_BYTES},
    )
    gateway = GatewayRoutes(
        services.database, services.router, services.gateway, on_failure=on_failure_in(services.database)
    ).api_router()
    catalog = (benchmarks, own_benchmarks, uploads, models, connections)
    work = (quotes, runs, events, delivery, trace_ingest, otlp, traces)
    modules = (service, *catalog, *work, wallet, keys, workspace)
    # Routes are tried in order, and model calls are by far the most requests.
    routers = (gateway, service.open_router, delivery.keys_router, *(module.router for module in modules))
    for router in routers:
        app.include_router(router)
    contract = (resources.files("evalrouter_server.contract") / "openapi.yaml").read_bytes()

    @app.get("/openapi.yaml")
    async def get_contract() -> Response:
        return Response(contract, media_type="application/yaml")

    routes = [route for router in (*routers, app.router) for route in router.routes if isinstance(route, APIRoute)]
    app.state.contract_routes = routes
    install_handlers(app, routes)
    return app
