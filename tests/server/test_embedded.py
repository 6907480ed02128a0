"""The service inside a process: how it starts, pauses, is found again and ends."""

import json
import os
import stat
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from evalrouter_server.embedded import EmbeddedServer, Endpoint

from tests.server.conftest import Upstream


def client_of(endpoint: Endpoint) -> httpx.Client:
    headers = {"Authorization": f"Bearer {endpoint.api_key}"}
    return httpx.Client(base_url=endpoint.base_url, headers=headers, timeout=30, trust_env=False)


def create_run(client: httpx.Client, upstream: Upstream, count: int, concurrency: int) -> dict[str, Any]:
    connection = client.post(
        "/v1/connections",
        json={
            "name": "double",
            "kind": "model",
            "base_url": upstream.base_url,
            "upstream_model": "double-1",
            "pricing": {"type": "per_token", "input_usd_per_mtok": "1", "output_usd_per_mtok": "1"},
        },
    ).json()
    benchmark = client.get("/v1/benchmarks", params={"match": "first-steps"}).json()["items"][0]
    spec = {
        "benchmark_id": benchmark["id"],
        "model_id": connection["model_id"],
        "coverage": {"mode": "sample", "sample_count": count},
        "concurrency": concurrency,
    }
    run: dict[str, Any] = client.post("/v1/runs", json={"source": "spec", "spec": spec}).json()
    return run


def wait_until(condition: Any, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)


def test_it_starts_with_an_owner_and_an_allowance(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    endpoint = server.start()
    try:
        assert endpoint.pid == os.getpid()
        with client_of(endpoint) as client:
            identity = client.get("/v1/whoami").json()
            assert identity["workspace_id"] == endpoint.workspace_id
            assert client.get("/v1/wallet").json()["available_microusd"] == 20_000_000
    finally:
        server.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{endpoint.base_url}/v1/health", trust_env=False)
    server.stop()


def test_only_its_user_may_read_the_key(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "new")
    server.start()
    server.stop()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new" / "credentials.json").stat().st_mode) == 0o600


def test_it_is_the_same_workspace_again_and_a_lost_key_is_made_anew(tmp_path: Path) -> None:
    endpoints = []
    for _ in range(3):
        server = EmbeddedServer(tmp_path)
        endpoints.append(server.start())
        server.stop()
        if len(endpoints) == 2:
            (tmp_path / "credentials.json").unlink()
    first, second, third = endpoints
    assert first.api_key == second.api_key != third.api_key
    assert first.workspace_id == second.workspace_id == third.workspace_id


def test_a_port_in_use_is_an_error_and_leaves_nothing_running(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "a")
    endpoint = server.start()
    try:
        threads = threading.active_count()
        with pytest.raises(OSError, match="in use"):
            EmbeddedServer(tmp_path / "b", port=int(endpoint.base_url.rpartition(":")[2])).start()
        wait_until(lambda: threading.active_count() == threads)
    finally:
        server.stop()


def test_stopping_pauses_runs_and_resuming_goes_on(tmp_path: Path, upstream: Upstream) -> None:
    upstream.gate.clear()
    server = EmbeddedServer(tmp_path)
    with client_of(server.start()) as client:
        run = create_run(client, upstream, count=6, concurrency=2)
        wait_until(lambda: upstream.requests == 2)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    time.sleep(0.3)
    upstream.gate.set()
    stopping.join(10)
    assert not stopping.is_alive()
    assert upstream.requests == 2

    again = EmbeddedServer(tmp_path)
    with client_of(again.start()) as client:
        path = f"/v1/runs/{run['id']}"
        paused = client.get(path).json()
        assert paused["status"] == "paused"
        assert paused["coverage"]["graded"] == 2
        time.sleep(0.3)
        assert client.get(path).json()["status"] == "paused"
        assert client.get(f"{path}/events/stream").text.count("event: run.paused") == 1
        resumed = client.post(f"{path}/resume")
        assert resumed.status_code == 200
        client.get(f"{path}/events/stream")
        ended = client.get(path).json()
        assert ended["status"] == "completed"
        assert ended["charge_microusd"] == 6 * 23
        assert upstream.requests == 6
        assert client.get("/v1/wallet/verification").json()["ok"] is True
        again.stop()


def test_stopping_ends_an_event_stream(tmp_path: Path, upstream: Upstream) -> None:
    upstream.gate.clear()
    server = EmbeddedServer(tmp_path)
    with client_of(server.start()) as client:
        run = create_run(client, upstream, count=2, concurrency=1)
        wait_until(lambda: upstream.requests == 1)
        threading.Timer(0.3, upstream.gate.set).start()
        with client.stream("GET", f"/v1/runs/{run['id']}/events/stream") as stream:
            lines = stream.iter_lines()
            next(lines)
            began = time.monotonic()
            server.stop()
            list(lines)
    assert time.monotonic() - began < 5


def test_a_process_that_just_ends_pauses_its_run(tmp_path: Path, upstream: Upstream) -> None:
    """Nothing is left behind when a script ends without a word: no hang, no lost call, the run paused."""
    script = textwrap.dedent(
        """
        import json, sys, time
        from pathlib import Path
        from tests.server.test_embedded import *
        endpoint = EmbeddedServer(Path(sys.argv[1])).start()
        upstream = type("Elsewhere", (), {"base_url": sys.argv[2]})
        with client_of(endpoint) as client:
            run = create_run(client, upstream, count=120, concurrency=2)
        print(json.dumps(run["id"]))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), upstream.base_url],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    run_id = json.loads(done.stdout)
    server = EmbeddedServer(tmp_path)
    with client_of(server.start()) as client:
        run = client.get(f"/v1/runs/{run_id}").json()
        calls = client.get(f"/v1/runs/{run_id}/calls", params={"limit": 200}).json()["items"]
        assert client.get("/v1/wallet/verification").json()["ok"] is True
    server.stop()
    assert run["status"] == "paused"
    assert run["reserved_microusd"] == 0
    assert {call["status"] for call in calls} <= {"settled"}
