"""However often and from wherever a run is created, it is started once and paid for once."""

from contextlib import ExitStack
from pathlib import Path

from evalrouter import EvalRouter
from tests.e2e.audit import audit
from tests.e2e.programs import ended, first_line, program, script
from tests.e2e.provider import Provider
from tests.e2e.proxy import LossyProxy

CREATE = """
    import sys, time
    from pathlib import Path
    from evalrouter import EvalRouter

    client = EvalRouter()
    client.whoami()
    print("ready", flush=True)
    while not Path(sys.argv[1]).exists():
        time.sleep(0.005)
    run = client.runs.create(
        benchmark="first-steps", model="connection:double", max_cost=1, coverage={"mode": "sample", "sample_count": 10},
        wait=True,
    )
    print(run.id, run.reused, run.status, flush=True)
"""


def test_processes_that_create_the_same_run_at_once_start_one(
    client: EvalRouter, provider: Provider, tmp_path: Path
) -> None:
    provider.connect(client)
    provider.delay_seconds = 0.2
    with ExitStack() as stack:
        processes = [stack.enter_context(program(*script(CREATE, str(tmp_path / "go")))) for _ in range(3)]
        assert [first_line(process) for process in processes] == ["ready"] * 3
        (tmp_path / "go").touch()
        printed = [ended(process) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], printed
    answers = sorted((stdout.split() for stdout, _ in printed), key=lambda answer: answer[1])
    assert [answer[1:] for answer in answers] == [["False", "completed"], ["True", "completed"], ["True", "completed"]]
    assert len({answer[0] for answer in answers}) == 1
    assert sorted("reused run_" in stderr for _, stderr in printed) == [False, True, True]
    (run,) = client.runs.list()
    assert run.id == answers[0][0]
    assert audit(client, run, provider.asked) == []
    assert len(provider.requests) == 10


def test_a_lost_answer_is_asked_for_again_and_starts_no_second_run(client: EvalRouter, provider: Provider) -> None:
    model = provider.connect(client)
    raw = client.raw
    with (
        LossyProxy(raw.base_url, "POST", "/v1/runs") as proxy,
        EvalRouter(base_url=proxy.base_url, api_key=raw.token) as distant,
    ):
        run = distant.runs.create(
            benchmark="first-steps",
            model=model,
            max_cost=1,
            coverage={"mode": "sample", "sample_count": 5},
            wait=True,
        )
        assert run.status == "completed"
        assert not run.reused
    first, second = proxy.seen
    assert first == second is not None
    assert proxy.statuses == [201, 201]
    (listed,) = client.runs.list()
    assert listed == run
    assert audit(client, listed, provider.asked) == []
    assert len(provider.requests) == 5
