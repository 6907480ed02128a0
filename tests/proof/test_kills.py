"""kill -9 of the served gateway at random moments, while runs and outside callers go on: every charge is explained."""

import asyncio
import itertools
import json
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from evalrouter_server.store.database import Database

from evalrouter import EvalRouter, GatewayKey, Run
from tests.databases import empty_database
from tests.e2e.conftest import data_dir
from tests.e2e.programs import evalrouter, kill, serve
from tests.proof.books import Books
from tests.proof.faults import FaultyProvider

__all__ = ["data_dir"]

PUT_IN = 20_000_000
CALLERS, LANES, TASKS = 4, 2, 30
RUNS_AT_ONCE = 3
ASKED = ("answers", "uses its bound", "reports nothing", "hangs up half way", "limits the rate")
SOAK = (pytest.mark.soak, pytest.mark.timeout(3600))


class Crowd:
    """Runs, and outside callers of their gateways that take no notice of a dead server but try again.

    Attributes:
        runs: All runs that were started.
        answered: Calls that the callers got a whole answer to.
    """

    def __init__(self, client: EvalRouter) -> None:
        self._client = client
        self._keys: list[GatewayKey] = []
        self._over = threading.Event()
        self.runs: list[Run] = []
        self.answered = 0

    def keep_busy(self) -> None:
        """See to it that some runs have not ended."""
        keys = [key for key in self._keys if not self._client.runs.get(key.run_id).has_ended]
        while len(keys) < RUNS_AT_ONCE:
            number = len(self.runs)
            run = self._client.runs.create(
                benchmark="first-steps",
                model="connection:double",
                coverage={"mode": "sample", "sample_count": TASKS, "seed": number},
                concurrency=LANES,
                idempotency_key=f"run {number}",
            )
            self.runs.append(run)
            keys.append(run.gateway_key())
        self._keys = keys

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Callers call meanwhile."""
        with ThreadPoolExecutor(CALLERS) as threads:
            callers = [threads.submit(self._call_on) for _ in range(CALLERS)]
            try:
                yield
            finally:
                self._over.set()
            for caller in callers:
                caller.result()

    def _call_on(self) -> None:
        with httpx.Client(timeout=30, trust_env=False) as http:
            for fault, stream in itertools.cycle(itertools.product(ASKED, (False, True))):
                if self._over.is_set():
                    return
                self._call(http, random.choice(self._keys), fault, stream)

    def _call(self, http: httpx.Client, key: GatewayKey, fault: str, stream: bool) -> None:
        body = {
            "model": key.model,
            "messages": [{"role": "user", "content": f"please: {fault}"}],
            "max_tokens": 100,
            "stream": stream,
        }
        try:
            response = http.post(
                f"{key.base_url}/chat/completions", json=body, headers={"Authorization": f"Bearer {key.secret}"}
            )
        except httpx.TransportError:
            time.sleep(0.05)
            return
        assert response.status_code in (200, 401, 402, 403, 429, 502), response.text
        self.answered += response.status_code == 200
        if response.status_code in (401, 402, 403):
            time.sleep(0.05)


@pytest.mark.parametrize("kills", [pytest.param(5, marks=pytest.mark.timeout(600)), pytest.param(100, marks=SOAK)])
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_gateway_that_is_killed_explains_every_charge(
    kind: str, kills: int, tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(kills)
    with empty_database(kind, tmp_path) as database, FaultyProvider(seconds_per_task=0.2) as provider:
        with serve(database, data_dir) as service:
            assert service.owner_key is not None
            port = int(service.base_url.rpartition(":")[2])
            monkeypatch.setenv("EVALROUTER_BASE_URL", service.base_url)
            monkeypatch.setenv("EVALROUTER_API_KEY", service.owner_key)
            client = EvalRouter()
            provider.connect(client)
            crowd = Crowd(client)
            crowd.keep_busy()
        with client, crowd.calling():
            for _ in range(kills):
                with serve(database, data_dir, port) as service:
                    crowd.keep_busy()
                    time.sleep(chance.uniform(0.0, 1.0))
                    kill(service.process)
        with serve(database, data_dir, port), EvalRouter() as client:
            provider.seconds_per_task = 0.0
            ended = [client.runs.get(run.id).wait(60) for run in crowd.runs]
            verified = evalrouter("wallet", "verify", "--json")
            assert verified.returncode == 0, verified.stdout
            assert json.loads(verified.stdout)["ok"]
            workspace_id = client.whoami().workspace_id
        assert {run.status for run in ended} <= {"completed", "partial"}
        assert crowd.answered > kills
        books = read_books(database, workspace_id)
        books.assert_right(PUT_IN)
        books.assert_answered(len(provider.requests), provider.told)
        assert not [attempt for attempt in books.tries if attempt.status == "open"]
        assert [attempt for attempt in books.tries if (attempt.error or "").startswith("interrupted")]
        assert sum(run.graded for run in books.runs) == sum(run.coverage.graded for run in ended) > 0


def read_books(database_url: str, workspace_id: str) -> Books:
    """The books of a workspace in a database that nobody works on."""

    async def read() -> Books:
        database = await Database.open(database_url)
        try:
            return await database.read(lambda connection: Books.read(connection, workspace_id))
        finally:
            await database.close()

    return asyncio.run(read())
