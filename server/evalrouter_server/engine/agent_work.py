"""The work on one run whose tasks a client works on: its answers are graded, and its leases looked after."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from tenacity import AsyncRetrying, retry_if_result, wait_fixed

from evalrouter_server import delivery
from evalrouter_server.catalog.render import render
from evalrouter_server.clock import utc_now
from evalrouter_server.engine.signals import Signals
from evalrouter_server.engine.work import Assignment, record, result_of
from evalrouter_server.gateway.metering import BudgetExhausted, CallFailed, RunStopped
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.failures import outcome_of
from evalrouter_server.runners.outcome import Failed, Graded, NotRun
from evalrouter_server.runners.submission import Assessment, NotAssessed, Submission
from evalrouter_server.store import events, leases, metered, runs, tasks
from evalrouter_server.store.database import Database
from evalrouter_server.store.leases import LeaseRow
from evalrouter_server.store.metered import Metered

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 1.0
"""How often the leases are looked at, where no client says anything."""

SECONDS_BETWEEN_CHECKS = 0.1
"""How often a task that is done is looked at until its last call has been settled."""

GRADED_AT_ONCE = 8

PATIENCE = timedelta(seconds=20)
"""How long a run waits for a client before it pauses."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How a run is at one moment."""

    leases: list[LeaseRow]
    unfinished: int
    stopped_because: str | None
    is_delivered: bool
    was_delivered: bool
    status: str


class AgentWork:
    """Looks after one run until its tasks are done, it cannot go on, nobody delivers it, or it is stopped.

    Args:
        assignment: The run.
        database: Where its leases are and results are recorded.
        assessor: Assesses the answers.
        signals: Told of each new event.
        is_hosted: Whether this server delivers the run itself, so that no client need be waited for.

    Attributes:
        ended_because: Why the run cannot go on though tasks are left, as a code and a text; None where it can.
        paused_because: Why it waits for somebody, as a code and a text; None where it does not.
    """

    def __init__(
        self,
        assignment: Assignment,
        *,
        database: Database,
        assessor: Assessor,
        signals: Signals,
        is_hosted: bool = False,
    ) -> None:
        self._assignment = assignment
        self._is_hosted = is_hosted
        self._database = database
        self._assessor = assessor
        self._signals = signals
        self._stopped = False
        self._woken = asyncio.Event()
        self._slots = asyncio.Semaphore(GRADED_AT_ONCE)
        self._recording: dict[str, asyncio.Task[None]] = {}
        self._began = utc_now()
        self._refused_because: str | None = None
        self.ended_because: str | None = None
        self.paused_because: str | None = None

    def stop(self) -> None:
        """Begin to grade nothing further; what is being graded finishes."""
        self._stopped = True
        self._woken.set()

    def wake(self) -> None:
        """Look again now: a client has said something."""
        self._woken.set()

    async def run(self) -> None:
        """Look after the run until there is nothing more to do."""
        try:
            while not await self._is_over():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), SECONDS_BETWEEN_LOOKS)
                self._woken.clear()
        finally:
            if self._recording:
                await asyncio.wait(self._recording.values())

    async def _is_over(self) -> bool:
        look = await self._look()
        if any(delivery.is_due(each, utc_now()) for each in look.leases):
            await self._write(lambda connection: delivery.sweep(connection, self._assignment.run_id))
            look = await self._look()
        if self._stopped or look.status != "running":
            return True
        self._begin_to_record(look.leases)
        if self._recording:
            return False
        self._decide(look)
        return self.ended_because is not None or self.paused_because is not None or look.unfinished == 0

    def _begin_to_record(self, found: list[LeaseRow]) -> None:
        for each in found:
            if each.status in ("done", "failed") and each.id not in self._recording:
                task = asyncio.create_task(self._record(each), name=f"{each.id} grading")
                self._recording[each.id] = task
                task.add_done_callback(partial(self._recorded, each.id))

    def _recorded(self, lease_id: str, task: asyncio.Task[None]) -> None:
        self._recording.pop(lease_id)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("what came of %s could not be recorded", lease_id, exc_info=error)
            self.paused_because = "internal_error: an answer could not be recorded; the server's log has the details"
        self._woken.set()

    def _decide(self, look: _Look) -> None:
        held = any(each.is_held for each in look.leases)
        if held or look.unfinished == 0:
            return
        refused = look.stopped_because or self._refused_because
        if refused is not None:
            if refused.startswith(leases.PAUSING):
                self.paused_because = refused
            else:
                self.ended_because = refused
        elif (
            not self._is_hosted and not look.is_delivered and (look.was_delivered or utc_now() - self._began > PATIENCE)
        ):
            self.paused_because = (
                f"{delivery.NO_CLIENT}: no client works on the run's tasks any more; resume it where its agent is"
            )

    async def _look(self) -> _Look:
        run_id, began = self._assignment.run_id, self._began

        def read(connection: Connection) -> _Look:
            run = runs.load(connection, run_id)
            assert run is not None
            known = leases.keys_of(connection, run_id)
            since = utc_now() - PATIENCE
            return _Look(
                leases.unsettled(connection, run_id),
                tasks.counts(connection, run_id).unfinished,
                leases.stopped_because(connection, run_id),
                is_delivered=any(key.revoked_at is None and key.seen_at > since for key in known),
                was_delivered=any(key.seen_at >= began for key in known),
                status=run.status,
            )

        return await self._database.read(read)

    async def _record(self, lease: LeaseRow) -> None:
        """Record what came of a task once its last call has been settled."""
        async with self._slots:
            await AsyncRetrying(retry=retry_if_result(bool), wait=wait_fixed(SECONDS_BETWEEN_CHECKS))(
                self._has_open_calls, lease
            )
            outcome = await self._outcome(lease)
            await self._write(lambda connection: self._settle(connection, lease, outcome))

    async def _has_open_calls(self, lease: LeaseRow) -> bool:
        return await self._database.read(
            lambda connection: metered.has_open_calls(connection, lease.run_id, lease.task_id)
        )

    async def _outcome(self, lease: LeaseRow) -> Assessment | Failed | NotRun:
        if lease.stopped_by is not None:
            can_be_put_right = lease.stopped_by.startswith(leases.PAUSING)
            return NotRun(pauses_run_because=lease.stopped_by) if can_be_put_right else NotRun(lease.stopped_by)
        if lease.status == "failed":
            error = lease.error or {}
            details = error.get("details")
            return Failed(
                error.get("code") or "agent_failed",
                error.get("message") or "The agent gave the task up.",
                details=None if details is None else {"agent": details},
            )
        assignment = self._assignment
        answer = Submission(
            assignment.manifest.grader,
            assignment.items[lease.item_id],
            lease.output or "",
            None,
            assignment.judge,
            lease.task_id,
        )
        try:
            return await self._assessor.assess(answer)
        except NotAssessed as error:
            return Failed(error.code, error.message)
        except (BudgetExhausted, CallFailed, RunStopped) as error:
            return outcome_of(error)
        except DBAPIError:
            raise
        except Exception:
            log.exception("the answer to %s could not be graded", lease.task_id)
            return Failed("internal_error", "The server failed while it graded this answer; its log has the details.")

    def _settle(self, connection: Connection, lease: LeaseRow, outcome: Assessment | Failed | NotRun) -> int | None:
        if isinstance(outcome, NotRun):
            return self._not_run(connection, lease, outcome)
        item = self._assignment.items[lease.item_id]
        came_to = metered.of_task(connection, lease.run_id, lease.task_id)
        result = result_of(item, render(self._assignment.manifest.protocol, item), _priced(lease, outcome, came_to))
        seq = record(connection, [(lease.claim, result)]).get(lease.claim)
        leases.change(connection, lease.id, expected=("done", "failed"), status=result.status, settled=True)
        if seq is not None and result.status == "graded" and came_to.calls == 0:
            runs.add_flags(connection, lease.run_id, "unmetered")
        return seq

    def _not_run(self, connection: Connection, lease: LeaseRow, outcome: NotRun) -> int | None:
        """Give a task back whose calls the run could not pay for; an error's text is no answer."""
        because = outcome.ends_run_because or outcome.pauses_run_because
        if because is None:
            return None  # the work was stopped: the answer is kept and graded when it goes on
        self._refused_because = self._refused_because or because
        changed = leases.change(
            connection, lease.id, expected=("done", "failed"), status="ended", settled=True, stopped_by=because
        )
        if not changed or not tasks.give_back(connection, lease.claim):
            return None
        told = {"task_id": lease.task_id, "position": lease.position, "reason": because}
        return events.append(connection, lease.run_id, "task.dropped", told, utc_now())

    async def _write(self, change: Callable[[Connection], object]) -> None:
        run_id = self._assignment.run_id

        def write(connection: Connection) -> int:
            change(connection)
            return events.last_seq(connection, run_id)

        self._signals.notify(run_id, await self._database.write(write, run_id))


def _priced(lease: LeaseRow, outcome: Assessment | Failed, came_to: Metered) -> Graded | Failed:
    """An outcome with what the task's calls came to."""
    if isinstance(outcome, Failed):
        return Failed(outcome.code, outcome.message, came_to.charge_microusd, came_to.usage, outcome.details)
    return Graded(
        output=lease.output or "",
        verdict=outcome.verdict,
        details=outcome.details,
        finish_reason=None,
        usage=came_to.usage,
        charge_microusd=came_to.charge_microusd,
        latency_seconds=_seconds(lease.created_at, lease.ended_at),
        model_served=came_to.model_served,
    )


def _seconds(since: datetime, until: datetime | None) -> float | None:
    return None if until is None else (until - since).total_seconds()
