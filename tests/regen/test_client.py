"""The generated client: quick to import, pure request builders and parsers, clients that do not change each other."""

from __future__ import annotations

import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from threading import Thread
from typing import Any, assert_type

import httpx
import pytest
import yaml
from evalrouter_api import AuthenticatedClient, Client, models
from evalrouter_api.api.runs import create_run, export_run
from evalrouter_api.api.service import get_health
from evalrouter_api.errors import UnexpectedStatus
from evalrouter_api.types import File

from scripts import contract_document, regen
from tests.loopback import LoopbackServer

CONTRACT: dict[str, Any] = yaml.safe_load((regen.ROOT / regen.CONTRACT).read_text(encoding="utf-8"))
OPERATIONS = [
    (operation["tags"][0], operation["operationId"]) for _, _, operation in contract_document.operations(CONTRACT)
]


def loaded_after(statement: str) -> set[str]:
    """Modules that a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return set(json.loads(output))


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "evalrouter_api"}


def test_importing_the_package_loads_nothing_else() -> None:
    modules = loaded_after("import evalrouter_api")
    assert ours(modules) == {"evalrouter_api"}
    assert not modules & {"httpx", "attr", "attrs"}


def test_using_one_model_loads_one_model() -> None:
    modules = ours(loaded_after("from evalrouter_api.models import Wallet"))
    assert modules == {"evalrouter_api", "evalrouter_api.models", "evalrouter_api.models.wallet"}


def test_one_operation_loads_only_its_models() -> None:
    modules = ours(loaded_after("from evalrouter_api.api.wallet import get_wallet"))
    assert {name for name in modules if name.startswith("evalrouter_api.models.")} == {
        "evalrouter_api.models.problem",
        "evalrouter_api.models.wallet",
    }


def test_lazy_models_are_all_there() -> None:
    for name in models.__all__:
        assert inspect.isclass(getattr(models, name)), name
        assert name in dir(models)


def test_lazy_models_are_typed() -> None:
    wallet = models.Wallet(balance_microusd=3, held_microusd=1, available_microusd=2)
    assert_type(wallet, models.Wallet)
    assert_type(wallet.held_microusd, int)
    with pytest.raises(AttributeError, match="Wollet"):
        _ = models.Wollet  # type: ignore[attr-defined]


def test_the_package_is_marked_as_typed() -> None:
    assert (regen.ROOT / regen.CLIENT / "py.typed").exists()


@pytest.mark.parametrize(("tag", "operation_id"), OPERATIONS)
def test_every_operation_of_ours_has_a_public_builder_and_parser(tag: str, operation_id: str) -> None:
    if tag in contract_document.FOREIGN_TAGS:
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(f"evalrouter_api.api.{tag}.{operation_id}")
        return
    module = importlib.import_module(f"evalrouter_api.api.{tag}.{operation_id}")
    assert "client" not in inspect.signature(module.get_kwargs).parameters
    for name in ("parse_response", "build_response"):
        assert inspect.signature(getattr(module, name)).parameters["client"].default is None
    for name in ("sync_detailed", "asyncio_detailed"):
        assert callable(getattr(module, name))


def test_a_request_is_built_without_io() -> None:
    coverage = models.SampleCoverage(mode="sample", sample_count=50, seed=42)
    spec = models.RunSpec(benchmark_id="bench_1", model_id="model_1", max_cost_microusd=5_000_000, coverage=coverage)
    kwargs = create_run.get_kwargs(body=models.RunFromSpec(source="spec", spec=spec), idempotency_key="k")
    assert kwargs == {
        "method": "post",
        "url": "/v1/runs",
        "headers": {"Idempotency-Key": "k", "Content-Type": "application/json"},
        "json": {
            "source": "spec",
            "spec": {
                "benchmark_id": "bench_1",
                "model_id": "model_1",
                "max_cost_microusd": 5_000_000,
                "coverage": {"mode": "sample", "sample_count": 50, "seed": 42},
                "repeats": 1,
            },
        },
    }


def test_a_problem_is_parsed_and_an_unknown_status_is_none_or_an_error() -> None:
    body = {"code": "forbidden", "message": "No.", "details": {"scope": "run"}, "request_id": "req_1"}
    problem = create_run.parse_response(response=httpx.Response(403, json=body))
    assert isinstance(problem, models.Problem)
    assert problem.to_dict() == body
    assert create_run.parse_response(response=httpx.Response(418)) is None
    strict = Client(base_url="http://x", raise_on_unexpected_status=True)
    with pytest.raises(UnexpectedStatus):
        create_run.parse_response(response=httpx.Response(418), client=strict)


def test_an_export_is_opaque_bytes() -> None:
    parsed = export_run.parse_response(response=httpx.Response(200, content=b'{"run": 1}\n'))
    assert isinstance(parsed, File)
    assert parsed.payload.read() == b'{"run": 1}\n'


def test_other_settings_make_another_client_and_leave_the_first_as_it_was() -> None:
    headers = {"X-A": "1"}
    client = AuthenticatedClient(
        base_url="http://x", token="er_secret", headers=headers, httpx_args={"trust_env": False}
    )
    pool = client.get_httpx_client()
    sent = dict(pool.headers)

    other = client.with_headers({"X-B": "2"}).with_cookies({"c": "3"}).with_timeout(httpx.Timeout(4))
    assert_type(other, AuthenticatedClient)
    assert other.get_httpx_client().headers["x-b"] == "2"
    assert other.get_httpx_client().headers["authorization"] == "Bearer er_secret"
    assert other.get_httpx_client().cookies["c"] == "3"
    assert other.get_httpx_client().timeout == httpx.Timeout(4)

    assert client.get_httpx_client() is pool
    assert dict(pool.headers) == sent
    assert (client.headers, dict(pool.cookies), pool.timeout) == ({"X-A": "1"}, {}, httpx.Timeout(60))
    assert other.get_httpx_client() is not pool
    assert other.headers is not client.headers
    assert other.httpx_args is not client.httpx_args
    assert client.headers is not headers
    other.get_httpx_client().close()
    assert not pool.is_closed
    pool.close()


def test_the_key_is_not_shown() -> None:
    client = AuthenticatedClient(base_url="http://x", token="er_secret", headers={"X-Key": "er_other"})
    assert "er_secret" not in repr(client)
    assert "er_other" not in repr(client)


class _Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"status": self.headers["Authorization"], "version": "1.0.0"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def _health_server() -> Iterator[str]:
    server = LoopbackServer(("127.0.0.1", 0), _Health)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_the_client_alone_does_sync_and_async_calls() -> None:
    with _health_server() as base_url:
        with AuthenticatedClient(base_url=base_url, token="er_a") as client:
            assert get_health.sync(client=client) == models.Health(status="Bearer er_a", version="1.0.0")
        async with AuthenticatedClient(base_url=base_url, token="er_b", prefix="") as client:
            answer = await get_health.asyncio_detailed(client=client)
        assert answer.status_code == 200
        assert answer.parsed == models.Health(status="er_b", version="1.0.0")
