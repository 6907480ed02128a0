"""The service's ASGI application."""

from importlib import resources

from fastapi import FastAPI
from starlette.responses import Response

from evalrouter_server.gateway.http import GatewayRoutes
from evalrouter_server.http_errors import RequestFrame, install_handlers
from evalrouter_server.routes import benchmarks, connections, events, keys, models, quotes, runs, service, wallet
from evalrouter_server.services import Services


def create_app(services: Services) -> FastAPI:
    """Put the application together.

    Args:
        services: What the routes use; opening and closing them is the caller's.
    """
    app = FastAPI(title="EvalRouter", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.services = services
    install_handlers(app)
    app.add_middleware(RequestFrame, body_limit=services.settings.body_limit_bytes)
    for resource in (service, benchmarks, models, connections, quotes, runs, events, wallet, keys):
        app.include_router(resource.router)
    app.include_router(service.open_router)
    app.include_router(GatewayRoutes(services.database, services.router, services.gateway).api_router())
    contract = (resources.files("evalrouter_server.contract") / "openapi.yaml").read_bytes()

    @app.get("/openapi.yaml")
    async def get_contract() -> Response:
        return Response(contract, media_type="application/yaml")

    return app
