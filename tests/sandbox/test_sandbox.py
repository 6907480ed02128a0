"""Running commands: what they see, what becomes of them, and machines without a sandbox."""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from evalrouter_server.problems import Problem
from evalrouter_server.sandbox import Command, Ended, Limits, Mount, Outcome, Sandbox, SandboxFailed, process
from evalrouter_server.sandbox.bubblewrap import PYTHON
from evalrouter_server.sandbox.command import FOLDER

from tests.sandboxes import MARKER, MarkedSandbox


@pytest.fixture
def everyones() -> Iterator[Path]:
    """A folder that everyone can enter, as where the server is root the sandbox is nobody's."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def python(code: str, **more: object) -> Command:
    return Command((PYTHON, "-I", "-S", "-c", code), **more)  # type: ignore[arg-type]


async def test_a_command_has_its_files_its_input_and_its_environment(sandbox: MarkedSandbox) -> None:
    outcome = await sandbox.run(
        Command(
            ("/bin/sh", "-c", f'cat {FOLDER}/a/b.txt - ; echo "$NAME"; echo oh >&2; exit 3'),
            files={"a/b.txt": b"file "},
            environment={"NAME": "value"},
            stdin=b"input ",
        )
    )
    assert (outcome.ended, outcome.exit_status) == (Ended.BY_ITSELF, 3)
    assert (outcome.stdout, outcome.stderr) == (b"file input value\n", b"oh\n")


async def test_input_may_be_long_and_unread(sandbox: MarkedSandbox) -> None:
    whole = os.urandom(3_000_000)
    read = await sandbox.run(Command(("/usr/bin/wc", "-c"), stdin=whole))
    assert read.stdout.strip() == b"3000000"
    assert (await sandbox.run(Command(("/bin/true",), stdin=whole))).exit_status == 0


async def test_a_signal_shows_in_the_exit_status(sandbox: MarkedSandbox) -> None:
    assert (await sandbox.run(Command(("/bin/sh", "-c", "kill -SEGV $$")))).exit_status == 128 + 11


async def test_processor_time_is_bounded(sandbox: MarkedSandbox) -> None:
    outcome = await sandbox.run(python("while True: pass", limits=Limits(wall_seconds=30, cpu_seconds=1)))
    assert outcome.exit_status == 128 + 24
    assert outcome.seconds < 25


async def test_output_is_capped_at_the_limit(sandbox: MarkedSandbox) -> None:
    outcome = await sandbox.run(python("print('x' * 5000)", limits=Limits(output_bytes=1000)))
    assert (outcome.ended, len(outcome.stdout)) == (Ended.OUTPUT, 1000)


async def test_a_folder_of_the_host_is_shown_read_only_unless_told(sandbox: MarkedSandbox, tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    shown.mkdir()
    shown.chmod(0o777)
    (shown / "in.txt").write_text("here")
    script = "cat /work/in.txt; echo out >/work/out.txt"
    locked = await sandbox.run(Command(("/bin/sh", "-c", script), mounts=(Mount(shown, "/work"),)))
    assert (locked.stdout, locked.exit_status) == (b"here", 2)
    await sandbox.run(Command(("/bin/sh", "-c", script), mounts=(Mount(shown, "/work", writable=True),)))
    assert (shown / "out.txt").read_text() == "out\n"


async def test_a_unix_socket_can_be_the_one_way_out(sandbox: MarkedSandbox, tmp_path: Path) -> None:
    path = tmp_path / "door"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o777)
        listener.listen()
        command = python(
            "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/run/door'); print(s.recv(9).decode())",
            mounts=(Mount(path, "/run/door"),),
        )

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"welcome")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        assert (await sandbox.run(command)).stdout == b"welcome\n"


async def test_cancelling_the_caller_ends_the_command(sandbox: MarkedSandbox) -> None:
    running = asyncio.create_task(sandbox.run(python("import time; time.sleep(60)", limits=Limits(wall_seconds=60))))
    await asyncio.to_thread(_until, lambda: bool(sandbox.left_running()))
    began = time.monotonic()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - began < 10
    assert sandbox.left_running() == []


async def test_no_more_run_side_by_side_than_there_are_processors(sandbox: MarkedSandbox) -> None:
    most = 0
    commands = [sandbox.run(Command(("/bin/sleep", "0.3"))) for _ in range(3 * len(os.sched_getaffinity(0)))]
    running = asyncio.gather(*commands)
    while not running.done():
        firsts = [process for process in sandbox.left_running() if _command(process) == "sleep"]
        most = max(most, len(firsts))
        await asyncio.sleep(0.02)
    assert 1 <= most <= len(os.sched_getaffinity(0))


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def test_the_sandbox_dies_with_the_server(has_sandbox: None) -> None:
    mark = f"dies-{os.getpid()}"
    program = (
        "import asyncio\n"
        "from evalrouter_server.sandbox import *\n"
        f"command = Command(('/bin/sleep', '300'), environment={{{MARKER!r}: {mark!r}}}, limits=Limits(300.0))\n"
        "asyncio.run(Sandbox().run(command))\n"
    )
    sandbox = MarkedSandbox()
    sandbox.mark = mark
    with subprocess.Popen([sys.executable, "-c", program]) as server:
        _until(lambda: bool(sandbox.left_running()))
        server.kill()
    _until(lambda: not sandbox.left_running())


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


async def test_without_bubblewrap_nothing_is_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox = Sandbox()
    with pytest.raises(Problem, match="apt install bubblewrap") as refused:
        await sandbox.require()
    assert (refused.value.code, refused.value.status) == ("sandbox_unavailable", 409)
    with pytest.raises(SandboxFailed, match="not installed"):
        await sandbox.run(Command(("/bin/true",)))


async def test_a_bubblewrap_that_cannot_make_namespaces_is_none(everyones: Path) -> None:
    broken = everyones / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    sandbox = Sandbox(str(broken))
    with pytest.raises(Problem, match="No permissions to create new namespace"):
        await sandbox.require()
    with pytest.raises(SandboxFailed, match="No permissions"):
        await sandbox.run(Command(("/bin/true",)))


async def test_it_is_probed_once(has_sandbox: None, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Command] = []
    real = process.run

    def counted(bubblewrap: str, command: Command, **how: Any) -> Outcome | None:
        ran.append(command)
        return real(bubblewrap, command, **how)

    monkeypatch.setattr(process, "run", counted)
    sandbox = Sandbox()
    await asyncio.gather(*(sandbox.require() for _ in range(5)))
    assert len(ran) == 1


async def test_a_sandbox_that_fails_is_no_outcome(sandbox: MarkedSandbox, tmp_path: Path) -> None:
    await sandbox.require()
    with pytest.raises(SandboxFailed, match="bubblewrap ended"):
        await sandbox.run(Command(("/bin/true",), mounts=(Mount(tmp_path / "missing", "/work"),)))
