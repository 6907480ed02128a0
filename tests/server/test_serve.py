"""`python -m evalrouter_server serve` as a process."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.databases import empty_database
from tests.server.conftest import Upstream
from tests.server.test_embedded import create_run, wait_until


@contextmanager
def serving(data_dir: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str, str | None]]:
    """A serving process, its URL, and the owner key that it printed."""
    command = [sys.executable, "-m", "evalrouter_server", "serve", "--port", "0", "--data-dir", str(data_dir), *options]
    with (data_dir.parent / "log").open("a") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        secret = None
        for line in process.stdout:
            if found := re.search(r"shown only now: (er_\S+)$", line.strip()):
                secret = found[1]
            if found := re.search(r"serves (http://\S+)$", line.strip()):
                yield process, found[1], secret
                break
        else:
            raise AssertionError((data_dir.parent / "log").read_text())
    finally:
        process.kill()
        process.wait(10)
        if process.stdout is not None:
            process.stdout.close()


def client_of(url: str, secret: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {secret}"}
    return httpx.Client(base_url=url, headers=headers, timeout=30, trust_env=False)


def test_it_prints_the_owner_key_once_and_drains(tmp_path: Path, upstream: Upstream) -> None:
    upstream.gate.clear()
    data_dir = tmp_path / "data"
    with serving(data_dir, "--log-format", "json") as (process, url, secret):
        assert secret is not None
        with client_of(url, secret) as client:
            assert client.get("/v1/whoami").json()["embedded"] is False
            run = create_run(client, upstream, count=4, concurrency=2)
            wait_until(lambda: upstream.requests == 2)
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        upstream.gate.set()
        assert process.wait(15) == 0
    log = (tmp_path / "log").read_text()
    assert secret not in log
    assert all(json.loads(line)["time"].endswith("+00:00") for line in log.splitlines())

    with serving(data_dir) as (process, url, none):
        assert none is None
        with client_of(url, secret) as client:
            wait_until(lambda: client.get(f"/v1/runs/{run['id']}").json()["status"] == "completed")
            assert client.get(f"/v1/runs/{run['id']}").json()["charge_microusd"] == 4 * 23
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 0
    assert upstream.requests == 4


def test_it_serves_from_postgresql(tmp_path: Path, upstream: Upstream) -> None:
    with empty_database("postgresql", tmp_path) as database:
        with serving(tmp_path / "data", "--database", database) as (process, url, secret):
            assert secret is not None
            with client_of(url, secret) as client:
                run = create_run(client, upstream, count=5, concurrency=3)
                stream = client.get(f"/v1/runs/{run['id']}/events/stream").text
                assert stream.count("event: task.graded") == 5
                ended = client.get(f"/v1/runs/{run['id']}").json()
                assert (ended["status"], ended["charge_microusd"]) == ("completed", 5 * 23)
                assert client.get("/v1/wallet/verification").json()["ok"] is True
                again = client.post(
                    "/v1/wallet/top-ups", json={"amount_microusd": 7}, headers={"Idempotency-Key": "once"}
                )
                repeated = client.post(
                    "/v1/wallet/top-ups", json={"amount_microusd": 7}, headers={"Idempotency-Key": "once"}
                )
                assert again.json() == repeated.json()
            command = [sys.executable, "-m", "evalrouter_server", "serve", "--port", "0"]
            command += ["--database", database, "--data-dir", str(tmp_path / "other")]
            second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            assert second.returncode == 2
            assert "EVALROUTER_SERVER_SECRET" in second.stderr
            process.send_signal(signal.SIGTERM)
            assert process.wait(15) == 0
        assert not (tmp_path / "data" / "evalrouter.db").exists()


def test_a_second_process_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with serving(data_dir):
        command = [sys.executable, "-m", "evalrouter_server", "serve", "--port", "0", "--data-dir", str(data_dir)]
        second = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert second.returncode == 2
    assert "--data-dir" in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--database", "mysql://x/y"), "postgresql://"), (("--host", "192.0.2.1"), "cannot start")],
)
def test_what_cannot_be_used_is_said_in_one_line(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    command = [sys.executable, "-m", "evalrouter_server", "serve", "--port", "0", "--data-dir", str(tmp_path), *options]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=30, check=False, env={**os.environ, "NO_COLOR": "1"}
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
