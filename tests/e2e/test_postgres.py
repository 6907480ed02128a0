"""`serve --database postgresql://...` as a process: a run end to end, and runs that go on by themselves."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalrouter import EvalRouter, Run
from tests.databases import empty_database
from tests.e2e.audit import audit
from tests.e2e.programs import PATIENCE_SECONDS, Service, kill, serve, wait_until
from tests.e2e.provider import Provider

COUNT, LANES = 20, 3


@pytest.fixture
def database(tmp_path: Path, data_dir: Path) -> Iterator[str]:
    """An empty PostgreSQL database of the test's own."""
    with empty_database("postgresql", tmp_path) as url:
        yield url


def client_of(service: Service, key: str) -> EvalRouter:
    return EvalRouter(base_url=service.base_url, api_key=key)


def start(client: EvalRouter, provider: Provider) -> Run:
    return client.runs.create(
        benchmark="first-steps",
        model=provider.connect(client),
        max_cost=1,
        coverage={"mode": "sample", "sample_count": COUNT},
        concurrency=LANES,
    )


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_goes_on_by_itself_after_a_restart(
    database: str, data_dir: Path, provider: Provider, how: signal.Signals
) -> None:
    provider.delay_seconds = 0.2
    with serve(database, data_dir) as service:
        assert service.owner_key is not None
        key = service.owner_key
        with client_of(service, key) as client:
            assert client.whoami().embedded is False
            assert client.wallet.get().available == 20
            run_id = start(client, provider).id
            wait_until(lambda: len(provider.requests) > 2 * LANES)
        if how is signal.SIGKILL:
            kill(service.process)
        else:
            service.process.send_signal(how)
            assert service.process.wait(PATIENCE_SECONDS) == 0
    sent = len(provider.requests)
    assert sent < COUNT

    provider.delay_seconds = 2.0
    with serve(database, data_dir) as service:
        assert service.owner_key is None
        with client_of(service, key) as client:
            assert client.runs.resume(run_id).status == "running"
            assert client.runs.get(run_id).coverage.graded <= sent
            wait_until(lambda: len(provider.requests) > sent)
            provider.delay_seconds = 0.0
            run = client.runs.get(run_id).wait(PATIENCE_SECONDS)
            assert (run.status, run.coverage.graded) == ("completed", COUNT), run.data.status_reason
            lost = audit(client, run, provider.asked)
            if how is signal.SIGKILL:
                assert 1 <= len(lost) <= LANES
            else:
                assert lost == []
                assert len(provider.requests) == COUNT
            seqs = [event.seq for event in run.events()]
            assert seqs == list(range(1, len(seqs) + 1))


def test_a_wait_outlives_a_restart_of_the_server(database: str, data_dir: Path, provider: Provider) -> None:
    provider.delay_seconds = 0.2
    with serve(database, data_dir) as service:
        assert service.owner_key is not None
        port = int(service.base_url.rpartition(":")[2])
        with client_of(service, service.owner_key) as client:
            run = start(client, provider)
            seen: list[int] = []
            wait_until(lambda: len(provider.requests) > LANES)
            kill(service.process)
            with serve(database, data_dir, port):
                run.wait(PATIENCE_SECONDS, on_progress=lambda progress: seen.append(progress.done))
                assert (run.status, run.coverage.graded) == ("completed", COUNT), run.data.status_reason
                assert seen == sorted(seen)
                assert seen[-1] == COUNT
                audit(client, run, provider.asked)
