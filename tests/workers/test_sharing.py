"""Several servers and workers on one database: every limit holds for all of them, and nobody starves."""

import re
import subprocess
import threading
from pathlib import Path

import httpx
import pytest
from evalrouter_server.store import settings
from evalrouter_server.store.database import Database
from evalrouter_server.store.versions import VERSION

from evalrouter import EvalRouter
from tests.databases import empty_database, run_apart
from tests.e2e.programs import COMMAND, PATIENCE_SECONDS, first_line, program, wait_until
from tests.workers.fleet import Fleet, GatedProvider, assert_graded_once, graded, start_sums

PROVIDERS_LIMIT, WORKSPACES_LIMIT = 4, 6


@pytest.mark.timeout(300)
def test_limits_hold_on_all_machines_and_a_slow_provider_starves_nobody(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALROUTER_SERVER_PROVIDER_CONCURRENCY", f'{{"*": {PROVIDERS_LIMIT}}}')
    monkeypatch.setenv("EVALROUTER_SERVER_WORKSPACE_CONCURRENCY", str(WORKSPACES_LIMIT))
    with GatedProvider() as slow, GatedProvider() as quick, Fleet(database, tmp_path) as fleet:
        other_server = fleet.serve()
        for _ in range(2):
            fleet.work(16)
        slow.is_open = False
        held = start_sums(fleet.client, slow, tmp_path, 20, 16, "slow")
        wait_until(lambda: slow.held == PROVIDERS_LIMIT, 150)
        run = start_sums(other_server, quick, tmp_path, 40, 16, "quick")
        run.wait(150)
        assert assert_graded_once(other_server, run, 40) == 0
        assert quick.most_held <= WORKSPACES_LIMIT - PROVIDERS_LIMIT
        assert graded(held) == 0
        slow.is_open = True
        held.wait(150)
        assert assert_graded_once(fleet.client, held, 20) == 0
        assert slow.most_held == PROVIDERS_LIMIT


@pytest.mark.timeout(300)
def test_equal_creates_through_two_servers_start_one_run(
    database: str, provider: GatedProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both servers work on runs too; the one that made the run may go away."""
    monkeypatch.setenv("EVALROUTER_SERVER_WORKER_CONCURRENCY", "8")
    with Fleet(database, tmp_path) as fleet:
        servers = [fleet.client, fleet.serve()]
        provider.connect(fleet.client)
        provider.is_open = False
        ids: list[str] = []

        def create(client: EvalRouter) -> None:
            run = client.runs.create(
                benchmark="first-steps", model="connection:double", max_cost=1, concurrency=8, wait=False
            )
            ids.append(run.id)

        threads = [threading.Thread(target=create, args=(client,)) for client in servers * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(ids)) == 1
        wait_until(lambda: provider.held > 0, 150)
        fleet.stop_first_server(lambda: setattr(provider, "is_open", True))
        run = servers[1].runs.get(ids[0]).wait(150)
        assert assert_graded_once(servers[1], run, 120) == 0
        assert len(provider.requests) == 120
        assert provider.most_held <= 8


@pytest.mark.timeout(300)
def test_the_command_works_tells_operators_and_refuses_another_version(
    database: str, provider: GatedProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALROUTER_SERVER_MONITORING_PORT", "0")
    command = (*COMMAND, "worker", "--database", database, "--data-dir", str(tmp_path / "worker"), "--concurrency", "4")
    early = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert early.returncode == 2
    assert "start a server of this one first" in early.stderr
    with Fleet(database, tmp_path) as fleet, program(*command) as worker:
        operators = first_line(worker).rpartition(" ")[2]
        assert re.search(r"works as inst_\w+, on 4 tasks at a time", first_line(worker))
        run = start_sums(fleet.client, provider, tmp_path, 12, 4, "command")
        run.wait(150)
        assert assert_graded_once(fleet.client, run, 12) == 0
        with httpx.Client(base_url=operators, trust_env=False, timeout=PATIENCE_SECONDS) as operator:
            assert (operator.get("/live").status_code, operator.get("/ready").status_code) == (200, 200)
            numbers = operator.get("/metrics").text
        for told in (
            'calls_total{outcome="settled"} 12.0',
            'instances{kind="worker"} 1.0',
            "lanes 4.0",
            "lanes_in_use 0.0",
        ):
            assert f"evalrouter_{told}" in numbers, numbers
        run_apart(set_version(database, "99.0"))
        assert worker.wait(PATIENCE_SECONDS) == 2
        assert worker.stderr is not None
        assert "the database belongs to version 99.0" in worker.stderr.read()
    on_sqlite = (*COMMAND, "worker", "--data-dir", str(tmp_path / "worker"))
    refused = subprocess.run(on_sqlite, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert refused.returncode == 2
    assert "--database postgresql://" in refused.stderr


async def set_version(database_url: str, version: str) -> None:
    database = await Database.open(database_url)
    try:
        await database.write(lambda connection: settings.put(connection, VERSION, version))
    finally:
        await database.close()


def test_a_worker_on_an_empty_database_says_what_to_do(tmp_path: Path) -> None:
    with empty_database("postgresql", tmp_path) as url:
        command = [*COMMAND, "worker", "--database", url, "--data-dir", str(tmp_path)]
        process = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == (
        "The worker cannot go on: the database is empty: start a server on it first, with the secret of the workers\n"
    )
