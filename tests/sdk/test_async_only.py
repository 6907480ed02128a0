"""What only the async client has: awaiting lists, look-ups side by side, several event loops."""

import asyncio
import time

import pytest

from evalrouter import AsyncEvalRouter
from tests.sdk import documents
from tests.sdk.contract_server import Answer, ContractServer, quiet_stream


async def test_a_list_can_be_awaited_or_walked(server: ContractServer) -> None:
    server.on("GET", f"/v1/runs/{documents.RUN_ID}/results", Answer(documents.page(documents.result(0))))
    async with AsyncEvalRouter(api_key="er_x", base_url=server.url) as client:
        run = await client.runs.get(documents.RUN_ID)
        assert [result.index for result in await run.results()] == [0]
        assert [result.index async for result in run.results()] == [0]


async def test_names_are_looked_up_side_by_side(server: ContractServer) -> None:
    slow = {"benchmarks": documents.benchmark(), "models": documents.model()}
    for kind, document in slow.items():
        server.on("GET", f"/v1/{kind}", Answer(documents.page(document, suggestions=[]), delay=0.4))
    server.on("POST", "/v1/quotes", Answer(documents.quote(), 201))
    async with AsyncEvalRouter(api_key="er_x", base_url=server.url) as client:
        start = time.monotonic()
        await client.quotes.create(benchmark="gsm8k", model="gpt-5")
    assert time.monotonic() - start < 0.8


def test_one_client_in_two_event_loops(server: ContractServer) -> None:
    client = AsyncEvalRouter(api_key="er_x", base_url=server.url)

    async def status() -> str:
        return (await client.runs.get(documents.RUN_ID)).status

    assert [asyncio.run(status()), asyncio.run(status())] == ["completed", "completed"]


async def test_a_cancelled_wait_leaves_the_run(server: ContractServer) -> None:
    server.on("GET", f"/v1/runs/{documents.RUN_ID}", Answer(documents.run("running")))
    server.on("GET", f"/v1/runs/{documents.RUN_ID}/events/stream", quiet_stream())
    async with AsyncEvalRouter(api_key="er_x", base_url=server.url) as client:
        run = await client.runs.get(documents.RUN_ID)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await run.wait()
    assert {request.method for request in server.requests} == {"GET"}
