"""Ctrl-C, prompts and waiting: what the user is told, and that nothing is done twice."""

import json
import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.cli.conftest import PATIENCE_SECONDS, Command
from tests.cli.provider import Provider

RUN = ("run", "first-steps", "--model", "connection:slow", "--sample", "12", "--concurrency", "2", "--new")
RUN_ID = re.compile(r"run_[0-9a-z]{26}")


@pytest.fixture(autouse=True)
def slow(evalrouter: Command, provider: Provider) -> Iterator[None]:
    """A connection whose answers take a while."""
    evalrouter(
        "connections", "create", "slow", "--base-url", provider.base_url, "--model", "upstream-1", "--free"
    )  # the second time it is there already
    provider.delay_seconds = 0.3
    yield
    provider.delay_seconds = 0.0


def start(evalrouter: Command, *arguments: str) -> tuple[subprocess.Popen[str], str]:
    """Start a run of twelve tasks, two at a time, and wait until it says its ID."""
    process = evalrouter.start(*RUN, *arguments)
    return process, told(process, RUN_ID)


def told(process: subprocess.Popen[str], expected: re.Pattern[str]) -> str:
    """Wait for a line on standard error that has what is expected; a slow machine is first told that it is prepared."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        if found := expected.search(line):
            return found.group()
        lines.append(line)
    pytest.fail(f"not said: {expected.pattern} in {lines}")


def answered(provider: Provider, count: int) -> None:
    """Wait until the provider has answered so many calls."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while provider.calls < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_ctrl_c_pauses_an_embedded_run_and_resume_goes_on(evalrouter: Command, provider: Provider) -> None:
    before = provider.calls
    process, run_id = start(evalrouter)
    answered(provider, before + 3)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 6
    assert stdout == ""
    assert stderr.endswith(f"paused; go on with: evalrouter resume {run_id}\n")
    assert "Traceback" not in stderr
    paused = evalrouter("runs", "show", run_id)
    assert paused.code == 0
    assert "(paused)" in paused.stdout
    assert "partial: " in paused.stdout
    resumed = evalrouter("resume", run_id, "--json")
    assert resumed.code == 0, resumed.stderr
    assert resumed.document["coverage"]["graded"] == 12
    assert provider.calls == before + 12


def test_sigterm_pauses_too_and_json_says_so(evalrouter: Command, provider: Provider) -> None:
    before = provider.calls
    process, run_id = start(evalrouter, "--json")
    answered(provider, before + 2)
    process.send_signal(signal.SIGTERM)
    stdout, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 6
    error = json.loads(stdout)["error"]
    assert (error["code"], error["details"]) == ("paused", {"run_id": run_id})
    assert evalrouter("cancel", run_id, "--json").document["status"] == "cancelled"
    assert evalrouter("wait", run_id).code == 4


def test_a_closed_terminal_pauses(evalrouter: Command, provider: Provider) -> None:
    before = provider.calls
    process, run_id = start(evalrouter)
    answered(provider, before + 2)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 6
    paused = evalrouter("runs", "show", run_id, "--json").document
    assert paused["status"] == "paused"
    assert paused["coverage"]["graded"] == provider.calls - before
    assert evalrouter("cancel", run_id).code == 0


def test_ctrl_c_of_a_watcher_leaves_the_run_to_its_owner(evalrouter: Command, provider: Provider) -> None:
    before = provider.calls
    provider.delay_seconds = 3.0
    owner, run_id = start(evalrouter)
    watcher = evalrouter.start("wait", run_id)
    told(watcher, re.compile(run_id))
    watcher.send_signal(signal.SIGINT)
    _, stderr = watcher.communicate(timeout=PATIENCE_SECONDS)
    assert watcher.returncode == 6
    assert stderr.endswith(f"still running; watch with: evalrouter wait {run_id}\n")
    provider.delay_seconds = 0.0
    owner.communicate(timeout=PATIENCE_SECONDS)
    assert owner.returncode == 0
    assert provider.calls == before + 12


def test_a_time_limit_stops_watching(evalrouter: Command, provider: Provider) -> None:
    limited = evalrouter(*RUN, "--timeout", "0.5")
    assert limited.code == 6
    resume = re.search(r"paused; go on with: evalrouter resume (run_\w+)\n", limited.stderr)
    assert resume
    provider.delay_seconds = 0.0
    assert evalrouter("wait", resume.group(1)).code == 0


def test_without_waiting_the_embedded_run_is_paused_and_says_so(evalrouter: Command, provider: Provider) -> None:
    left = evalrouter(*RUN, "--no-wait", "--json")
    assert left.code == 0
    run_id = left.document["id"]
    assert f"evalrouter resume {run_id}" in left.stderr
    assert evalrouter("runs", "show", run_id, "--json").document["status"] == "paused"
    provider.delay_seconds = 0.0
    resumed = evalrouter("resume", run_id, "--json")
    assert (resumed.code, resumed.document["status"]) == (0, "completed")


def test_declining_starts_nothing_and_yes_answers(evalrouter: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalrouter_cli.output.may_ask", lambda: True)
    before = evalrouter("runs", "list", "--json").document
    for answer in ("n\n", "\n", ""):
        declined = evalrouter(*RUN, "--json", given=answer)
        assert declined.code == 5
        assert declined.document["error"]["code"] == "declined"
        assert "at most 0.00 USD" in declined.stderr
    assert evalrouter("runs", "list", "--json").document == before
    assert evalrouter(*RUN, "--yes").code == 0
    assert evalrouter(*RUN, "--max-cost", "1").code == 0


def at_terminal(evalrouter: Command, answer: str, *arguments: str) -> tuple[int, str]:
    """Run the command at a terminal and answer its question."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [*evalrouter.program, *arguments],
        stdin=child,
        stdout=child,
        stderr=child,
        cwd=evalrouter.folder,
        env=evalrouter.environment | {"TERM": "xterm"},
        start_new_session=True,
    )
    os.close(child)
    written = b""
    asked = False
    while True:
        try:
            chunk = os.read(parent, 65536)
        except OSError:
            break
        if not chunk:
            break
        written += chunk
        if not asked and b"[y/N]" in written:
            asked = True
            os.write(parent, answer.encode())
    os.close(parent)
    return process.wait(PATIENCE_SECONDS), written.decode()


def test_at_a_terminal_it_asks_and_shows_a_bar(evalrouter: Command) -> None:
    code, written = at_terminal(evalrouter, "y\n", *RUN, "--name", "asked")
    assert code == 0
    assert "at most 0.00 USD" in written
    assert "12/12" in written
    assert "Traceback" not in written


def test_ctrl_c_twice_leaves_at_once_and_json_says_so(evalrouter: Command, provider: Provider) -> None:
    provider.delay_seconds = 5.0
    process, run_id = start(evalrouter, "--json")
    process.send_signal(signal.SIGINT)
    told(process, re.compile("pausing"))
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=4.0)
    assert process.returncode == 6
    assert json.loads(stdout)["error"]["details"] == {"run_id": run_id}
    assert stderr == f"stopped at once; go on with: evalrouter resume {run_id}\n"
    assert evalrouter("cancel", run_id).code == 0
