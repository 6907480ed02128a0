"""A hostile agent harms nothing: each case has a clear result, and no process is left."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evalrouter.agents import TaskFailed
from evalrouter.agents.acp import permissions, session
from evalrouter.agents.acp.process import KeptProcess
from tests.agents.acp.working import KEY, Recorder, alive, context_of, eventually, hostile, new_token, until

pytestmark = pytest.mark.timeout(240)


class Outcome(Recorder):
    """What came of a task."""

    failure: TaskFailed | None = None
    seconds: float = 0.0

    @property
    def code(self) -> str | None:
        return self.failure.code if self.failure else None

    @property
    def details(self) -> str:
        return (self.failure.details if self.failure else None) or ""


async def work(tmp_path: Path, behaviour: str, *arguments: str, start: float = 60.0, **options: Any) -> Outcome:
    """Has the hostile agent work on a task; checks that it is over for good afterwards."""
    token, outcome = new_token(), Outcome()
    agent = hostile(behaviour, token, *arguments, start=start, **options)
    began = time.monotonic()
    try:
        await agent.run(context_of(tmp_path / "task", outcome))
    except TaskFailed as error:
        outcome.failure = error
    outcome.seconds = time.monotonic() - began
    assert alive(token) == []
    assert outcome.is_done == bool(outcome.submitted) == (outcome.failure is None)
    assert list((tmp_path / "tmp").iterdir()) == []
    return outcome


@pytest.fixture(autouse=True)
def _own_temporary_folder_and_short_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(session, "CANCEL_SECONDS", 0.5)


async def test_an_agent_that_behaves_answers_with_its_last_message(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "good")
    assert outcome.submitted == ["The answer is 1."]


async def test_one_that_floods_its_standard_error_neither_hangs_nor_fills_the_disk(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "flood_stderr")
    assert outcome.submitted == ["42"]


async def test_of_standard_error_a_bounded_part_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    end = KeptProcess.end

    async def measured(kept: KeptProcess) -> None:
        await end(kept)
        sizes.extend(path.stat().st_size for path in (tmp_path / "tmp").glob("*/stderr.log"))

    monkeypatch.setattr(KeptProcess, "end", measured)
    await work(tmp_path, "flood_stderr")
    assert sizes == [session.STDERR_BYTES]


async def test_one_that_never_answers_is_ended_at_its_time_limit(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "sleep_for_ever", timeout=1)
    assert outcome.code == "agent_timeout"
    assert "did not finish within 1 seconds" in str(outcome.failure)
    assert outcome.seconds < 60


async def test_one_that_never_gets_ready_is_ended_at_its_time_limit(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "never_initializes", start=1.0)
    assert outcome.code == "agent_start_timeout"


async def test_an_answer_after_the_time_limit_is_not_taken(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "answer_after_cancel", timeout=1)
    assert (outcome.code, outcome.submitted) == ("agent_timeout", [])


async def test_one_that_floods_updates_is_ended_at_its_time_limit(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "flood_updates", timeout=0.5)
    assert outcome.code == "agent_timeout"


async def test_daemons_with_sessions_of_their_own_end_with_a_success(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "daemons")
    assert outcome.submitted == ["42"]


async def test_daemons_end_with_a_time_out_though_they_ignore_polite_signals(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "daemons_and_hang", timeout=2)
    assert outcome.code == "agent_timeout"


async def test_daemons_end_with_a_crash(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "daemons_and_crash")
    assert outcome.code == "agent_crashed"
    assert "exit status 3" in str(outcome.failure)
    assert outcome.details == "I give up"


async def test_daemons_end_with_a_cancelled_task(tmp_path: Path) -> None:
    token = new_token()
    task = asyncio.create_task(hostile("daemons_and_hang", token).run(context_of(tmp_path / "task", Recorder())))
    await eventually(lambda: len(alive(token)) >= 6)  # keeper, agent and four daemons: the scan sees them
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(token) == []


async def test_daemons_end_where_the_cancelled_task_is_cancelled_again_and_again(tmp_path: Path) -> None:
    token = new_token()
    task = asyncio.create_task(hostile("daemons_and_hang", token).run(context_of(tmp_path / "task", Recorder())))
    await eventually(lambda: len(alive(token)) >= 6)
    while not task.done():
        task.cancel()
        await asyncio.sleep(0.01)
    await eventually(lambda: not alive(token))


async def test_one_that_kills_its_keeper_takes_its_marked_processes_along(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "kill_keeper", timeout=60)
    assert outcome.code == "agent_crashed"


async def test_processes_that_hand_over_to_new_ones_all_the_time_are_ended(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "fork_and_fork")
    assert outcome.submitted == ["42"]


async def test_files_outside_the_folder_are_neither_written_nor_read(tmp_path: Path) -> None:
    secret, target = tmp_path / "outside/secret", tmp_path / "outside/target"
    secret.parent.mkdir()
    secret.write_text("private")
    outcome = await work(tmp_path, "write_outside", str(secret), str(target))
    refused, _, rest = outcome.submitted[0].partition("]")
    assert set(json.loads(f"{refused}]")) == {False}
    assert rest == "{}{'content': 'two\\n'}"
    assert secret.read_text() == "private"
    assert not any(path.exists() for path in (target, tmp_path / "escaped", tmp_path / "task/escaped"))


async def test_the_default_policy_allows_what_stays_in_the_folder(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "permissions")
    allowed, refused = "allow_once!", "reject_once!"
    assert outcome.submitted == [" ".join([allowed, refused, refused, refused, allowed, refused, refused])]
    assert any("edit outside" in note and "/etc/passwd is outside" in note for note in outcome.notes)


async def test_the_policy_deny_allows_nothing(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "permissions", permission="deny")
    assert outcome.submitted == [" ".join(["reject_once!"] * 7)]


async def test_one_that_asks_for_ever_is_stopped(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "permissions_for_ever")
    assert outcome.code == "agent_asked_too_often"
    assert len(outcome.notes) == permissions.MOST_REQUESTS


async def test_unknown_updates_and_stop_reasons_are_tolerated(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    outcome = await work(tmp_path, "unknown_updates")
    assert outcome.submitted == ["42"]
    assert "the agent stopped with satori" in outcome.notes
    assert caplog.text == ""


async def test_secrets_are_neither_given_nor_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET_TOKEN", "hunter2")
    monkeypatch.setenv("EVALROUTER_API_KEY", "hunter2")
    added = {"OWN_TOKEN": "own-secret-value", "OWN_PLACE": "own-private-value"}
    outcome = await work(tmp_path, "secrets", env=added)
    crashed = await work(tmp_path, "secrets_and_crash", env=added)
    said = " ".join([*outcome.submitted, *outcome.notes, str(crashed.failure), crashed.details])
    assert "my key is [hidden] and [hidden]" in said
    assert "OPENAI_BASE_URL" in crashed.details
    for secret in (KEY, "own-secret-value", "own-private-value", "hunter2", "MY_SECRET_TOKEN", "EVALROUTER_API_KEY"):
        assert secret not in said


async def test_one_that_closes_its_output_has_failed(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "close_stdout")
    assert outcome.code == "agent_crashed"
    assert "closed its output before it answered session/prompt" in str(outcome.failure)


async def test_lines_of_50_mb_are_skipped(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "long_lines")
    assert outcome.submitted == ["42"]


async def test_lines_that_are_no_messages_are_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    outcome = await work(tmp_path, "bad_json")
    assert outcome.submitted == ["42"]
    assert caplog.text == ""


async def test_one_that_only_writes_such_lines_has_failed(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "bad_json_for_ever")
    assert outcome.code == "agent_protocol_error"
    assert "I am just logging" in outcome.details


async def test_one_that_asks_and_never_reads_is_ended_at_its_time_limit(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "no_read", timeout=1)
    assert outcome.code == "agent_timeout"


async def test_no_answer_is_not_a_wrong_answer(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "no_answer")
    assert outcome.code == "no_answer"


async def test_an_error_of_any_form_fails_the_task(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "error")
    assert outcome.code == "agent_error"
    assert "it is broken" in str(outcome.failure)


async def test_one_that_crashes_at_the_start_says_why(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "crashes_at_start")
    assert (outcome.code, outcome.details) == ("agent_crashed", "no such model")


async def test_one_that_wants_a_login_is_told_apart(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "needs_login")
    assert outcome.code == "agent_needs_login"


async def test_folders_that_were_locked_are_removed(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "locked_folders")
    assert outcome.submitted == ["42"]


async def test_commands_in_terminals_are_bounded_and_end_with_the_task(tmp_path: Path) -> None:
    outcome = await work(tmp_path, "terminals")
    ended, output, is_gone, length, is_cut, opened, is_killed = json.loads(outcome.submitted[0])
    assert ended == {"exitCode": 3}
    assert output == {"output": "hello\n", "truncated": False, "exitStatus": {"exitCode": 3}}
    assert (is_gone, length, is_cut, opened, is_killed) == (True, 1000, True, 15, True)


SDK = """
import asyncio, os, signal, sys, time
from pathlib import Path
from evalrouter.agents.acp.process import KeptProcess
from tests.agents.acp.working import Recorder, context_of, hostile

def leave_a_child(*_):
    if os.fork() == 0:
        time.sleep(600)  # holds the lifelines that it inherited
        os._exit(0)

async def main():
    signal.signal(signal.SIGUSR1, leave_a_child)
    folder, token = Path(sys.argv[1]), sys.argv[2]
    agents = [hostile("daemons_and_hang", token).run(context_of(folder / str(n), Recorder())) for n in range(2)]
    await asyncio.gather(*agents, hostile("terminals_and_hang", token).run(context_of(folder / "t", Recorder())))

asyncio.run(main())
"""


@pytest.mark.parametrize(("name", "children"), [("SIGKILL", 0), ("SIGKILL", 1), ("SIGINT", 0), ("SIGTERM", 0)])
def test_the_end_of_the_sdk_ends_its_agents(tmp_path: Path, name: str, children: int) -> None:
    """Also where a forked child of the SDK lives on with the pipes that it inherited."""
    token = new_token()
    arguments = [sys.executable, "-c", SDK, str(tmp_path), token]
    with subprocess.Popen(arguments, start_new_session=True, stderr=subprocess.DEVNULL) as sdk:
        try:
            # the SDK; two keepers, agents and four daemons each; a keeper, an agent, two terminals of three
            until(lambda: len(alive(token)) >= 1 + 2 * 6 + 2 + 2 * 3)
            if children:
                sdk.send_signal(signal.SIGUSR1)
                until(lambda: len(alive(token)) > 1 + 2 * 6 + 2 + 2 * 3)
            sdk.send_signal(signal.Signals[name])
            sdk.wait(60)
            until(lambda: len(alive(token)) == children)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(sdk.pid, signal.SIGKILL)
