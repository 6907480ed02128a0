"""A gateway served over real HTTP, with a run and its key."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest_asyncio
import uvicorn
from evalrouter_server.catalog.cache import FileCache
from evalrouter_server.catalog.local_model import LocalModel
from evalrouter_server.catalog.models import connected_model_id
from evalrouter_server.clock import utc_now
from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.http import GatewayRoutes
from evalrouter_server.gateway.routing import Router
from evalrouter_server.ids import new_id
from evalrouter_server.quoting.bounds import worst_case_input_tokens
from evalrouter_server.quoting.plan import (
    Concurrency,
    Coverage,
    Plan,
    PlannedBenchmark,
    PlannedCall,
    PlannedModel,
)
from evalrouter_server.secrets import SecretBox
from evalrouter_server.store import calls, connections, keys
from evalrouter_server.store.calls import CallRow
from evalrouter_server.store.connections import EndpointRow
from evalrouter_server.store.database import Database
from evalrouter_server.store.tables import quotes
from fastapi import FastAPI
from sqlalchemy import Connection

from tests.gateway.bench import PRICE, SECRET
from tests.ledger.money import OWNER, Money, make_money
from tests.upstreams.scripted import ScriptedUpstream

MESSAGES: Any = [{"role": "user", "content": "What is the capital of France?"}]
WORST = worst_case_input_tokens(MESSAGES) * 2 + 100 * 10
CHARGE = 10 * 2 + 5 * 10
CAP = 5 * WORST


@dataclass(frozen=True, slots=True)
class Served:
    """A gateway that is served, and a run with its key."""

    base_url: str
    key: str
    run_id: str
    money: Money

    def client(self, key: str | None = None, **options: Any) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(base_url=self.base_url, api_key=key or self.key, max_retries=0, **options)

    async def calls(self) -> list[CallRow]:
        page = await self.money.database.read(lambda connection: calls.list_page(connection, self.run_id))
        return [entry.call for entry in page.items]

    async def spent(self) -> int:
        run = await self.money.get(self.run_id)
        assert run.reserved_microusd == 0
        await self.money.assert_sound()
        return run.spent_microusd


def plan_for(connection: EndpointRow) -> Plan:
    return Plan(
        benchmark=PlannedBenchmark(id="bench_1", slug="test", version="1", name="Test", content_digest="0"),
        model=PlannedModel(
            id=connection.model_id,
            provider="connection",
            slug=f"connection:{connection.name}",
            name="Double",
            upstream_name=connection.upstream_model,
            route=f"connection:{connection.id}",
            price=PRICE,
        ),
        coverage=Coverage(mode="full", sample_count=None, seed=None, benchmark_task_count=1),
        repeats=1,
        output_token_limit=100,
        calls=(PlannedCall(item_id="item_1", input_tokens=1, output_tokens=1, worst_case_microusd=1),),
        concurrency=Concurrency(requested=None, admitted=1, reason="auto"),
        lost_tries=1,
        lost_tries_microusd=1,
        maximum_charge_microusd=CAP,
    )


@pytest_asyncio.fixture
async def served(database: Database, upstream: ScriptedUpstream, tmp_path: Path) -> AsyncIterator[Served]:
    money = await make_money(database)
    run_id = await money.run(CAP)
    box = SecretBox("s" * 40)
    connection_id = new_id("conn")
    row = EndpointRow(
        id=connection_id,
        workspace_id=money.workspace_id,
        name="mine",
        kind="model",
        base_url=upstream.base_url,
        upstream_model="double",
        model_id=connected_model_id(money.workspace_id, connection_id),
        price={},
        key_encrypted=box.seal(SECRET.encode()),
        key_env=None,
        created_at=utc_now(),
    )
    quote_id = (await money.get(run_id)).quote_id

    def prepare(connection: Connection) -> str:
        connections.insert(connection, row)
        plan = plan_for(row).model_dump(mode="json")
        connection.execute(quotes.update().where(quotes.c.id == quote_id).values(plan=plan))
        return keys.create_gateway_key(connection, run_id).secret

    secret = await database.write(prepare)
    gateway = Gateway(database, OWNER, seconds_per_try=5.0)
    router = Router(database, box, LocalModel(FileCache(tmp_path)), environment={})
    app = FastAPI()
    app.include_router(GatewayRoutes(database, router, gateway, body_limit=100_000).api_router())
    async with serve(app) as base_url:
        yield Served(base_url, secret, run_id, money)
        await gateway.close(1.0)


@contextlib.asynccontextmanager
async def serve(app: FastAPI) -> AsyncIterator[str]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        task = asyncio.create_task(server.serve([listener]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/gateway/v1"
        server.should_exit = True
        await task
