"""A process that hosts agents is killed; another one goes on, and repeats nothing that is done."""

from pathlib import Path

from evalrouter import EvalRouter
from tests.agents.leases import let_leases_run_out
from tests.e2e.programs import first_line, kill, program, script, wait_until
from tests.e2e.provider import Provider

AGENT = """
    import sys
    from evalrouter import EvalRouter, agents

    class Solver(agents.Agent):
        async def run(self, context):
            task = await context.task.get()
            reply = await context.gateway.chat(messages=task["inputs"]["messages"], max_tokens=20)
            await context.task.submit(reply["choices"][0]["message"]["content"])
            await context.task.done()
"""

HOST = (
    AGENT
    + """
    client = EvalRouter()
    run = client.runs.create(
        benchmark="first-steps", model=sys.argv[1], agent=Solver(), max_cost=1, concurrency=4,
        coverage={"mode": "sample", "sample_count": 12, "seed": 5},
    )
    print(run.id, flush=True)
    run.wait()
    """
)

RESUME = (
    AGENT
    + """
    run = EvalRouter().runs.resume(sys.argv[1], agent=Solver())
    print(run.wait(120).status, flush=True)
    """
)


def test_after_a_kill_another_process_goes_on(data_dir: Path, provider: Provider) -> None:
    with EvalRouter() as client:
        model = provider.connect(client)
    provider.delay_seconds = 0.5
    with program(*script(HOST, model)) as host:
        run_id = first_line(host)
        wait_until(lambda: len(provider.requests) > 6)
        kill(host)
    let_leases_run_out(data_dir)
    provider.delay_seconds = 0.0
    with program(*script(RESUME, run_id)) as other:
        assert first_line(other) == "completed"
    with EvalRouter() as client:
        run = client.runs.get(run_id)
        assert (run.coverage.graded, run.coverage.failed) == (12, 0)
        done_before = [event for event in client.events.list(run_id) if event.type == "task.graded"]
        assert len({event.data["task_id"] for event in done_before}) == len(done_before) == 12
        assert 12 <= len(provider.requests) <= 16
        calls = list(run.calls())
        assert sum(call.charge for call in calls) == run.cost <= run.cap
        assert sum(result.charge for result in run.results()) == run.cost
        assert client.wallet.verify().ok
