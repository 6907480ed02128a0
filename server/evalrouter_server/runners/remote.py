"""The remote runner: one task sent to an agent over A2A, followed to its end, then the benchmark's own grader."""

import asyncio
import contextlib
import time
from typing import Protocol

from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.render import render
from evalrouter_server.gateway.metering import BudgetExhausted, CallFailed, RunStopped
from evalrouter_server.gateway.routing import RunRoute
from evalrouter_server.quoting.price import Usage
from evalrouter_server.remote_agents.agent import OUTCOME_UNKNOWN, RemoteAgent
from evalrouter_server.remote_agents.failures import AgentUnavailable, TaskNotDone
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.failures import outcome_of
from evalrouter_server.runners.outcome import Failed, Graded, NotRun, Outcome
from evalrouter_server.runners.submission import NotAssessed, Submission

LONGEST_DETAILS = 16_000
"""Characters of what an agent says of a failure."""


class Journal(Protocol):
    """Keeps what was sent of a task, so that it is never sent twice.

    Attributes:
        was_sent: Whether it was sent.
        remote_id: The agent's own ID of the task; None: it has told none.
    """

    was_sent: bool
    remote_id: str | None

    async def sending(self) -> None:
        """Note that it is sent now."""
        ...

    async def named(self, remote_id: str) -> None:
        """Note the agent's own ID of it."""
        ...

    async def not_taken(self) -> None:
        """Note that the agent did not take it."""
        ...


async def run_task(
    agent: RemoteAgent,
    assessor: Assessor,
    judge: RunRoute | None,
    manifest: Manifest,
    item: Item,
    *,
    task_id: str,
    seconds: float,
    journal: Journal,
) -> Outcome:
    """Work on one task.

    A task that was sent before is followed where the agent had named it, and has failed where it had not.

    Args:
        agent: The agent.
        assessor: Assesses the answer.
        judge: The run's way to its judge; None: it has none.
        manifest: The benchmark version.
        item: The task's item, whose target the agent is never told.
        task_id: The task.
        seconds: The most time that the agent may take from now on.
        journal: What was sent of it.

    Returns:
        What came of it; failures of the agent are an outcome, not an exception.
    """
    began = time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            output = await _answer(agent, manifest, item, task_id, journal)
    except TimeoutError:
        await _cancel(agent, journal)
        return Failed("agent_timeout", f"The agent did not finish the task within {seconds:g} seconds.")
    except TaskNotDone as error:
        said = None if error.said is None else agent.hidden(error.said)[:LONGEST_DETAILS]
        return Failed(error.code, error.message, details=None if said is None else {"agent": said})
    except AgentUnavailable as error:
        if journal.remote_id is None:
            await journal.not_taken()
        return NotRun(pauses_run_because=f"{error.code}: {error.message}; put it right, then resume")
    answer = Submission(manifest.grader, item, output, None, judge, task_id)
    try:
        return await _assess(assessor, answer, time.monotonic() - began)
    except (BudgetExhausted, CallFailed, RunStopped) as refused:
        return outcome_of(refused)


async def _answer(agent: RemoteAgent, manifest: Manifest, item: Item, task_id: str, journal: Journal) -> str:
    if journal.remote_id is not None:
        return await agent.follow(journal.remote_id)
    if journal.was_sent:
        raise TaskNotDone("agent_outcome_unknown", OUTCOME_UNKNOWN)
    await journal.sending()
    return await agent.ask(render(manifest.protocol, item), task_id, journal.named, journal)


async def _cancel(agent: RemoteAgent, journal: Journal) -> None:
    if journal.remote_id is not None:
        with contextlib.suppress(AgentUnavailable):
            await agent.cancel(journal.remote_id)


async def _assess(assessor: Assessor, answer: Submission, seconds: float) -> Graded | Failed:
    try:
        assessment = await assessor.assess(answer)
    except NotAssessed as error:
        return Failed(error.code, error.message, error.charge_microusd)
    return Graded(
        output=answer.output,
        verdict=assessment.verdict,
        details=assessment.details,
        finish_reason=None,
        usage=Usage(),
        charge_microusd=assessment.charge_microusd,
        latency_seconds=seconds,
        model_served=None,
    )
