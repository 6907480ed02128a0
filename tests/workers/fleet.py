"""A server and workers as processes on one PostgreSQL database, and what must hold whatever becomes of them."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from aiohttp import web
from evalrouter_server.ids import new_id
from evalrouter_server.store.database import Database
from evalrouter_server.store.tables import tries
from sqlalchemy import Select, func, select

from evalrouter import EvalRouter, Run
from tests.databases import run_apart
from tests.e2e.audit import audit_calls
from tests.e2e.provider import Provider, prompt_of, tokens
from tests.proof.forked import Forked, start, start_worker
from tests.proof.product import open_workspace
from tests.upstreams.scripted import answer, usage

SECRET = "a secret that is only for these tests, of many characters"
ALLOWANCE = 20_000_000


class GatedProvider(Provider):
    """Answers while its gate is open.

    Attributes:
        is_open: Whether it answers; what came before is held until it does.
        held: Requests that it has not answered.
        most_held: The most of them at a time.
    """

    def __init__(self) -> None:
        super().__init__(self._behind_gate)
        self.is_open = True
        self.held = 0
        self.most_held = 0

    async def _behind_gate(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        self.held += 1
        self.most_held = max(self.held, self.most_held)
        try:
            await asyncio.sleep(0.01)
            while not self.is_open:  # noqa: ASYNC110 - another thread changes it
                await asyncio.sleep(0.01)
        finally:
            self.held -= 1
        report = usage(tokens(prompt_of(body)), tokens(self.text))
        return await answer(self.text, report=report)(request, body)


class Fleet:
    """Processes on one database. Use it as a context manager: they are gone afterwards.

    Args:
        database: A migrated PostgreSQL database.
        folder: Where the processes' folders are.

    Attributes:
        client: The first server's client.
    """

    def __init__(self, database: str, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._processes: list[Forked] = []
        self._clients: list[EvalRouter] = []
        self.client: EvalRouter

    def __enter__(self) -> Self:
        _, self.key = run_apart(_owner(self._database))
        self.client = self.serve()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
        for client in self._clients:
            client.close()

    def serve(self) -> EvalRouter:
        """Start a server."""
        server = start(self._database, self._folder / new_id("inst"), hurried=False)
        self._processes.append(server)
        client = EvalRouter(base_url=server.base_url, api_key=self.key)
        self._clients.append(client)
        return client

    def stop_first_server(self, meanwhile: Callable[[], None]) -> None:
        """Tell the first server to end, and see that it does so in good order.

        Args:
            meanwhile: Called once it has been told.
        """
        server = self._processes[0]
        server.process.terminate()
        meanwhile()
        server.stop()

    def in_flight(self, worker: Forked) -> int:
        """How many calls a worker has under way, as the ledger has it."""
        query = select(func.count()).where(tries.c.status == "open", tries.c.owner == worker.name)
        return int(run_apart(_scalar(self._database, query)))

    def work(self, concurrency: int) -> Forked:
        """Start a worker."""
        worker = start_worker(self._database, self._folder / new_id("inst"), concurrency)
        self._processes.append(worker)
        return worker


async def _scalar(database_url: str, query: Select[Any]) -> Any:
    database = await Database.open(database_url)
    try:
        return await database.read(lambda connection: connection.scalar(query))
    finally:
        await database.close()


async def _owner(database_url: str) -> tuple[str, str]:
    database = await Database.open(database_url)
    try:
        return await open_workspace(database, ALLOWANCE)
    finally:
        await database.close()


def start_sums(client: EvalRouter, provider: Provider, folder: Path, count: int, concurrency: int, name: str) -> Run:
    """Start a run of so many tasks, most of which the double answers wrongly."""
    slug = f"sums-{name}"
    rows = folder / f"{slug}.jsonl"
    lines = (json.dumps({"q": f"{name}: what is {number} + 1?", "a": str(number + 1)}) for number in range(count))
    rows.write_text("\n".join(lines))
    client.benchmarks.create(
        {
            "slug": slug,
            "source": {"kind": "file", "path": str(rows)},
            "rows": {"inputs": {"question": "q"}, "target": "a"},
            "protocol": {"user": "{question}"},
            "grader": {"kind": "numeric"},
        }
    )
    return client.runs.create(
        benchmark=slug, model=provider.connect(client, name), max_cost=3, concurrency=concurrency, wait=False
    )


def graded(run: Run) -> int:
    """How many tasks of a run have been graded by now."""
    return int(run.refresh().coverage.graded)


def assert_graded_once(client: EvalRouter, run: Run, count: int) -> int:
    """Check that every task was graded once, and every charge is explained.

    Returns:
        How many tries were lost.
    """
    assert (run.status, run.coverage.graded) == ("completed", count), run.data.status_reason
    results, calls = list(run.results()), list(run.calls())
    assert [result.index for result in results] == list(range(count))
    assert len({result.task_id for result in results}) == count
    audit_calls(client, run, calls)
    assert len({call.task_id for call in calls}) == len(calls) == count
    told = [event.data["position"] for event in run.events() if event.type == "task.graded"]
    assert sorted(told) == list(range(count))
    assert all([attempt.status for attempt in call.tries].count("settled") == 1 for call in calls)
    return sum(attempt.status == "unknown" for call in calls for attempt in call.tries)
