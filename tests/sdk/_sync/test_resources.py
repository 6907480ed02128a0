# Generated from tests/sdk/_async/test_resources.py by scripts/regen; do not edit.

"""Benchmarks, models, connections, wallet and keys, over HTTP."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from evalrouter._sync.client import EvalRouter
from evalrouter.errors import AmbiguousNameError, InvalidArgumentError
from tests.sdk import documents
from tests.sdk.contract_server import Answer, ContractServer


@pytest.fixture
def client(server: ContractServer) -> Iterator[EvalRouter]:
    with EvalRouter(api_key="er_x", base_url=server.url) as made:
        yield made


def test_whoami(client: EvalRouter, server: ContractServer) -> None:
    identity = {
        "workspace_id": "ws_1",
        "workspace_name": "default",
        "key_id": "key_1",
        "key_name": "owner",
        "scopes": ["read"],
        "server_version": "1.0.0",
        "embedded": False,
    }
    server.on("GET", "/v1/whoami", Answer(identity))
    assert (client.whoami()).scopes == ("read",)
    assert not client.owns_engine


def test_benchmark_by_name(client: EvalRouter, server: ContractServer) -> None:
    old = documents.benchmark(id="bench_0", version="1", is_default=False)
    server.on("GET", "/v1/benchmarks", Answer(documents.page(old, documents.benchmark(), suggestions=[])))
    assert str(client.benchmarks.get("gsm8k")) == "gsm8k@2"
    assert str(client.benchmarks.get("GSM8K@1")) == "gsm8k@1"
    assert len(client.benchmarks.list().list()) == 2


def test_model_by_name(client: EvalRouter, server: ContractServer) -> None:
    resold = documents.model(id="model_2", provider="azure", reference="azure/gpt-5", is_makers=False)
    server.on("GET", "/v1/models", Answer(documents.page(documents.model(), resold, suggestions=[])))
    assert (client.models.get("gpt-5")).provider == "openai"
    found = client.models.get("azure/gpt-5")
    assert found.provider == "azure"
    assert found.price is not None
    assert found.price.output == Decimal(10)
    assert not found.price.is_free
    client.models.list(callable_only=True).list()
    assert server.requests[-1].query["callable"] == "true"


def test_an_ambiguous_name_lists_its_candidates(client: EvalRouter, server: ContractServer) -> None:
    one = documents.model(slug="a", reference="x/a", name="Same")
    two = documents.model(id="model_2", slug="b", reference="x/b", name="Same")
    server.on("GET", "/v1/models", Answer(documents.page(one, two, suggestions=[])))
    with pytest.raises(AmbiguousNameError) as caught:
        client.models.get("same")
    assert caught.value.candidates == ("x/a (model_1)", "x/b (model_2)")


@pytest.mark.parametrize(
    ("given", "pricing"),
    [
        ({"free": True}, {"type": "free"}),
        (
            {"input_price": "0.10", "output_price": 0.4},
            {"type": "per_token", "input_usd_per_mtok": "0.1", "output_usd_per_mtok": "0.4"},
        ),
        (
            {"input_price": 1, "output_price": Decimal("1e-3"), "cached_input_price": 0},
            {
                "type": "per_token",
                "input_usd_per_mtok": "1",
                "output_usd_per_mtok": "0.001",
                "cached_input_usd_per_mtok": "0",
            },
        ),
    ],
)
def test_connect(client: EvalRouter, server: ContractServer, given: dict[str, Any], pricing: dict[str, Any]) -> None:
    server.on("POST", "/v1/connections", Answer(documents.connection(), 201))
    made = client.connections.create("mine", base_url="http://127.0.0.1:8000/v1", model="my-model", **given)
    assert made.model == "connection:mine"
    assert server.requests[-1].body["pricing"] == pricing
    assert server.requests[-1].body["upstream_model"] == "my-model"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"free": True, "input_price": 1},
        {"input_price": 1},
        {"input_price": -1, "output_price": 1},
        {"free": True, "kind": "agent"},
        {"free": True, "key": "k", "key_env": "K"},
    ],
)
def test_a_connection_without_a_clear_price_is_refused(
    client: EvalRouter, server: ContractServer, given: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArgumentError):
        client.connections.create("mine", base_url="http://127.0.0.1:8000/v1", model="m", **given)
    assert server.requests == []


def test_a_connection_is_read_and_removed_by_name(client: EvalRouter, server: ContractServer) -> None:
    server.on("GET", "/v1/connections", Answer(documents.page(documents.connection())))
    server.on("DELETE", "/v1/connections/conn_1", Answer(status=204))
    assert (client.connections.get("connection:mine")).id == "conn_1"
    client.connections.delete("mine")
    assert server.asked("DELETE", "/v1/connections/conn_1")[0].headers["idempotency-key"]


def test_wallet(client: EvalRouter, server: ContractServer) -> None:
    wallet = {"balance_microusd": 20_000_000, "held_microusd": 1, "available_microusd": 19_999_999}
    entry: dict[str, Any] = {"id": "entry_1", "posted_at": documents.NOW, "kind": "top_up", "account": "wallet"}
    entry = {**entry, "amount_microusd": 20_000_000, "run_id": None, "call_id": None, "note": None}
    difference = {"what": "held", "reference": "run_1", "expected_microusd": 1, "found_microusd": 2}
    server.on("GET", "/v1/wallet", Answer(wallet))
    server.on("POST", "/v1/wallet/top-ups", Answer(wallet, 201))
    server.on("GET", "/v1/wallet/entries", Answer(documents.page(entry)))
    report = {"ok": False, "entries": 1, "calls": 0, "runs": 0, "differences": [difference]}
    server.on("GET", "/v1/wallet/verification", Answer(report))
    assert (client.wallet.get()).available == Decimal("19.999999")
    client.wallet.top_up(10, note="more")
    assert server.requests[-1].body == {"amount_microusd": 10_000_000, "note": "more"}
    assert (client.wallet.entries().list())[0].amount == 20
    assert (client.wallet.verify()).differences[0].found == Decimal("0.000002")


def test_keys(client: EvalRouter, server: ContractServer) -> None:
    server.on("POST", "/v1/keys", Answer({"key": documents.key(), "secret": "er_new_secret"}, 201))
    server.on("GET", "/v1/keys", Answer(documents.page(documents.key())))
    server.on("GET", "/v1/keys/key_1", Answer(documents.key()))
    server.on("PATCH", "/v1/keys/key_1", Answer(documents.key(ceiling_microusd=None, remaining_microusd=None)))
    server.on("DELETE", "/v1/keys/key_1", Answer(status=204))
    made = client.keys.create("ci", scopes=["read", "run"], ceiling=30)
    assert made.secret == "er_new_secret"
    assert "er_new_secret" not in repr(made)
    assert server.requests[-1].body == {"name": "ci", "scopes": ["read", "run"], "ceiling_microusd": 30_000_000}
    assert [key.id for key in client.keys.list().list()] == ["key_1"]
    assert (client.keys.get("key_1")).remaining == 30
    assert (client.keys.update("key_1", ceiling=None)).ceiling is None
    assert server.requests[-1].body == {"ceiling_microusd": None}
    client.keys.revoke("key_1")
    with pytest.raises(InvalidArgumentError, match="scopes"):
        client.keys.create("ci", scopes=["everything"])
