"""Generated requests to every operation of the contract: no undocumented status, no wrong shape, no server error.

All checks are made but two. `positive_data_acceptance` takes each refusal of a well-formed request for a fault, also of
one that cannot be met (a cursor of no page, a cost limit that is too low, `1.0` where money is an integer). The schema
of an event stream is that of its text, which `response_schema_conformance` compares with each event.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.bootstrap import make_workspace
from evalrouter_server.store import keys
from hypothesis import HealthCheck, Phase, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance, response_schema_conformance
from sqlalchemy import Connection

from tests.server.conftest import Service, Upstream, Workspace
from tests.traces.sender import TRACE, Sender, span

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"


def contract(mode: str) -> BaseSchema:
    generation = {"mode": mode, "allow-x00": False, "allow-extra-parameters": False}
    config = SchemathesisConfig.from_dict({"generation": generation, "seed": 7})
    return schemathesis.openapi.from_path(CONTRACT, config=config)


schema = contract("all")

BOUNDED = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True, slots=True)
class Target:
    """A workspace that has one of everything, one with traces whose switch nobody turns, and their keys."""

    base_url: str
    secret: str
    gateway_secret: str
    traces_secret: str
    sender_secret: str
    ids: dict[str, str]
    trace_ids: dict[str, str]

    def secret_for(self, path: str) -> str:
        """The key for operations at a path."""
        by_start = {
            "/gateway/": self.gateway_secret,
            "/v1/trace-connections/": self.sender_secret,
            "/v1/traces": self.traces_secret,
        }
        return next((secret for start, secret in by_start.items() if path.startswith(start)), self.secret)

    def ids_at(self, path: str) -> dict[str, str]:
        """The IDs of what is there, for operations at a path."""
        if path.startswith("/v1/trace-connections/"):
            return self.trace_ids
        return self.ids | ({"trace_id": self.trace_ids["kept_trace_id"]} if path.endswith("/spans") else {})


@pytest.fixture(scope="module")
def target(service: Service) -> Iterator[Target]:
    workspace_id, traces_workspace_id = new_id("ws"), new_id("ws")

    def make(connection: Connection) -> tuple[str, str]:
        make_workspace(connection, workspace_id, "generated")
        make_workspace(connection, traces_workspace_id, "traced", traces_enabled=True)
        return (
            keys.create(connection, workspace_id, "owner", keys.SCOPES).secret,
            keys.create(connection, traces_workspace_id, "owner", keys.SCOPES).secret,
        )

    secret, traces_secret = service.write(make)
    sender_secret, trace_ids = send_traces(service, traces_secret)
    upstream = Upstream()
    with service.client(secret) as client:
        workspace = Workspace(workspace_id, secret, service, client)
        model_id = workspace.connect(upstream)
        benchmark_id = workspace.benchmark()
        coverage = {"mode": "sample", "sample_count": 3}
        spec = {"benchmark_id": benchmark_id, "model_id": model_id, "coverage": coverage}
        quote = client.post("/v1/quotes", json=spec).json()
        run = client.post("/v1/runs", json={"source": "quote", "quote_id": quote["id"]}).json()
        workspace.wait(run["id"])
        upstream.gate.clear()
        going_on = client.post("/v1/runs", json={"source": "spec", "spec": {**spec, "name": "going on"}}).json()
        gateway_key = client.post(f"/v1/runs/{going_on['id']}/gateway-keys").json()
        key = client.post("/v1/keys", json={"name": "spare"}).json()["key"]
        upload = client.post("/v1/uploads", json={"sha256": "0" * 64, "byte_count": 100}).json()
        yield Target(
            base_url=service.endpoint.base_url,
            secret=secret,
            gateway_secret=gateway_key["secret"],
            traces_secret=traces_secret,
            sender_secret=sender_secret,
            trace_ids=trace_ids,
            ids={
                "benchmark_id": benchmark_id,
                "model_id": model_id,
                "connection_id": client.get("/v1/connections").json()["items"][0]["id"],
                "quote_id": quote["id"],
                "run_id": run["id"],
                "key_id": key["id"],
                "upload_id": upload["id"],
                "trace_id": trace_ids["deleted_trace_id"],
            },
        )
        assert client.get("/v1/wallet/verification").json()["ok"] is True
        upstream.close()
        workspace.wait(going_on["id"])


def send_traces(service: Service, secret: str) -> tuple[str, dict[str, str]]:
    """Two traces over a new trace connection: its key, and the IDs of all."""
    with service.client(secret) as client:
        connection = client.post("/v1/connections", json={"name": "agents", "kind": "trace"}).json()
    ids = {"connection_id": connection["id"], "source_trace_id": TRACE}
    with service.client(connection["secret"]) as client:
        sender = Sender(connection["id"], connection["secret"], client)
        for name, trace_id in (("kept_trace_id", TRACE), ("deleted_trace_id", TRACE[::-1])):
            taken = sender.take(name, span(1, trace_id=trace_id))
            ids[name] = taken["traces"][0]["server_trace_id"]
    return connection["secret"], ids


@schema.parametrize()
@BOUNDED
def test_generated_requests(case: schemathesis.Case[Any], target: Target) -> None:
    send(case, target)


@contract("positive").include(path_regex=r"\{|/v1/(quotes|runs)$").parametrize()
@BOUNDED
def test_generated_requests_about_what_is_there(case: schemathesis.Case[Any], target: Target) -> None:
    ids = target.ids_at(case.path)
    for name in case.path_parameters or {}:
        case.path_parameters[name] = ids.get(name, case.path_parameters[name])
    if isinstance(case.body, dict):
        for spec in (case.body, case.body.get("spec")):
            if isinstance(spec, dict):
                spec.update({name: target.ids[name] for name in spec.keys() & target.ids.keys()})
    send(case, target)


def send(case: schemathesis.Case[Any], target: Target) -> None:
    secret = target.secret_for(case.path)
    excluded: list[Any] = [positive_data_acceptance]
    if case.path.endswith("/events/stream"):
        excluded.append(response_schema_conformance)
    case.call_and_validate(
        base_url=target.base_url,
        headers={"Authorization": f"Bearer {secret}"},
        timeout=20,
        excluded_checks=excluded,
    )
