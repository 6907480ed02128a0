"""Workers that are killed, or stopped and woken up: every task is graded once, and nothing recorded is overwritten."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.programs import wait_until
from tests.workers.fleet import Fleet, GatedProvider, assert_graded_once, graded, start_sums

LANES = 8


@pytest.mark.timeout(300)
def test_a_killed_and_a_stopped_worker(database: str, provider: GatedProvider, tmp_path: Path) -> None:
    """200 tasks on two workers: one is killed with calls in flight, one sleeps until others have done its work."""
    count = 200
    with Fleet(database, tmp_path) as fleet:
        killed, sleeper = fleet.work(LANES), fleet.work(LANES)
        run = start_sums(fleet.client, provider, tmp_path, count, 2 * LANES, "faults")
        wait_until(lambda: graded(run) > 20)
        provider.is_open = False
        wait_until(lambda: min(fleet.in_flight(killed), fleet.in_flight(sleeper)) > 0)
        before = {result.task_id: result for result in run.results()}
        killed.kill()
        heir = fleet.work(2 * LANES)
        wait_until(lambda: fleet.in_flight(heir) > 0)

        assert sleeper.process.pid is not None
        os.kill(sleeper.process.pid, signal.SIGSTOP)
        provider.is_open = True
        run.wait(150)
        after = {result.task_id: result for result in run.results()}
        assert before.items() <= after.items()
        os.kill(sleeper.process.pid, signal.SIGCONT)
        sleeper.stop()
        assert {result.task_id: result for result in run.results()} == after
        lost = assert_graded_once(fleet.client, run, count)
        assert 2 <= lost <= 3 * LANES
        assert len(provider.requests) <= count + lost


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_ten_thousand_tasks_on_four_workers(database: str, provider: GatedProvider, tmp_path: Path) -> None:
    """Workers are killed and replaced, or stopped for a while and woken up, at random moments."""
    chance = random.Random(20261130)
    count, lanes = 10_000, 16
    provider.delay_seconds = 0.2
    with Fleet(database, tmp_path) as fleet:
        workers = [fleet.work(lanes) for _ in range(4)]
        run = start_sums(fleet.client, provider, tmp_path, count, 64, "soak")
        faults = 0
        while graded(run) < count:
            time.sleep(chance.uniform(0.5, 4.0))
            number = chance.randrange(4)
            if chance.random() < 0.5:
                workers[number].kill()
                workers[number] = fleet.work(lanes)
            else:
                pid = workers[number].process.pid
                assert pid is not None
                os.kill(pid, signal.SIGSTOP)
                time.sleep(chance.uniform(0.5, 20.0))
                os.kill(pid, signal.SIGCONT)
            faults += 1
        run.wait(120)
        lost = assert_graded_once(fleet.client, run, count)
        assert lost <= faults * lanes
        assert len(provider.requests) <= count + lost
