"""What is shown of an agent's run: at a terminal a line for each running task, elsewhere plain lines."""

import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from evalrouter_cli import agent_progress, progress
from evalrouter_cli.agent_progress import MOST_TASKS_SHOWN, RunningTasks

from evalrouter.types import RunEvent
from tests.cli.conftest import Command
from tests.cli.provider import Provider
from tests.cli.test_stopping import at_terminal

CALLING = Path(__file__).parents[1] / "agents/acp/calling_agent.py"
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def run(evalrouter: Command, provider: Provider) -> Iterator[tuple[str, ...]]:
    """The words of a run by an agent that uses a tool between two slow calls."""
    evalrouter("connections", "create", "shown", "--base-url", provider.base_url, "--model", "upstream-1", "--free")
    agent = f"local:{sys.executable} {CALLING} tool token"
    provider.delay_seconds = 1.5
    yield "run", "first-steps", "-m", "connection:shown", "--sample", "2", "--new", "--max-cost", "1", "--agent", agent
    provider.delay_seconds = 0.0


def test_at_a_terminal_each_running_task_has_a_line(evalrouter: Command, run: tuple[str, ...]) -> None:
    code, written = at_terminal(evalrouter, "", *run)
    assert code == 0, written
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)
    assert re.search(r"running: 0 of 2 tasks, 0\.00 of at most 0\.00 USD", plain)
    assert re.search(r"^TASK +TIME +CALLS +USD +NOTE", plain, re.MULTILINE)
    assert re.search(r"^[01] +\d s +[12] +0\.00 +uses look \[2Jaround", plain, re.MULTILINE)
    assert "\x1b[2J" not in written


def test_elsewhere_they_are_plain_lines_and_json_is_one_document(
    evalrouter: Command, run: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY_SECONDS", 0.1)
    monkeypatch.setattr(agent_progress, "LOOK_EVERY_SECONDS", 0.2)
    ended = evalrouter(*run, "--json")
    assert ended.code == 0, ended.stderr
    assert ended.document["coverage"]["graded"] == 2
    assert re.search(r"^running: 0 of 2 tasks, 0\.00 of at most 0\.00 USD", ended.stderr, re.MULTILINE)
    assert re.search(r"^  task [01]: \d s, [12] calls, 0\.00 USD, uses look \[2Jaround$", ended.stderr, re.MULTILINE)
    assert "\x1b" not in ended.stderr


def event(seq: int, kind: str, task: int, **data: Any) -> RunEvent:
    return RunEvent("run_1", seq, kind, NOW, {"task_id": f"task_{task}", "position": task, **data})


def test_events_say_which_tasks_are_running() -> None:
    tasks = RunningTasks()
    tasks.apply(event(1, "task.leased", 0, repeat=0))
    tasks.apply(event(2, "task.leased", 1, repeat=2))
    tasks.apply(event(3, "task.note", 1, text="two\nlines\x07"))
    tasks.apply(event(4, "task.note", 7, text="of a task that is over"))
    tasks.apply(event(5, "task.graded", 0))
    tasks.apply(event(6, "run.of_a_newer_server", 1))
    (running,) = tasks.shown().values()
    assert tasks.seq == 6
    assert running.cells(NOW + timedelta(seconds=61)) == ["1.2", "1 min 01 s", "0", "0.00", "two lines\\x07"]
    tasks.apply(event(7, "task.returned", 1))
    for seq in range(8, 8 + MOST_TASKS_SHOWN + 3):
        tasks.apply(event(seq, "task.leased", seq, repeat=0))
    assert (len(tasks.shown()), tasks.hidden()) == (MOST_TASKS_SHOWN, 3)
