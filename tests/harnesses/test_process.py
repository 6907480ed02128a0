"""A harness's process: what it sees, what it may print, and that nothing of it is left."""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from evalrouter_server.harnesses.process import HarnessFailed, Process

SPAWN = """
import os, subprocess, sys, time
child = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
for name, options in (("same", {}), ("escaped", {"start_new_session": True})):
    subprocess.Popen([sys.executable, "-c", child, os.path.join(sys.argv[1], name)], **options)
while len(os.listdir(sys.argv[1])) < 2:
    time.sleep(0.01)
"""


def process(tmp_path: Path, code: str, *, seconds: float = 60, online: bool = False, **variables: str) -> Process:
    return Process(Path(sys.executable), ["-c", code, str(tmp_path)], tmp_path, variables, online, seconds)


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def pids(folder: Path) -> list[int]:
    return [int(path.read_text()) for path in folder.iterdir() if path.read_text()]


async def until(met: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not (reached := met()) and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    return reached


async def gone(found: list[int]) -> bool:
    return await until(lambda: not any(lives(pid) for pid in found))


async def test_it_sees_nothing_of_the_users_secrets_and_has_folders_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the user's")
    monkeypatch.setenv("HTTPS_PROXY", "http://name:password@proxy")
    code = "import os; assert 'OPENAI_API_KEY' not in os.environ and 'HTTPS_PROXY' not in os.environ, 'leak'"
    code += f"; assert os.environ['HOME'] != {os.environ.get('HOME')!r} and os.environ['GIVEN'] == 'yes'"
    code += "; assert os.path.isdir(os.environ['HOME']) and os.path.isdir(os.environ['TMPDIR'])"
    await process(tmp_path, code, GIVEN="yes").run()


async def test_it_gets_the_proxy_only_to_fetch_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    code = "import os; assert os.environ['HTTPS_PROXY'] and 'HF_HUB_OFFLINE' not in os.environ"
    await process(tmp_path, code, online=True).run()


async def test_a_failure_says_its_last_line(tmp_path: Path) -> None:
    with pytest.raises(HarnessFailed, match="status 3: the disk is full"):
        await process(tmp_path, "import sys; print('x' * 3_000_000); print('the disk is full'); sys.exit(3)").run()


async def test_its_time_is_limited(tmp_path: Path) -> None:
    with pytest.raises(HarnessFailed, match="after 1 seconds"):
        await process(tmp_path, "import time; time.sleep(600)", seconds=1).run()


async def test_what_it_started_does_not_outlive_it(tmp_path: Path) -> None:
    await process(tmp_path, SPAWN).run()
    assert await gone(pids(tmp_path))


async def test_cancelling_kills_all_of_it(tmp_path: Path) -> None:
    work = asyncio.create_task(process(tmp_path, SPAWN + "time.sleep(600)").run())
    assert await until(lambda: len(pids(tmp_path)) == 2)
    started = time.monotonic()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert time.monotonic() - started < 5
    assert await gone(pids(tmp_path))


async def test_the_death_of_its_owner_kills_all_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    owner = f"""
import asyncio, sys
from pathlib import Path
from evalrouter_server.harnesses.process import Process
arguments = ["-c", {SPAWN + "time.sleep(600)"!r}, {str(folder)!r}]
asyncio.run(Process(Path(sys.executable), arguments, Path({str(tmp_path)!r}), {{}}, False, 60).run())
"""
    running = await asyncio.create_subprocess_exec(sys.executable, "-c", owner)
    assert await until(lambda: len(pids(folder)) == 2)
    found = pids(folder)
    running.kill()
    await running.wait()
    assert await gone(found)
