"""The one place of I/O: retries, deadlines, keys, errors."""

import time
from decimal import Decimal

import pytest

from evalrouter._async.client import AsyncEvalRouter
from evalrouter._async.transport import AsyncTransport
from evalrouter.convert import account, runs
from evalrouter.endpoints import Endpoint, FixedEndpoint
from evalrouter.errors import (
    AuthenticationError,
    DataUnavailableError,
    IdempotencyConflictError,
    InsufficientFundsError,
    InvalidRequestError,
    RateLimitError,
    RequestTimeoutError,
    ServerAnswerError,
    ServerConnectionError,
    ServerError,
)
from tests.sdk import documents
from tests.sdk.contract_server import DROP, Answer, ContractServer, problem
from tests.sdk.runtimes import AsyncQuickRuntime

WALLET = Answer({"balance_microusd": 20_000_000, "held_microusd": 5_000_000, "available_microusd": 15_000_000})
SECRET = "er_very_secret"


def make(server: ContractServer, *, timeout: float = 5.0, max_retries: int = 3) -> AsyncTransport:
    endpoint = FixedEndpoint(Endpoint(server.url, SECRET, "ws_1"))
    return AsyncTransport(endpoint, timeout=timeout, max_retries=max_retries, runtime=AsyncQuickRuntime())


def pauses(transport: AsyncTransport) -> list[float]:
    assert isinstance(transport.runtime, AsyncQuickRuntime)
    return transport.runtime.pauses


async def test_a_write_has_one_idempotency_key_over_its_tries_and_another_one_next_time(server: ContractServer) -> None:
    server.on("POST", "/v1/wallet/top-ups", [DROP, DROP, Answer(WALLET.body, 201)])
    transport = make(server)
    for _ in range(2):
        await transport.send(account.top_up(Decimal(10), None))
    keys = [request.headers["idempotency-key"] for request in server.requests]
    assert len(keys) == 4
    assert len(set(keys[:3])) == 1
    assert keys[3] != keys[0]
    await transport.aclose()


async def test_a_read_has_no_idempotency_key_and_names_key_and_workspace(server: ContractServer) -> None:
    server.on("GET", "/v1/wallet", WALLET)
    transport = make(server)
    await transport.send(account.read_wallet())
    headers = server.requests[0].headers
    assert "idempotency-key" not in headers
    assert headers["authorization"] == f"Bearer {SECRET}"
    assert headers["evalrouter-workspace"] == "ws_1"
    assert headers["user-agent"].startswith("evalrouter-sdk/")
    await transport.aclose()


async def test_connections_are_reused(server: ContractServer) -> None:
    server.on("GET", "/v1/wallet", WALLET)
    transport = make(server)
    for _ in range(5):
        await transport.send(account.read_wallet())
    assert server.connections == 1
    await transport.aclose()


async def test_retry_after_is_honoured(server: ContractServer) -> None:
    server.on("GET", "/v1/wallet", [problem(429, "rate_limited", {"Retry-After": "2"}), WALLET])
    transport = make(server)
    await transport.send(account.read_wallet())
    assert 2.0 <= pauses(transport)[0] < 2.5
    await transport.aclose()


async def test_retry_after_beyond_the_deadline_is_not_waited_for(server: ContractServer) -> None:
    server.on("GET", "/v1/wallet", problem(429, "rate_limited", {"Retry-After": "60"}))
    transport = make(server)
    with pytest.raises(RateLimitError) as caught:
        await transport.send(account.read_wallet())
    assert caught.value.retry_after == 60
    assert pauses(transport) == []
    await transport.aclose()


async def test_tries_are_bounded_and_pauses_grow(server: ContractServer) -> None:
    server.on("GET", "/v1/wallet", problem(503, "overloaded"))
    transport = make(server)
    with pytest.raises(ServerError):
        await transport.send(account.read_wallet())
    assert len(server.requests) == 4
    assert pauses(transport) == sorted(pauses(transport))
    await transport.aclose()


async def test_what_another_try_cannot_change_is_not_tried_again(server: ContractServer) -> None:
    transport = make(server)
    refusals = (
        (422, "invalid_request", InvalidRequestError),
        (401, "unauthenticated", AuthenticationError),
        (409, "idempotency_conflict", IdempotencyConflictError),
        (503, "data_unavailable", DataUnavailableError),
        (500, "internal_error", ServerError),
    )
    for status, code, kind in refusals:
        server.requests.clear()
        server.on("GET", "/v1/wallet", problem(status, code, why="because"))
        with pytest.raises(kind) as caught:
            await transport.send(account.read_wallet())
        assert len(server.requests) == 1
        assert (caught.value.status, caught.value.code) == (status, code)
        assert caught.value.request_id == "req_1"
        assert caught.value.details == {"why": "because"}
    await transport.aclose()


async def test_a_refusal_over_money_carries_its_facts(server: ContractServer) -> None:
    server.on(
        "GET",
        "/v1/wallet",
        problem(402, "insufficient_funds", needed_microusd=5_000_000, available_microusd=1, holding_runs=["run_9"]),
    )
    transport = make(server)
    with pytest.raises(InsufficientFundsError) as caught:
        await transport.send(account.read_wallet())
    assert (str(caught.value.needed), str(caught.value.available)) == ("5", "0.000001")
    assert caught.value.holding_runs == ("run_9",)
    await transport.aclose()


async def test_one_deadline_covers_all_tries(server: ContractServer) -> None:
    server.on("GET", "/v1/wallet", Answer(WALLET.body, delay=5.0))
    transport = make(server, timeout=0.3)
    start = time.monotonic()
    with pytest.raises(RequestTimeoutError, match=r"0\.3 seconds"):
        await transport.send(account.read_wallet())
    assert time.monotonic() - start < 1.5
    await transport.aclose()


async def test_a_dripping_answer_meets_the_deadline_too(server: ContractServer) -> None:
    server.on("GET", "/v1/wallet", Answer(chunks=[b" "] * 100, pause=0.1))
    transport = make(server, timeout=0.4)
    start = time.monotonic()
    with pytest.raises(RequestTimeoutError):
        await transport.send(account.read_wallet())
    assert time.monotonic() - start < 2.0
    await transport.aclose()


async def test_a_body_cut_off_is_asked_for_again(server: ContractServer) -> None:
    server.on("GET", "/v1/wallet", [Answer(WALLET.body, drop_after=1), WALLET])
    transport = make(server)
    assert (await transport.send(account.read_wallet())).available == 15
    await transport.aclose()


async def test_a_streamed_body_is_never_replayed(server: ContractServer) -> None:
    path = f"/v1/runs/{documents.RUN_ID}/export"
    server.on("GET", path, Answer(chunks=[b"one", b"two"], drop_after=1))
    transport = make(server)
    received: list[bytes] = []

    async def read() -> None:
        async for chunk in transport.stream_bytes(runs.export(documents.RUN_ID, "json")):
            received.append(chunk)

    with pytest.raises(ServerConnectionError):
        await read()
    assert received == [b"one"]
    assert len(server.asked("GET", path)) == 1
    await transport.aclose()


async def test_a_stream_may_be_opened_again_before_it_has_begun(server: ContractServer) -> None:
    server.on("GET", f"/v1/runs/{documents.RUN_ID}/export", [DROP, Answer(chunks=[b"one", b"two"])])
    transport = make(server)
    assert (
        b"".join([chunk async for chunk in transport.stream_bytes(runs.export(documents.RUN_ID, "json"))]) == b"onetwo"
    )
    await transport.aclose()


async def test_an_answer_of_another_program_is_named_so(server: ContractServer) -> None:
    transport = make(server)
    for answer in (Answer({"hello": "world"}), Answer(chunks=[b"<html>"]), Answer([1]), Answer(WALLET.body, 299)):
        server.on("GET", "/v1/wallet", answer)
        with pytest.raises(ServerAnswerError, match="GET /v1/wallet does not fit the contract"):
            await transport.send(account.read_wallet())
    server.on("GET", "/v1/wallet", Answer(chunks=[b"<html>"], status=502))
    with pytest.raises(ServerError, match="without a problem that this SDK understands"):
        await transport.send(account.read_wallet())
    await transport.aclose()


async def test_nobody_there_is_said_with_the_address_and_without_the_key(server: ContractServer) -> None:
    transport = AsyncTransport(
        FixedEndpoint(Endpoint("http://127.0.0.1:9", SECRET)), timeout=5, max_retries=1, runtime=AsyncQuickRuntime()
    )
    with pytest.raises(ServerConnectionError, match=r"http://127\.0\.0\.1:9") as caught:
        await transport.send(account.read_wallet())
    assert SECRET not in repr(caught.value) + str(caught.value)
    assert caught.value.__cause__ is None
    await transport.aclose()


async def test_the_client_shows_no_key(server: ContractServer) -> None:
    async with AsyncEvalRouter(api_key=SECRET, base_url=server.url) as client:
        assert SECRET not in repr(client)
        assert server.url in repr(client)
        assert SECRET not in repr(client.raw)
        assert client.raw.token == SECRET


async def test_a_closed_client_can_be_used_again(server: ContractServer) -> None:
    server.on("GET", "/v1/wallet", WALLET)
    client = AsyncEvalRouter(api_key=SECRET, base_url=server.url)
    await client.wallet.get()
    await client.aclose()
    await client.wallet.get()
    assert server.connections == 2
    await client.aclose()
