"""Many calls and many processes at once against one budget, and whether what they were let to spend is exact."""

import asyncio
import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from evalrouter_server.ids import new_id
from evalrouter_server.store.database import Database
from evalrouter_server.store.runs import ENDED

from tests.proof.books import Books, worst_charge
from tests.proof.faults import FaultyProvider
from tests.proof.forked import PATIENCE_SECONDS, forked
from tests.proof.product import connection_of, open_workspace

SPENDER = "tests.proof.spender"
ROOT = Path(__file__).parents[2]
OUTPUT_TOKENS = 300
"""Of a call, so that its worst case is above that of a task."""
MOST_REPEATS = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of many calls at once.

    Attributes:
        answers: How many calls were answered with which HTTP status.
        seconds: From the first call to the last answer.
        charged: Micro-USD that they were charged.
        worst: Micro-USD of one call's worst case.
    """

    answers: Counter[int]
    seconds: float
    charged: int
    worst: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What many processes spent.

    Attributes:
        put_in: Micro-USD of the wallet.
        charged: Micro-USD that they were charged.
        runs: How many runs they started.
        calls: How many calls the gateway recorded.
        refused: How many creates were refused because the wallet could not pay.
        looks: How often the books were read, and were right, meanwhile.
        seconds: From the first process to the end of the last.
    """

    put_in: int
    charged: int
    runs: int
    calls: int
    refused: int
    looks: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Shop:
    """A workspace of a running server, with a provider behind its only connection."""

    base_url: str
    secret: str
    workspace_id: str
    put_in: int
    database: Database
    provider: FaultyProvider
    http: aiohttp.ClientSession

    async def ask(self, method: str, path: str, body: Any = None, *, secret: str | None = None) -> Any:
        """Ask the server; it must not refuse."""
        headers = {"Authorization": f"Bearer {secret or self.secret}"}
        async with self.http.request(method, self.base_url + path, json=body, headers=headers) as response:
            assert response.status < 400, await response.text()
            return await response.json()

    async def books(self) -> Books:
        """The books at this moment, which are right."""
        sent = len(self.provider.requests)
        books = await self.database.read(lambda connection: Books.read(connection, self.workspace_id))
        books.assert_right(self.put_in)
        books.assert_answered(sent, self.provider.told)
        return books

    async def ended(self) -> Books:
        """The books once every run has ended and the server's own verification agrees."""
        books = await self.books()
        while any(run.status not in ENDED for run in books.runs):
            await asyncio.sleep(0.05)
            books = await self.books()
        verification = await self.ask("GET", "/v1/wallet/verification")
        assert verification["ok"], verification["differences"]
        assert books.wallet.held_microusd == 0
        return books


@contextlib.asynccontextmanager
async def open_shop(database_url: str, folder: Path, allowance: int) -> AsyncIterator[Shop]:
    """A shop on a migrated database."""
    connector = aiohttp.TCPConnector(limit=0)
    with forked(database_url, folder / "data") as server, FaultyProvider() as provider:
        database = await Database.open(database_url)
        try:
            async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(None)) as http:
                workspace_id, secret = await open_workspace(database, allowance)
                shop = Shop(server.base_url, secret, workspace_id, allowance, database, provider, http)
                await shop.ask("POST", "/v1/connections", connection_of(provider.base_url))
                yield shop
        finally:
            await database.close()


async def many_calls(shop: Shop, calls: int, paid_for: int, use: str) -> Outcome:
    """Send calls all at once to a run whose cap pays for some of them at their worst case.

    Args:
        shop: The shop.
        calls: How many.
        paid_for: For how many worst cases the cap pays, besides the one task that is open meanwhile.
        use: What each call uses: `uses its bound` or `uses little`.
    """
    messages = [{"role": "user", "content": f"please: {use}"}]
    worst = worst_charge(messages, OUTPUT_TOKENS)
    run = await _run_that_pays_for(shop, paid_for, worst)
    access = await shop.ask("POST", f"/v1/runs/{run}/gateway-keys")
    body = {"model": access["model"], "messages": messages, "max_tokens": OUTPUT_TOKENS}
    headers = {"Authorization": f"Bearer {access['secret']}"}

    async def call() -> int:
        async with shop.http.post(f"{access['base_url']}/chat/completions", json=body, headers=headers) as response:
            await response.read()
            return response.status

    began = time.perf_counter()
    answers = Counter(await asyncio.gather(*(call() for _ in range(calls))))
    seconds = time.perf_counter() - began
    await shop.ask("POST", f"/v1/runs/{run}/cancel")
    shop.provider.seconds_per_task = 0.0
    books = await shop.ended()
    charged = sum(call.charge_microusd for call in books.calls if call.run_id == run and call.task_id is None)
    return Outcome(answers, seconds, charged, worst)


async def _run_that_pays_for(shop: Shop, calls: int, worst: int) -> str:
    """A run whose only lane's task is open and stays so, and whose cap then pays for so many calls at their worst.

    The cap is the largest: a micro-USD more would pay for one call more, should the task turn out to cost nothing.
    """
    shop.provider.seconds_per_task = 600.0
    (benchmark,) = (await shop.ask("GET", "/v1/benchmarks?match=first-steps"))["items"]
    (connection,) = (await shop.ask("GET", "/v1/connections"))["items"]
    spec = {
        "benchmark_id": benchmark["id"],
        "model_id": connection["model_id"],
        "coverage": {"mode": "sample", "sample_count": 1, "seed": 0},
        "concurrency": 1,
    }
    quote = await shop.ask("POST", "/v1/quotes", spec)
    task = quote["maximum_charge_microusd"] // (quote["plan"]["call_count"] + quote["plan"]["lost_try_allowance"])
    cap = (calls + 1) * worst - 1
    assert task < worst
    assert task + calls * worst <= cap <= task * MOST_REPEATS
    key = await shop.ask("POST", "/v1/keys", {"name": "caller", "ceiling_microusd": cap})
    spec |= {"repeats": MOST_REPEATS, "dedupe_key": new_id("req")}
    run = await shop.ask("POST", "/v1/runs", {"source": "spec", "spec": spec}, secret=key["secret"])
    assert run["cap_microusd"] == cap
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await shop.ask("GET", f"/v1/runs/{run['id']}"))["reserved_microusd"] != task:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return str(run["id"])


async def many_processes(shop: Shop, processes: int) -> Spent:
    """Let client processes start runs and call through the gateway until the wallet can pay for no run more."""
    command = (sys.executable, "-m", SPENDER, shop.base_url, shop.secret)
    began = time.perf_counter()
    spenders = [
        await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
        for _ in range(processes)
    ]
    looks = 0
    ending = asyncio.gather(*(spender.communicate() for spender in spenders))
    while not ending.done():
        await shop.books()
        looks += 1
        await asyncio.wait([ending], timeout=0.05)
    seconds = time.perf_counter() - began
    assert [spender.returncode for spender in spenders] == [0] * processes
    told = [json.loads(stdout) for stdout, _ in await ending]
    books = await shop.ended()
    assert len(books.runs) == sum(each["runs"] for each in told)
    refused = sum(each["refused"] for each in told)
    return Spent(shop.put_in, books.charged, len(books.runs), len(books.calls), refused, looks, seconds)
