"""The application's routes are those of the contract, no more and no less."""

from pathlib import Path
from typing import Any

import yaml
from evalrouter_server.app import create_app
from evalrouter_server.services import Services
from evalrouter_server.settings import Settings
from fastapi import FastAPI
from fastapi.routing import APIRoute

from tests.server.conftest import Service

ROOT = Path(__file__).parents[2]
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

BESIDE_THE_CONTRACT = {("GET", "/openapi.yaml"), ("HEAD", "/gateway"), ("HEAD", "/gateway/")}
"""The contract itself is served, and does not describe itself; agents look whether the gateway is there."""


def operations_of(contract: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (method.upper(), path)
        for path, operations in contract["paths"].items()
        for method in operations
        if method in METHODS
    }


async def test_routes_are_the_contracts_operations(tmp_path: Path) -> None:
    contract = yaml.safe_load((ROOT / "openapi.yaml").read_text("utf-8"))
    async with Services.running(Settings(data_dir=tmp_path, embedded=True)) as services:
        served = {(method, route.path) for route in iter_routes(create_app(services)) for method in route.methods or ()}
    assert served == operations_of(contract) | BESIDE_THE_CONTRACT


async def test_operations_have_the_contracts_names(tmp_path: Path) -> None:
    contract = yaml.safe_load((ROOT / "openapi.yaml").read_text("utf-8"))
    async with Services.running(Settings(data_dir=tmp_path, embedded=True)) as services:
        for route in iter_routes(create_app(services)):
            for method in route.methods or ():
                if route.path.startswith("/v1/"):
                    operation = contract["paths"][route.path][method.lower()]["operationId"]
                    assert route.name == operation


def test_the_server_serves_the_contract(service: Service) -> None:
    with service.client(None) as client:
        answer = client.get("/openapi.yaml")
    assert answer.status_code == 200
    assert answer.content == (ROOT / "openapi.yaml").read_bytes()


def iter_routes(app: FastAPI) -> list[APIRoute]:
    routes: list[APIRoute] = app.state.contract_routes
    return routes
