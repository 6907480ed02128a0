"""One process serves a data folder, others attach and take over. Real processes, real server."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalrouter import AsyncEvalRouter, EvalRouter, embedded
from evalrouter.errors import ConfigurationError
from evalrouter.types import Identity

pytest.importorskip("evalrouter_server")

OWNER = """
import sys
from evalrouter import EvalRouter
client = EvalRouter()
client.whoami()
print(client.owns_engine, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("EVALROUTER_DATA_DIR", str(tmp_path / "data"))
    yield tmp_path / "data"
    embedded.stop()


def start_owner() -> subprocess.Popen[str]:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    assert owner.stdout.readline() == "True\n"
    return owner


def test_the_first_client_starts_the_server_and_the_last_one_stops_it(data_dir: Path) -> None:
    with EvalRouter() as first, EvalRouter() as second:
        assert not first.owns_engine
        identity = first.whoami()
        assert isinstance(identity, Identity)
        assert identity.embedded
        assert second.whoami().workspace_id == identity.workspace_id
        file = data_dir / "endpoint.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert json.loads(file.read_text())["pid"] == os.getpid()
        first.close()
        assert second.whoami().workspace_id == identity.workspace_id
        assert second.owns_engine
    assert not second.owns_engine
    assert not file.exists()
    with EvalRouter() as third:
        assert third.whoami().workspace_id == identity.workspace_id
        assert third.raw.base_url == json.loads(file.read_text())["base_url"]


def test_a_second_process_attaches_and_takes_over_on_the_same_port(data_dir: Path) -> None:
    owner = start_owner()
    with EvalRouter() as client:
        before = client.whoami()
        assert not client.owns_engine
        url = client.raw.base_url
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        assert client.whoami() == before
        assert client.owns_engine
        assert client.raw.base_url == url


def test_a_clean_end_of_the_owner_hands_over_too(data_dir: Path) -> None:
    owner = start_owner()
    with EvalRouter() as client:
        before = client.whoami()
        owner.communicate(timeout=30)
        assert owner.returncode == 0
        assert client.whoami() == before
        assert client.owns_engine


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_attaches_and_holds_no_lock(data_dir: Path) -> None:
    reader, writer = os.pipe()
    program = f"""
import os, sys, time
from evalrouter import EvalRouter
client = EvalRouter()
before = client.whoami()
if os.fork() == 0:
    same = client.whoami() == before and not client.owns_engine
    os.write({writer}, b"attached" if same else b"wrong")
    time.sleep(60)
    os._exit(0)
os.read({reader}, 0)
sys.stdin.read()
os.kill(os.getpid(), 9)
"""
    owner = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, pass_fds=(reader, writer))
    try:
        assert os.read(reader, 100) == b"attached"
        assert owner.stdin is not None
        owner.stdin.close()
        owner.wait(timeout=30)
        with EvalRouter() as client:
            client.whoami()
            assert client.owns_engine
    finally:
        os.close(reader)
        os.close(writer)


async def test_it_works_inside_a_running_loop(data_dir: Path) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    async with AsyncEvalRouter() as client:
        assert (await client.whoami()).embedded
        assert client.owns_engine
    ticking.cancel()
    assert ticks > 5
    with EvalRouter() as sync_client:
        assert sync_client.whoami().embedded


def test_the_end_of_the_process_stops_the_server_in_order(data_dir: Path) -> None:
    program = "from evalrouter import EvalRouter; print(EvalRouter().whoami().embedded)"
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
    assert not (data_dir / "endpoint.json").exists()
    assert time.monotonic() - start < 60


def test_starting_together_ends_with_one_owner(data_dir: Path) -> None:
    program = (
        "from evalrouter import EvalRouter; c = EvalRouter(); w = c.whoami(); "
        "print(w.workspace_id, c.owns_engine, flush=True); input()"
    )
    several = [
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = [each.stdout.readline().split() for each in several if each.stdout is not None]
    for each in several:
        each.communicate("\n", timeout=60)
    assert len({workspace for workspace, _ in said}) == 1
    assert sorted(owns for _, owns in said) == ["False", "False", "True"]


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        monkeypatch.setenv("EVALROUTER_DATA_DIR", str(folder))
        with pytest.raises(ConfigurationError, match=r"The data folder .*file.* cannot be used: .*EVALROUTER_DATA_DIR"):
            EvalRouter().whoami()


@pytest.mark.parametrize("name", ["gsm8k@1", "gsm8k@2", "GSM8K@1"])
def test_a_version_is_pinned_by_name(data_dir: Path, name: str) -> None:
    with EvalRouter() as client:
        assert str(client.benchmarks.get(name)) == name.lower()
