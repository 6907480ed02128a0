"""Agents that are written in Python, evaluated end to end in this process."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from evalrouter import AsyncEvalRouter, EvalRouter, agents
from evalrouter.coverage import SampleCoverage
from evalrouter.errors import ConflictError, InvalidArgumentError
from tests.e2e.provider import Provider, exact_charge
from tests.shared_data import shared

SAMPLE: SampleCoverage = {"mode": "sample", "sample_count": 6, "seed": 5}


class Solver(agents.Agent):
    name = "my solver"

    async def run(self, context: agents.AgentContext) -> None:
        task = await context.task.get()
        reply = await context.gateway.chat(messages=task["inputs"]["messages"], max_tokens=20)
        await context.task.submit(reply["choices"][0]["message"]["content"])
        await context.task.done()


def asked(client: EvalRouter, provider: Provider, agent: agents.Agent, **more: Any) -> dict[str, Any]:
    return {
        "benchmark": "first-steps",
        "model": provider.connect(client),
        "agent": agent,
        "max_cost": 1,
        "coverage": SAMPLE,
        **more,
    }


def test_an_agent_works_on_every_task(client: EvalRouter, provider: Provider) -> None:
    spec = asked(client, provider, Solver())
    run = client.runs.create(**spec, wait=True)
    assert (run.status, run.status_reason, run.coverage.graded, run.data.flags) == ("completed", None, 6, ())
    assert (run.agent and str(run.agent), run.cap) == ("my solver", 1)
    results = list(run.results())
    assert all(result.output == provider.text for result in results)
    assert all(result.charge == exact_charge(result.usage) > 0 for result in results)
    assert sum(result.charge for result in results) == run.cost
    assert len(provider.requests) == 6
    assert client.wallet.verify().ok
    again = client.runs.create(**{**spec, "model": "connection:double"})
    assert (again.id, again.reused) == (run.id, True)


def test_an_ordinary_method_works_in_a_thread(client: EvalRouter, provider: Provider, tmp_path: Path) -> None:
    folders = []

    class Plain(agents.Agent):
        def run(self, context: agents.SyncAgentContext) -> None:
            assert threading.current_thread() is not threading.main_thread()
            task = context.task.get()
            context.log("task", task["index"])
            folders.append(context.workdir)
            (context.workdir / "note").write_text("x")
            reply = context.gateway.chat(messages=task["inputs"]["messages"], max_tokens=20)
            context.task.submit(reply["choices"][0]["message"]["content"])
            context.task.done()

    run = client.runs.create(**asked(client, provider, Plain()), wait=True)
    assert (run.status, run.coverage.graded) == ("completed", 6)
    notes = [event.data["text"] for event in run.events() if event.type == "task.note"]
    assert sorted(notes) == [f"task {index}" for index in range(6)]
    assert len(set(folders)) == 6
    assert not any(folder.exists() for folder in folders)


def test_what_an_agent_raises_fails_its_task_alone(client: EvalRouter, provider: Provider) -> None:
    class Careless(agents.Agent):
        task_seconds = 1.5

        async def run(self, context: agents.AgentContext) -> None:
            task = await context.task.get()
            match task["index"]:
                case 0:
                    raise ValueError(f"no luck with {context.gateway.api_key}")
                case 1:
                    return
                case 2:
                    raise agents.TaskFailed("gave_up", "too hard", "the end of a log")
                case 3:
                    await asyncio.sleep(60)
                case 4:
                    await context.task.submit("first")
                    with pytest.raises(ConflictError, match="already"):
                        await context.task.submit("second")
                case 5:
                    await Solver().run(context)

    run = client.runs.create(**asked(client, provider, Careless(), concurrency=6), wait=True)
    results = list(run.results())
    errors = [result.error and result.error.code for result in results]
    assert errors == ["agent_failed", "no_submission", "gave_up", "task_timeout", None, None]
    assert results[0].error is not None
    assert results[0].error.message == "ValueError: no luck with [key]"
    assert results[0].details is not None
    assert "raise ValueError" in results[0].details["agent"]
    assert "er_gw_" not in str(results)
    assert results[2].details == {"agent": "the end of a log"}
    assert results[4].output == "first"
    assert (run.status, run.data.flags) == ("partial", ("unmetered",))


async def test_it_works_inside_a_running_loop(data_dir: Path, provider: Provider) -> None:
    """As in a notebook: the caller's loop is free or blocked, the agents' is another."""
    async with AsyncEvalRouter() as client:
        with EvalRouter() as blocking:
            spec = asked(blocking, provider, Solver())
            run = blocking.runs.create(**spec)
        followed = await client.runs.get(run.id)
        assert (await followed.wait(30)).status == "completed"
        evaluation = await agents.quote_async(
            benchmark="first-steps",
            model="connection:double",
            agent=Solver(),
            max_cost="0.5",
            coverage=SAMPLE,
            client=client,
        )
        assert evaluation.quote.maximum_charge == evaluation.quote.max_cost
        started = await evaluation.start()
        assert (await evaluation.start()).id == started.id != run.id
        assert (await started.wait(30)).status == "completed"
        kinds = [event.type async for event in started.events()]
        assert (kinds[0], kinds[-1], kinds.count("task.leased")) == ("run.created", "run.ended", 6)


def test_no_text_of_an_agent_is_too_odd_to_be_told(client: EvalRouter, provider: Provider) -> None:
    odd = "a\0b \ud800"

    class Odd(agents.Agent):
        async def run(self, context: agents.AgentContext) -> None:
            context.log(odd)
            match (await context.task.get())["index"]:
                case 0:
                    raise ValueError(odd)
                case 1:
                    raise agents.TaskFailed("No Code! \0", odd, odd)
                case _:
                    await context.task.submit(odd)

    run = client.runs.create(**asked(client, provider, Odd()), wait=True)
    first, second, *others = run.results()
    assert first.error
    assert second.error
    assert (first.error.code, first.error.message) == ("agent_failed", "ValueError: a\ufffdb \ufffd")
    assert (second.error.code, second.error.message) == ("agent_failed", "No Code! \ufffd: a\ufffdb \ufffd")
    assert {result.output for result in others} == {"a\ufffdb \ufffd"}
    assert {event.note for event in run.events() if event.type == "task.note"} == {"a\ufffdb \ufffd"}


def test_what_takes_long_is_done_before_a_task_is_taken(client: EvalRouter, provider: Provider) -> None:
    class Installing(Solver):
        prepared = 0

        def prepare(self, progress: agents.Progress = print) -> None:
            type(self).prepared += 1
            if self.prepared == 1:
                raise RuntimeError("no room for it")

        async def run(self, context: agents.AgentContext) -> None:
            assert self.prepared
            await super().run(context)

    spec = asked(client, provider, Installing())
    with pytest.raises(RuntimeError, match="no room"):
        client.runs.create(**spec)
    assert client.runs.list().list() == []
    assert client.runs.create(**spec, wait=True).status == "completed"
    assert Installing.prepared >= 2


def test_what_hinders_the_host_is_told_to_whoever_waits(client: EvalRouter, provider: Provider) -> None:
    class Hindered(Solver):
        prepared = 0

        def prepare(self, progress: agents.Progress = print) -> None:
            type(self).prepared += 1
            if self.prepared == 2:
                raise RuntimeError("no room for it")

    run = client.runs.create(**asked(client, provider, Hindered()))
    with pytest.raises(RuntimeError, match="no room"):
        run.wait(60)
    assert run.wait(60).status == "completed"


def test_the_printed_agent_runs(client: EvalRouter, provider: Provider) -> None:
    """The product's description has this program; only its model and its benchmark are other ones here."""
    (description,) = shared("seed").glob("*.txt")
    text = description.read_text("utf-8")
    start = text.index("from evalrouter import EvalRouter, agents\n\n\nclass Solver")
    program = text[start : text.index("For more control", start)]
    model = provider.connect(client)
    found: dict[str, Any] = {}
    exec(program.replace('"gpt-5"', repr(model)).replace('"gsm8k"', '"first-steps"'), found)
    run = found["run"]
    assert (run.status, run.agent.name, run.coverage.graded) == ("completed", "my solver", 120)


def test_step_by_step(client: EvalRouter, provider: Provider) -> None:
    model = provider.connect(client)
    evaluation = agents.quote(
        benchmark="first-steps", model=model, agent=Solver(), max_cost=1, coverage=SAMPLE, client=client
    )
    assert provider.requests == []
    assert "my solver" in evaluation.quote.explain()
    run = evaluation.start()
    assert isinstance(evaluation, agents.Evaluation)
    assert isinstance(run, agents.AgentRun)
    assert evaluation.start() is run
    first = [event for event, _ in zip(run.events(), range(5), strict=False)]
    assert run.wait(30).status == "completed"
    rest = list(run.events(after=first[-1].seq))
    assert [event.seq for event in first + rest] == list(range(1, len(first + rest) + 1))
    assert len({event.task_id for event in first + rest} - {None}) == 6
    assert run.resume() is run
    assert run.cancel().status == "completed"

    class Other(Solver):
        async def run(self, context: agents.AgentContext) -> None:
            await super().run(context)

    another = client.quotes.create(benchmark="first-steps", model=model, agent=Solver(), max_cost="0.5")
    with pytest.raises(InvalidArgumentError, match="another agent"):
        client.runs.create(quote_id=another.id, agent=Other())
    with pytest.raises(InvalidArgumentError, match="its object"):
        client.runs.create(quote_id=another.id)


def test_cancelling_stops_the_agents(client: EvalRouter, provider: Provider) -> None:
    stopped = threading.Semaphore(0)

    class Slow(agents.Agent):
        async def run(self, context: agents.AgentContext) -> None:
            try:
                await asyncio.sleep(60)
            finally:
                stopped.release()

    run = client.runs.create(**asked(client, provider, Slow(), concurrency=3))
    while sum(event.type == "task.leased" for event in client.events.list(run.id)) < 3:
        pass
    assert run.cancel().wait(20).status == "cancelled"
    assert all(stopped.acquire(timeout=10) for _ in range(3))
    assert client.wallet.get().held == 0


def test_a_budget_that_is_used_up_ends_the_run(client: EvalRouter, provider: Provider) -> None:
    class Spender(agents.Agent):
        async def run(self, context: agents.AgentContext) -> None:
            task = await context.task.get()
            while True:
                await context.gateway.chat(messages=task["inputs"]["messages"], max_tokens=20)

    run = client.runs.create(**asked(client, provider, Spender(), max_cost="0.01", concurrency=2), wait=True)
    assert run.status == "partial"
    assert (run.status_reason or "").startswith("budget_exhausted")
    assert (run.coverage.graded, run.coverage.failed) == (0, 0)
    assert run.cost <= run.cap
    assert client.wallet.verify().ok
