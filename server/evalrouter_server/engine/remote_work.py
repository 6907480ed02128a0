"""The work on one run whose tasks a remote agent does: lanes send them, and what was sent is noted before."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from evalrouter_server.catalog.items import Item
from evalrouter_server.clock import utc_now
from evalrouter_server.engine.signals import Signals
from evalrouter_server.engine.work import Assignment, RunWork
from evalrouter_server.remote_agents.address import AgentAddress
from evalrouter_server.remote_agents.failures import AgentUnavailable
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.outcome import NotRun, Outcome
from evalrouter_server.store import remote_tasks, runs
from evalrouter_server.store.database import Database
from evalrouter_server.store.tasks import Claim

if TYPE_CHECKING:
    from evalrouter_server.remote_agents.agent import RemoteAgent

log = logging.getLogger(__name__)

SECONDS_TO_NAME = 5.0
"""How long a task that was just sent is waited for when the work stops, so that the agent can name it."""

SECONDS_TO_CANCEL = 30.0
"""How long the end of a cancelled run waits for the agent to hear of it."""

CANCELLED_AT_ONCE = 16

type FindAddress = Callable[[], Awaitable[AgentAddress]]
"""Gives the agent's address with its key; raises `AgentUnavailable`."""


class RemoteWork:
    """Works on one run until its tasks are done or it is stopped.

    When it is stopped, the agent goes on with what it has named, and the run takes that up where it goes on; of a run
    that is cancelled or has ended otherwise the agent is told to stop.

    Args:
        assignment: The run.
        find_address: Gives the agent's address.
        seconds: The most time for a task.
        owner: This process's instance ID, which stands on every claim.
        database: Where tasks are claimed, what was sent is noted, and results are recorded.
        assessor: Assesses the answers.
        signals: Told of each new event.
    """

    def __init__(
        self,
        assignment: Assignment,
        find_address: FindAddress,
        *,
        seconds: float,
        owner: str,
        database: Database,
        assessor: Assessor,
        signals: Signals,
    ) -> None:
        self._assignment = assignment
        self._find_address = find_address
        self._seconds = seconds
        self._database = database
        self._assessor = assessor
        self._signals = signals
        self._lanes = RunWork(assignment, self._perform, owner=owner, database=database, signals=signals)
        self._stopped = asyncio.Event()
        self._agent: RemoteAgent | None = None
        self._unavailable_because: str | None = None

    @property
    def ended_because(self) -> str | None:
        """Why the run cannot go on though tasks are left, as a code and a text; None where it can."""
        return self._lanes.ended_because

    @property
    def paused_because(self) -> str | None:
        """Why it waits for somebody to put something right, as a code and a text; None where it does not."""
        return self._unavailable_because or self._lanes.paused_because

    def stop(self) -> None:
        """Send no further task, and leave those that were sent to the agent."""
        self._lanes.stop()
        self._stopped.set()

    async def run(self) -> None:
        """Work until no task is left to claim, or the work was stopped."""
        from evalrouter_server.remote_agents.agent import RemoteAgent  # only a remote agent needs its client

        try:
            async with RemoteAgent.connected(await self._find_address()) as self._agent:
                await self._lanes.run()
                if self.ended_because is not None or await self._is_cancelled():
                    await _tell_cancelled(self._assignment.run_id, self._agent, self._database)
        except AgentUnavailable as error:
            self._unavailable_because = f"{error.code}: {error.message}; put it right, then resume"

    async def _perform(self, claim: Claim, item: Item) -> Outcome:
        from evalrouter_server.runners.remote import run_task

        assert self._agent is not None
        journal = await TaskJournal.of(claim, self._database, self._signals)
        assignment = self._assignment
        work = asyncio.create_task(
            run_task(
                self._agent,
                self._assessor,
                assignment.judge,
                assignment.manifest,
                item,
                task_id=claim.task_id,
                seconds=self._seconds,
                journal=journal,
            )
        )
        outcome = await self._unless_stopped(work, journal)
        if isinstance(outcome, NotRun):
            self.stop()
        return outcome

    async def _unless_stopped(self, work: "asyncio.Task[Outcome]", journal: "TaskJournal") -> Outcome:
        stopped = asyncio.create_task(self._stopped.wait())
        named = asyncio.create_task(journal.is_named.wait())
        try:
            await asyncio.wait((work, stopped), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await asyncio.wait((work, named), timeout=SECONDS_TO_NAME, return_when=asyncio.FIRST_COMPLETED)
            return await work if work.done() else NotRun()
        finally:
            for task in (work, stopped, named):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task

    async def _is_cancelled(self) -> bool:
        run = await self._database.read(lambda connection: runs.load(connection, self._assignment.run_id))
        return run is not None and run.status == "cancelling"


async def cancel_sent(run_id: str, find_address: FindAddress, database: Database) -> None:
    """Tell the agent to stop working on what an earlier work on a run sent; where it cannot be told, the log says so.

    Args:
        run_id: The run.
        find_address: Gives the agent's address.
        database: Where it is noted what was sent.
    """
    from evalrouter_server.remote_agents.agent import RemoteAgent

    if not await database.read(lambda connection: remote_tasks.unfinished(connection, run_id)):
        return
    try:
        async with RemoteAgent.connected(await find_address()) as agent:
            await _tell_cancelled(run_id, agent, database)
    except AgentUnavailable as error:
        log.warning("the agent of %s was not told to stop: %s", run_id, error.message)


async def _tell_cancelled(run_id: str, agent: "RemoteAgent", database: Database) -> None:
    sent = await database.read(lambda connection: remote_tasks.unfinished(connection, run_id))
    slots = asyncio.Semaphore(CANCELLED_AT_ONCE)

    async def cancel(remote_id: str) -> None:
        async with slots:
            await agent.cancel(remote_id)

    try:
        async with asyncio.timeout(SECONDS_TO_CANCEL):
            told = await asyncio.gather(
                *(cancel(each.remote_id) for each in sent if each.remote_id is not None), return_exceptions=True
            )
    except TimeoutError:
        log.warning("the agent of %s did not hear in time that the run is over", run_id)
        return
    if failures := [each for each in told if isinstance(each, BaseException)]:
        log.warning("the agent of %s was not told of %d tasks that it may stop", run_id, len(failures))


class TaskJournal:
    """What was sent of one task.

    Attributes:
        was_sent: Whether it was sent.
        remote_id: The agent's own ID of it; None: it has told none.
        is_named: Set once that ID is known.
    """

    def __init__(
        self, claim: Claim, database: Database, signals: Signals, before: remote_tasks.RemoteTaskRow | None
    ) -> None:
        self._claim = claim
        self._database = database
        self._signals = signals
        self.was_sent = before is not None
        self.remote_id = None if before is None else before.remote_id
        self.is_named = asyncio.Event()
        if self.remote_id is not None:
            self.is_named.set()

    @classmethod
    async def of(cls, claim: Claim, database: Database, signals: Signals) -> "TaskJournal":
        """The journal of a claimed task, with what earlier claims noted."""
        before = await database.read(lambda connection: remote_tasks.get(connection, claim.task_id))
        return cls(claim, database, signals, before)

    async def sending(self) -> None:
        """Note that it is sent now."""
        seq = await self._database.write(
            lambda connection: remote_tasks.note_sending(connection, self._claim, utc_now())
        )
        self.was_sent = True
        self._signals.notify(self._claim.run_id, seq)

    async def named(self, remote_id: str) -> None:
        """Note the agent's own ID of it."""
        await self._database.write(
            lambda connection: remote_tasks.note_remote_id(connection, self._claim.task_id, remote_id)
        )
        self.remote_id = remote_id
        self.is_named.set()

    async def not_taken(self) -> None:
        """Note that the agent did not take it."""
        await self._database.write(lambda connection: remote_tasks.forget(connection, self._claim.task_id))
        self.was_sent = False
