"""kill -9 in mid-run: whoever goes on grades every task once and charges no call twice."""

import json
import random
import signal
import time
from decimal import Decimal
from pathlib import Path

import pytest

from evalrouter import EvalRouter, Run
from evalrouter.types import CallTry
from tests.e2e.audit import audit, audit_calls
from tests.e2e.programs import PATIENCE_SECONDS, ended, evalrouter, first_line, kill, program, script, wait_until
from tests.e2e.provider import Provider, prompt_of

LANES = 4

RUN_A_SAMPLE = f"""
    import sys
    from evalrouter import EvalRouter

    url, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    client = EvalRouter()
    if not any(connection.name == "double" for connection in client.connections.list()):
        client.connections.create("double", base_url=url, model="double-1", input_price="1.25", output_price="10")
    run = client.runs.create(
        benchmark="first-steps",
        model="connection:double",
        max_cost=5,
        concurrency={LANES},
        coverage={{"mode": "sample", "sample_count": count, "seed": seed}},
    )
    print(run.id, flush=True)
    run.wait()
    print(run.status, flush=True)
"""
WAIT_FOR_A_RUN = """
    import sys
    from evalrouter import EvalRouter

    run = EvalRouter().runs.get(sys.argv[1])
    print(run.status, flush=True)
    print(run.wait().status, flush=True)
"""

DIE_AFTER_A_JUDGED_CALL = f"""
    import os, signal, sys
    from evalrouter_server.runners import judge
    from evalrouter import EvalRouter

    read_ruling, rulings = judge.read_ruling, []

    def die_at_the_fifth(*arguments):
        rulings.append(arguments)
        if len(rulings) == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return read_ruling(*arguments)

    judge.read_ruling = die_at_the_fifth
    run = EvalRouter().runs.create(
        benchmark="greetings", model="connection:double", max_cost=5, concurrency={LANES}, wait=False
    )
    print(run.id, flush=True)
    run.wait()
"""


def killed_in_mid_run(provider: Provider, answered: int, count: int = 24) -> str:
    """Start a run in a process of its own and kill it while calls are open; gives the run's ID."""
    provider.delay_seconds = 0.15
    with program(*script(RUN_A_SAMPLE, provider.base_url, str(count), "0")) as owner:
        run_id = first_line(owner)
        wait_until(lambda: len(provider.requests) > answered + LANES)
        kill(owner)
    provider.delay_seconds = 0.0
    return run_id


def assert_complete(run: Run, count: int) -> None:
    """Check that every task of a run was graded."""
    assert run.status == "completed", run.data.status_reason
    assert (run.coverage.selected, run.coverage.graded) == (count, count)
    assert (run.coverage.failed, run.coverage.missing) == (0, 0)
    assert [result.index for result in run.results()] == list(range(count))


def assert_charged_at_their_reservations(lost: list[CallTry], at_most: int) -> None:
    """Check what was open at a kill."""
    assert 1 <= len(lost) <= at_most
    assert all(attempt.charge == attempt.reservation > Decimal() for attempt in lost)


def test_a_killed_run_is_resumed_by_the_command(data_dir: Path, provider: Provider) -> None:
    run_id = killed_in_mid_run(provider, answered=8)
    shown = json.loads(evalrouter("runs", "show", run_id, "--json").stdout)
    assert shown["status"] == "paused"
    assert shown["coverage"]["graded"] >= 8 - LANES
    calls = json.loads(evalrouter("calls", run_id, "--json").stdout)["items"]
    settled = sum(call["status"] == "settled" for call in calls)
    assert settled >= shown["coverage"]["graded"]
    sent = len(provider.requests)

    resumed = evalrouter("resume", run_id, "--json")
    assert resumed.returncode == 0, resumed.stderr
    document = json.loads(resumed.stdout)
    assert (document["status"], document["coverage"]["graded"]) == ("completed", 24)
    # A call that was settled before its task was recorded is replayed, not sent again.
    assert len(provider.requests) - sent == 24 - settled

    with EvalRouter() as client:
        run = client.runs.get(run_id)
        assert_complete(run, 24)
        assert Decimal(document["cost_usd"]) == run.cost
        assert_charged_at_their_reservations(audit(client, run, provider.asked), LANES)


def test_a_killed_run_is_waited_for_from_python(data_dir: Path, provider: Provider) -> None:
    run_id = killed_in_mid_run(provider, answered=5)
    with EvalRouter() as client:
        run = client.runs.get(run_id)
        assert run.status == "paused"
        time.sleep(0.3)
        assert run.refresh().status == "paused"
        assert_complete(run.wait(PATIENCE_SECONDS), 24)
        assert_charged_at_their_reservations(audit(client, run, provider.asked), LANES)


def test_a_waiting_process_takes_over_from_a_killed_owner(data_dir: Path, provider: Provider) -> None:
    provider.delay_seconds = 0.15
    with program(*script(RUN_A_SAMPLE, provider.base_url, "60", "0")) as owner:
        run_id = first_line(owner)
        before = json.loads((data_dir / "endpoint.json").read_text())
        with program(*script(WAIT_FOR_A_RUN, run_id)) as heir:
            assert first_line(heir) in ("queued", "running")
            wait_until(lambda: len(provider.requests) > 12)
            kill(owner)
            sent = len(provider.requests)
            wait_until(lambda: len(provider.requests) > sent + LANES)
            after = json.loads((data_dir / "endpoint.json").read_text())
            provider.delay_seconds = 0.0
            stdout, stderr = ended(heir)
            assert (heir.returncode, stdout, stderr) == (0, "completed\n", "")
    assert (before["pid"], after["pid"]) == (owner.pid, heir.pid)
    assert after["base_url"] == before["base_url"]
    with EvalRouter() as client:
        run = client.runs.get(run_id)
        assert_complete(run, 60)
        assert_charged_at_their_reservations(audit(client, run, provider.asked), LANES)


def test_a_killed_judge_is_neither_asked_nor_paid_twice(data_dir: Path, provider: Provider, tmp_path: Path) -> None:
    """The process dies between the judge's settled call and the task's result."""
    count = 12
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"q": f"Please greet guest {number}."}) + "\n" for number in range(count)))
    provider.delay_seconds = 0.1
    with Provider() as judge:
        judge.text = '{"score": 0.5}'
        with EvalRouter() as client:
            provider.connect(client)
            judge.connect(client, "judge")
            client.benchmarks.create(
                {
                    "slug": "greetings",
                    "source": {"kind": "file", "path": str(rows)},
                    "rows": {"inputs": {"question": "q"}},
                    "protocol": {"user": "{question}"},
                    "grader": {"kind": "judge", "model": "connection:judge", "rubric": "It is polite."},
                    "metric": "mean_score",
                }
            )
        with program(*script(DIE_AFTER_A_JUDGED_CALL)) as owner:
            run_id = first_line(owner)
            ended(owner)
            assert owner.returncode == -signal.SIGKILL
        with EvalRouter() as client:
            run = client.runs.get(run_id)
            judged = [call for call in run.calls() if (call.purpose, call.status) == ("judge", "settled")]
            assert run.status == "paused"
            assert 5 <= len(judged) < 5 + LANES  # the other lanes' calls may have been settled in the same group
            graded = {result.task_id for result in run.results()}
            assert len(graded) < len(judged)
            assert run.wait(PATIENCE_SECONDS).score == 0.5
            assert_complete(run, count)
            calls = {call.id: call for call in run.calls()}
            audit_calls(client, run, list(calls.values()))
            assert [calls[call.id] for call in judged] == judged
            questions = {result.task_id: prompt_of(dict(result.inputs)) for result in run.results()}
            for call in judged:
                assert call.task_id is not None
                asked = [prompt for prompt in judge.asked.elements() if questions[call.task_id] in prompt]
                assert (len(asked), len(call.tries)) == (1, 1), call
            lost = [attempt for call in calls.values() for attempt in call.tries if attempt.status == "unknown"]
            assert len(lost) <= LANES


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_hundred_kills(data_dir: Path) -> None:
    """Ten runs of a hundred tasks, each killed ten times: at any moment of a start, or of the work."""
    chance = random.Random(20261129)
    lost = 0
    for seed in range(10):
        with Provider() as provider:
            command = script(RUN_A_SAMPLE, provider.base_url, "100", str(seed))
            provider.delay_seconds = 0.5
            for kills in range(10):
                with program(*command) as owner:
                    if kills % 2:
                        first_line(owner)
                    time.sleep(chance.uniform(0.0, 1.5))
                    kill(owner)
            provider.delay_seconds = 0.0
            with program(*command) as last:
                stdout, stderr = ended(last)
                assert last.returncode == 0, stderr
            with EvalRouter() as client:
                run = client.runs.get(stdout.split()[0])
                assert_complete(run, 100)
                tries = audit(client, run, provider.asked)
                assert len(tries) <= 10 * LANES
                lost += len(tries)
                client.connections.delete("double")
    assert lost > 10 * LANES
