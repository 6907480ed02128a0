"""The work on one run in this process: lanes claim tasks, the runner works on them, outcomes are recorded."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
from evalrouter_server.gateway.routing import RunRoute
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
        judge: The way to the judge; None: there is none.
        concurrency: How many tasks run side by side.
    """

    run_id: str
    manifest: Manifest
    items: dict[str, Item]
    judge: RunRoute | None
    concurrency: int


type Perform = Callable[[Claim, Item], Awaitable[Outcome]]
"""Works on one task."""


class RunWork:
    """Works on one run until its tasks are done or it is stopped.

    Args:
        assignment: The run.
        perform: Works on one task.
        owner: Stands on every claim: this process's instance ID, or its slot.
        database: Where tasks are claimed and results recorded.
        signals: Told of each new event.

    Attributes:
        ended_because: Why the run cannot go on though tasks are left, as a code and a text; None where it can.
        paused_because: Why it waits for somebody to put something right, as a code and a text; None where it does not.
    """

    def __init__(
        self,
        assignment: Assignment,
        perform: Perform,
        *,
        owner: str,
        database: Database,
        signals: Signals,
    ) -> None:
        self._assignment = assignment
        self._perform = perform
        self._owner = owner
        self._database = database
        self._signals = signals
        self._stopped = False
        self.ended_because: str | None = None
        self.paused_because: str | None = None

    @property
    def run_id(self) -> str:
        """The run."""
        return self._assignment.run_id

    @property
    def owner(self) -> str:
        """What stands on its claims."""
        return self._owner

    @property
    def is_stopped(self) -> bool:
        """Whether it claims no further task."""
        return self._stopped

    def stop(self) -> None:
        """Claim no further task; those in flight finish."""
        self._stopped = True

    async def run(self) -> None:
        """Work until no task is left to claim, or the work was stopped and what was in flight has finished."""
        async with asyncio.TaskGroup() as lanes:
            for number in range(self._assignment.concurrency):
                lanes.create_task(self._lane(), name=f"{self._assignment.run_id} lane {number}")

    async def _lane(self) -> None:
        claim = await self._next(None)
        while claim is not None:
            item = self._assignment.items[claim.item_id]
            outcome = await self._outcome(claim, item)
            if isinstance(outcome, NotRun):
                self.stop()
                self.ended_because = self.ended_because or outcome.ends_run_because
                self.paused_because = self.paused_because or outcome.pauses_run_because
                await self._database.write(partial(tasks.give_back, held=claim), claim.run_id)
                return
            asked = render(self._assignment.manifest.protocol, item)
            claim = await self._next((claim, result_of(item, asked, outcome)))

    async def _outcome(self, claim: Claim, item: Item) -> Outcome:
        try:
            return await self._perform(claim, item)
        except DBAPIError:
            raise  # what the database cannot keep is no fault of the task: the run pauses
        except Exception:
            log.exception("task %s of %s failed inside the server", claim.task_id, claim.run_id)
            return Failed("internal_error", "The server failed while it worked on this task; its log has the details.")

    async def _next(self, done: "tuple[Claim, NewResult] | None") -> Claim | None:
        """Record what a lane has done and claim what it does next, in one transaction."""
        seq, following = await self._database.write_batched(take_turns, Turn(self, done), self.run_id)
        if seq is not None:
            self._signals.notify(self.run_id, seq)
        return following


@dataclass(frozen=True, slots=True)
class Turn:
    """A lane between two tasks.

    Attributes:
        work: Whose lane it is.
        done: The task that it has worked on, with the result; None at its start.
    """

    work: RunWork
    done: tuple[Claim, NewResult] | None


def take_turns(connection: Connection, turns: Sequence[Turn]) -> list[tuple[int | None, Claim | None]]:
    """Record what lanes have done and claim what they do next, for all that wait at once.

    Returns:
        For each the number of the event that tells of its task, None where there is none, and its next claim.
    """
    recorded = record(connection, [turn.done for turn in turns if turn.done is not None])
    wanting = Counter((turn.work.run_id, turn.work.owner) for turn in turns if not turn.work.is_stopped)
    now = utc_now()
    claims = {
        (run_id, owner): iter(tasks.claim(connection, run_id, owner, now, limit=number))
        for (run_id, owner), number in sorted(wanting.items())
    }
    return [
        (
            recorded.get(turn.done[0]) if turn.done else None,
            next(claims.get((turn.work.run_id, turn.work.owner), iter(())), None),
        )
        for turn in turns
    ]


def record(connection: Connection, done: Sequence[tuple[Claim, NewResult]]) -> dict[Claim, int]:
    """Record results, each with an event.

    Returns:
        The events' numbers by claim. A claim that did not hold any more is left out; nothing was written of it.
    """
    held = tasks.record(connection, done)
    by_run: dict[str, list[tuple[Claim, NewResult]]] = {}
    for claim, result in done:
        if claim in held:
            by_run.setdefault(claim.run_id, []).append((claim, result))
    return {
        claim: seq
        for run_id, ended in sorted(by_run.items())
        for (claim, _), seq in zip(
            ended, events.append_all(connection, run_id, [_told(*each) for each in ended]), strict=True
        )
    }


def _told(claim: Claim, result: NewResult) -> events.NewEvent:
    data = {
        "task_id": claim.task_id,
        "position": claim.position,
        "score": result.score,
        "charge_microusd": result.charge_microusd,
        "error": result.error,
    }
    return events.NewEvent(f"task.{result.status}", data, result.ended_at)


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
