"""PostgreSQL restarts, or its administrator ends our connections, while calls are under way."""

import asyncio
import contextlib
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
import pytest
from evalrouter_server.store.database import CommitUnknownError, Database
from sqlalchemy import make_url

from tests.databases import empty_database, need_postgres
from tests.gateway.bench import Bench, open_bench
from tests.ledger.money import make_money
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

            async def call_on() -> None:
                for _ in range(15):
                    await bench.complete()

            async def interfere() -> None:
                for _ in range(8):
                    await asyncio.sleep(0.1)
                    await _end_connections(url)

            await asyncio.gather(interfere(), *(call_on() for _ in range(10)))
            assert len(upstream.requests) == 150
            await bench.money.assert_sound()
            run = await bench.run()
            assert (run.spent_microusd, run.reserved_microusd) == (150 * CHARGE, 0)


class CuttingProxy:
    """Stands before a PostgreSQL server; while `armed`, a commit reaches it and its acknowledgement reaches nobody."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self.armed = False
        self.cuts = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, questions = await asyncio.open_connection(*self._server)
        committing = asyncio.Event()

        async def answer() -> None:
            with contextlib.suppress(ConnectionError):
                while answered := await answers.read(65536):
                    if committing.is_set():
                        assert b"COMMIT" in answered
                        self.cuts += 1
                        break
                    writer.write(answered)
                    await writer.drain()
            writer.close()

        answering = asyncio.create_task(answer())
        with contextlib.suppress(ConnectionError):
            while asked := await reader.read(65536):
                if self.armed and b"COMMIT;" in asked:
                    self.armed = False
                    committing.set()
                questions.write(asked)
                await questions.drain()
        questions.close()
        await answering


async def test_what_was_committed_but_not_acknowledged_is_found_and_not_done_again(
    templates: dict[str, str], tmp_path: Path
) -> None:
    with empty_database("postgresql", tmp_path, templates["postgresql"]) as url:
        direct = make_url(url)
        proxy = CuttingProxy(direct.host or "127.0.0.1", direct.port or 5432)
        async with (
            await asyncio.start_server(proxy.serve, "127.0.0.1", 0) as server,
            contextlib.AsyncExitStack() as stack,
        ):
            database = await Database.open(direct.set(host="127.0.0.1", port=server.sockets[0].getsockname()[1]))
            stack.push_async_callback(database.close)
            money = await make_money(database)
            run_id = await money.run(1000)
            proxy.armed = True
            reserved = await money.reserved(run_id, 300, "task/0")
            assert proxy.cuts == 1
            assert (await money.get(run_id)).reserved_microusd == 300
            proxy.armed = True
            closed = await money.settle(reserved, 120)
            assert (proxy.cuts, closed.charge, closed.repeated) == (2, 120, True)
            proxy.armed = True
            with pytest.raises(CommitUnknownError):
                await money.run(100)
            run = await money.get(run_id)
            assert (run.spent_microusd, run.reserved_microusd) == (120, 0)
            await money.assert_sound()
