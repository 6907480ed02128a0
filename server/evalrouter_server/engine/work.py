"""The work on one run in this process: lanes claim tasks, the runner works on them, outcomes are recorded."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.render import render
from evalrouter_server.clock import utc_now
from evalrouter_server.engine.signals import Signals
from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.routing import RunRoute
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.native import run_task
from evalrouter_server.runners.outcome import Failed, Graded, NotRun, Outcome
from evalrouter_server.store import events, tasks
from evalrouter_server.store.database import Database
from evalrouter_server.store.results import NewResult
from evalrouter_server.store.tasks import Claim

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a run's lanes need to know of it.

    Attributes:
        run_id: The run.
        manifest: The benchmark version.
        items: The benchmark's items by ID.
        route: The way to the model.
        concurrency: How many tasks run side by side.
    """

    run_id: str
    manifest: Manifest
    items: dict[str, Item]
    route: RunRoute
    concurrency: int


class RunWork:
    """Works on one run until its tasks are done or it is stopped.

    Args:
        assignment: The run.
        owner: This process's instance ID, which stands on every claim.
        database: Where tasks are claimed and results recorded.
        gateway: Makes the calls.
        assessor: Assesses the answers.
        signals: Told of each new event.

    Attributes:
        ended_because: Why the run cannot go on though tasks are left, as a code and a text; None where it can.
        paused_because: Why it waits for somebody to put something right, as a code and a text; None where it does not.
    """

    def __init__(
        self,
        assignment: Assignment,
        *,
        owner: str,
        database: Database,
        gateway: Gateway,
        assessor: Assessor,
        signals: Signals,
    ) -> None:
        self._assignment = assignment
        self._owner = owner
        self._database = database
        self._gateway = gateway
        self._assessor = assessor
        self._signals = signals
        self._stopped = False
        self.ended_because: str | None = None
        self.paused_because: str | None = None

    def stop(self) -> None:
        """Claim no further task; those in flight finish."""
        self._stopped = True

    async def run(self) -> None:
        """Work until no task is left to claim, or the work was stopped and what was in flight has finished."""
        async with asyncio.TaskGroup() as lanes:
            for number in range(self._assignment.concurrency):
                lanes.create_task(self._lane(), name=f"{self._assignment.run_id} lane {number}")

    async def _lane(self) -> None:
        claim = await self._database.write(self._claim)
        while claim is not None:
            item = self._assignment.items[claim.item_id]
            outcome = await self._outcome(claim, item)
            if isinstance(outcome, NotRun):
                self.stop()
                self.ended_because = self.ended_because or outcome.ends_run_because
                self.paused_because = self.paused_because or outcome.pauses_run_because
                await self._database.write(partial(tasks.give_back, held=claim))
                return
            claim = await self._record(
                claim, result_of(item, render(self._assignment.manifest.protocol, item), outcome)
            )

    async def _outcome(self, claim: Claim, item: Item) -> Outcome:
        assignment = self._assignment
        try:
            return await run_task(
                self._gateway,
                self._assessor,
                assignment.route,
                assignment.manifest,
                item,
                task_id=claim.task_id,
            )
        except DBAPIError:
            raise  # what the database cannot keep is no fault of the task: the run pauses
        except Exception:
            log.exception("task %s of %s failed inside the server", claim.task_id, claim.run_id)
            return Failed("internal_error", "The server failed while it worked on this task; its log has the details.")

    async def _record(self, claim: Claim, result: NewResult) -> Claim | None:
        """Record a result and claim the next task, in one transaction."""

        def record_and_claim(connection: Connection) -> tuple[int | None, Claim | None]:
            return record(connection, claim, result), self._claim(connection)

        seq, following = await self._database.write(record_and_claim)
        if seq is not None:
            self._signals.notify(claim.run_id, seq)
        return following

    def _claim(self, connection: Connection) -> Claim | None:
        if self._stopped:
            return None
        return tasks.claim_next(connection, self._assignment.run_id, self._owner, utc_now())


def record(connection: Connection, claim: Claim, result: NewResult) -> int | None:
    """Record a result with its event.

    Returns:
        The event's number; None where the claim did not hold any more, and nothing was written.
    """
    if not tasks.record(connection, claim, result):
        return None
    told = {
        "task_id": claim.task_id,
        "position": claim.position,
        "score": result.score,
        "charge_microusd": result.charge_microusd,
        "error": result.error,
    }
    return events.append(connection, claim.run_id, f"task.{result.status}", told, result.ended_at)


def result_of(item: Item, messages: Sequence[Mapping[str, Any]], outcome: Graded | Failed) -> NewResult:
    """What is recorded of a task.

    Args:
        item: The task's item.
        messages: What the model was asked.
        outcome: What came of it.
    """
    asked = NewResult(
        status="failed",
        inputs={"messages": messages},
        target=item.target,
        group=item.group,
        ended_at=utc_now(),
        usage=outcome.usage,
        charge_microusd=outcome.charge_microusd,
    )
    if isinstance(outcome, Failed):
        details = None if outcome.details is None else dict(outcome.details)
        return replace(asked, error={"code": outcome.code, "message": outcome.message}, details=details)
    return replace(
        asked,
        status="graded",
        output=outcome.output,
        score=outcome.verdict.score,
        correct=outcome.verdict.correct,
        extracted=outcome.verdict.extracted,
        rule=outcome.verdict.rule,
        details=None if outcome.details is None else dict(outcome.details),
        finish_reason=outcome.finish_reason,
        latency_seconds=outcome.latency_seconds,
        model_served=outcome.model_served,
    )
