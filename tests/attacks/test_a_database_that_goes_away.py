"""PostgreSQL restarts, or its administrator ends our connections, while calls are under way."""

import asyncio
import contextlib
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
from evalrouter_server.store.database import CommitUnknownError, Database
from sqlalchemy import make_url

from tests.databases import empty_database, need_postgres
from tests.gateway.bench import Bench, open_bench
from tests.upstreams.scripted import ScriptedUpstream

CHARGE = 70
"""Of 10 input and 5 output tokens at the bench's price, in micro-USD."""


async def _end_connections(url: str) -> None:
    connection = await asyncpg.connect(need_postgres())
    try:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", make_url(url).database
        )
    finally:
        await connection.close()


async def test_calls_settle_once_while_connections_break(
    templates: dict[str, str], tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    with empty_database("postgresql", tmp_path, templates["postgresql"]) as url:
        database = await Database.open(url)
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(database.close)
            bench: Bench = await stack.enter_async_context(open_bench(database, upstream.base_url, cap=900_000))

            answered, unknown = 0, 0

            async def call_on() -> None:
                nonlocal answered, unknown
                for _ in range(15):
                    try:
                        await bench.complete()
                        answered += 1
                    except CommitUnknownError:
                        unknown += 1

            async def interfere() -> None:
                for _ in range(8):
                    await asyncio.sleep(0.1)
                    await _end_connections(url)

            await asyncio.gather(interfere(), *(call_on() for _ in range(10)))
            assert answered + unknown == 150
            assert len(upstream.requests) == answered > 100
            await bench.money.assert_sound()
            run = await bench.run()
            assert run.spent_microusd == answered * CHARGE
            assert (run.reserved_microusd == 0) or unknown
