"""The engine of one process: which runs it works on, and what becomes of them when it starts, stops or crashed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from sqlalchemy import Connection
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, retry_if_result, wait_fixed

from evalrouter_server import delivery, log_context
from evalrouter_server.benchmark_catalog import BenchmarkCatalog
from evalrouter_server.catalog.benchmarks import Benchmark
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.engine import transitions
from evalrouter_server.engine.agent_work import AgentWork
from evalrouter_server.engine.harness_work import HarnessAssignment, HarnessWork
from evalrouter_server.engine.hosted_work import HostedWork
from evalrouter_server.engine.remote_work import RemoteWork, cancel_sent
from evalrouter_server.engine.signals import Signals
from evalrouter_server.engine.work import Assignment, Perform, RunWork
from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.routing import Router, RunRoute
from evalrouter_server.harnesses.listing import Harnesses
from evalrouter_server.ledger.recover import settle_orphans
from evalrouter_server.log_context import about
from evalrouter_server.problems import Problem
from evalrouter_server.quoting.plan import Plan
from evalrouter_server.remote_agents.addresses import AddressBook
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.hosting import Hosting
from evalrouter_server.runners.native import run_task
from evalrouter_server.runners.outcome import Outcome
from evalrouter_server.runners.recorded import grade_recorded
from evalrouter_server.store import leases, quotes, results, runs, tasks
from evalrouter_server.store.database import Database
from evalrouter_server.store.runs import RunRow
from evalrouter_server.store.tasks import Claim

if TYPE_CHECKING:
    from evalrouter_server.engine.ending import Ending

log = logging.getLogger(__name__)

SECONDS_BETWEEN_CHECKS = 0.1
"""How often a run that is about to end looks whether outside clients' calls have been closed."""

SECONDS_BETWEEN_PAUSES = 1.0
"""How often a run whose pause could not be recorded, as on a full disk, is tried to be paused again."""

INTERRUPTED = "interrupted: the process that worked on the run ended; resume it or wait for it to go on"

type Work = RunWork | HarnessWork | AgentWork | HostedWork | RemoteWork

type Transition = Callable[[Connection, str], int | None]
"""A change of a run's status; gives the number of its event, or None."""

type ItemLoader = Callable[[Benchmark], Awaitable[list[Item]]]
"""Gives a benchmark's items, verified; raises `Problem` where they cannot be had."""


class EngineParts(TypedDict):
    """What every engine takes."""

    database: Database
    gateway: Gateway
    assessor: Assessor
    router: Router
    benchmarks: BenchmarkCatalog
    load_items: ItemLoader
    harnesses: Harnesses
    hosting: Hosting
    agents: AddressBook


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the work on a run needs.

    Attributes:
        plan: The run's frozen plan.
        manifest: The benchmark version.
        items: The benchmark's items by ID.
    """

    plan: Plan
    manifest: Benchmark
    items: dict[str, Item]


class Engine:
    """Works on runs in asyncio lanes of this process.

    Args:
        database: The store.
        gateway: Makes the calls.
        assessor: Assesses the answers.
        router: Makes a run's route from its plan.
        benchmarks: The benchmarks.
        load_items: Gives a benchmark's items.
        harnesses: Starts other harnesses.
        hosting: Runs agents in sandboxes.
        agents: Knows where remote agents are.
        owner: This process's instance ID.
        resume_at_start: Whether runs that an earlier process left go on by themselves (a served instance), or stay
            paused until somebody resumes or waits for them (the embedded server).
    """

    def __init__(
        self,
        *,
        database: Database,
        gateway: Gateway,
        assessor: Assessor,
        router: Router,
        benchmarks: BenchmarkCatalog,
        load_items: ItemLoader,
        harnesses: Harnesses,
        hosting: Hosting,
        agents: AddressBook,
        owner: str,
        resume_at_start: bool,
    ) -> None:
        self._database = database
        self._gateway = gateway
        self._assessor = assessor
        self._router = router
        self._benchmarks = benchmarks
        self._load_items = load_items
        self._harnesses = harnesses
        self._hosting = hosting
        self._agents = agents
        self._owner = owner
        self._resume_at_start = resume_at_start
        self._stopping = False
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._works: dict[str, Work] = {}
        self._again: set[str] = set()
        self.signals = Signals()

    @property
    def lanes_in_use(self) -> int:
        """How many of this process's lanes are given to runs."""
        return 0

    async def start(self) -> None:
        """Put in order what an earlier process left: open calls are lost, claims go back, runs pause or go on."""
        left = await self._database.write(self._recover)
        for run in left:
            if run.status == "cancelling" or (run.is_delivered and run.status != "paused"):
                self.run_created(run.id)
            elif not run.is_delivered and self._resume_at_start:
                await self.resume_run(run.id)

    async def stop(self, timeout: float = 10.0) -> None:
        """Pause every run: no new call starts, calls in flight finish.

        Args:
            timeout: Seconds for the calls in flight; what has not finished by then is settled as lost.
        """
        self._stopping = True
        for work in self._works.values():
            work.stop()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks.values(), timeout=timeout)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    def run_created(self, run_id: str) -> None:
        """Begin to work on a run; where this process does so already, look again once that is over.

        Args:
            run_id: A run that is queued, running, or to be finished after a cancel.
        """
        if self._stopping:
            return
        if run_id in self._tasks:
            self._again.add(run_id)
            return
        with about(log_context.run_id, run_id):
            task = asyncio.create_task(self._drive(run_id), name=f"{run_id} work")
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._driven(run_id))

    async def resume_run(self, run_id: str) -> None:
        """Go on with a paused run; any other is left as it is.

        Args:
            run_id: The run.
        """
        if await self._change(run_id, transitions.begin) is not None:
            self.run_created(run_id)

    async def cancel_run(self, run_id: str) -> None:
        """Let no new call of a run start; it ends once those in flight have finished.

        Args:
            run_id: The run; an ended one is left as it is.
        """
        if await self._change(run_id, transitions.request_cancel) is None:
            return
        work = self._works.get(run_id)
        if work is not None:
            work.stop()
        self.run_created(run_id)

    def delivered(self, run_id: str) -> None:
        """Note that the client of a run with an agent has said something.

        Args:
            run_id: The run; one that nobody looks after is taken up.
        """
        work = self._works.get(run_id)
        if isinstance(work, AgentWork | HostedWork):
            work.wake()
        elif run_id not in self._tasks:
            self.run_created(run_id)

    def _driven(self, run_id: str) -> None:
        self._tasks.pop(run_id)
        if run_id in self._again:
            self._again.remove(run_id)
            self.run_created(run_id)

    def _recover(self, connection: Connection) -> list[RunRow]:
        settle_orphans(connection, [self._owner])
        left = runs.list_in_status(connection, runs.UNENDED)
        for run in left:
            if run.agent is not None and not run.is_delivered:
                delivery.release_all(connection, run.id)
        tasks.give_back_orphans(connection, [self._owner, *leases.live_key_ids(connection)])
        for run in left:
            if not run.is_delivered:
                transitions.pause(connection, run.id, INTERRUPTED, [self._owner])
        return left

    async def _drive(self, run_id: str) -> None:
        """Work on a run until it ends or pauses; a failure of the server itself pauses it, so that nothing is lost."""
        try:
            run = await self._load(run_id)
            if run.has_ended or run.status == "paused":
                return
            if run.status != "cancelling":
                await self._settle_stranded(run_id)
                if run.status == "queued":
                    await self._change(run_id, transitions.begin)
                await self._work_on(run)
            elif run.agent is not None and run.is_remote:
                await cancel_sent(run_id, partial(self._agents.address, run.agent["digest"]), self._database)
            if await self._is_over(run_id):
                await AsyncRetrying(retry=retry_if_exception_type(transitions.CallsOpenError))(self._end, run_id)
            elif not (self._stopping and run.is_delivered):  # its client goes on with the next process
                work = self._works.get(run_id)
                await self._pause(run_id, (work and work.paused_because) or INTERRUPTED)
        except asyncio.CancelledError:
            if not isinstance(self._works.get(run_id), AgentWork):
                await asyncio.shield(self._pause(run_id, INTERRUPTED))
            raise
        except Problem as problem:
            await self._pause(run_id, f"{problem.code}: {problem.message}")
        except Exception:
            log.exception("the work on %s stopped", run_id)
            await self._pause(
                run_id, "internal_error: the server failed while it worked on the run; its log has the details"
            )
        finally:
            self._works.pop(run_id, None)

    async def _work_on(self, run: RunRow) -> None:
        work = self._work(run, await self._prepare(run), owner=self._owner, lanes=run.concurrency)
        self._works[run.id] = work
        if self._stopping:
            work.stop()
        await work.run()

    async def _prepare(self, run: RunRow) -> Prepared:
        """Get ready to work on a run.

        Raises:
            Problem: This process cannot work on it, and why.
        """
        quote = await self._database.read(lambda connection: quotes.load(connection, run.quote_id))
        manifest = await self._benchmarks.load(run.benchmark["id"])
        if quote is None or manifest is None:
            raise Problem("not_found", f"this server does not have {run.benchmark['slug']}@{run.benchmark['version']}")
        if not isinstance(manifest, HarnessManifest):
            await self._assessor.require(manifest.grader)
        items = {item.id: item for item in await self._load_items(manifest)}
        return Prepared(Plan.model_validate(quote.plan), manifest, items)

    def _work(self, run: RunRow, prepared: Prepared, *, owner: str, lanes: int) -> "Work":
        plan, manifest, items = prepared.plan, prepared.manifest, prepared.items
        if isinstance(manifest, HarnessManifest):
            assert plan.model is not None, "no agent works on another harness's task"
            return HarnessWork(
                HarnessAssignment(run.id, manifest, items, plan.model.id, lanes),
                owner=owner,
                database=self._database,
                gateway=self._gateway,
                router=self._router,
                harnesses=self._harnesses,
                signals=self.signals,
            )
        seconds = manifest.limits.task_seconds
        judge = self._router.judge_route(run.id, plan, seconds_per_call=seconds)
        assignment = Assignment(run.id, manifest, items, judge, lanes)
        if plan.agent is not None and run.is_remote:
            return RemoteWork(
                assignment,
                partial(self._agents.address, plan.agent.digest),
                seconds=plan.agent.task_seconds,
                owner=owner,
                database=self._database,
                assessor=self._assessor,
                signals=self.signals,
            )
        if run.agent is not None:
            is_hosted = not run.is_delivered
            work = AgentWork(
                assignment,
                database=self._database,
                assessor=self._assessor,
                signals=self.signals,
                is_hosted=is_hosted,
            )
            if not is_hosted:
                return work
            return HostedWork(assignment, agent=run.agent, work=work, hosting=self._hosting, database=self._database)
        return RunWork(
            assignment,
            self._performer(run.id, plan, manifest, judge),
            owner=owner,
            database=self._database,
            signals=self.signals,
        )

    def _performer(self, run_id: str, plan: Plan, manifest: Manifest, judge: RunRoute | None) -> Perform:
        """What works on one task where the server asks the model itself, or the answers were recorded before."""
        route = self._router.route(run_id, plan, seconds_per_call=manifest.limits.task_seconds)
        is_recorded = plan.model is not None and plan.model.is_recorded

        async def perform(claim: Claim, item: Item) -> Outcome:
            if is_recorded:
                return await grade_recorded(self._assessor, judge, manifest.grader, item, task_id=claim.task_id)
            return await run_task(self._gateway, self._assessor, route, judge, manifest, item, task_id=claim.task_id)

        return perform

    async def _is_over(self, run_id: str) -> bool:
        work = self._works.get(run_id)
        if work is not None and work.ended_because is not None:
            return True
        run = await self._load(run_id)
        if run.status == "cancelling":
            return True
        counts = await self._database.read(lambda connection: tasks.counts(connection, run_id))
        return counts.unfinished == 0

    async def _end(self, run_id: str) -> None:
        await AsyncRetrying(retry=retry_if_result(bool), wait=wait_fixed(SECONDS_BETWEEN_CHECKS))(
            self._has_open_calls, run_id
        )
        run = await self._load(run_id)
        because = await self._ended_because(run_id)
        graded = await self._database.read(lambda connection: list(results.scores(connection, run_id)))
        error = await self._database.read(lambda connection: results.first_error(connection, run_id))
        manifest = await self._benchmarks.load(run.benchmark["id"])
        ending = await asyncio.to_thread(_decide, run, manifest, graded, error, because)
        await self._change(run_id, lambda connection, _: transitions.end(connection, run_id, ending))

    async def _ended_because(self, run_id: str) -> str | None:
        work = self._works.get(run_id)
        return None if work is None else work.ended_because

    async def _has_open_calls(self, run_id: str) -> bool:
        is_open = await self._database.write(lambda connection: transitions.close_to_outsiders(connection, run_id))
        return is_open and not await self._settle_stranded(run_id)

    async def _settle_stranded(self, run_id: str) -> bool:
        """Lose the tries that nobody works on and that could not be closed, as after a failure of the database.

        Returns:
            Whether it was done: not while a call of the run is under way.
        """
        if self._gateway.has_calls(run_id):
            return False
        count = await self._database.write(lambda connection: settle_orphans(connection, (), run_id))
        if count:
            log.error("%s had %d open tries that nobody worked on; each is charged its reservation", run_id, count)
        return True

    async def _pause(self, run_id: str, reason: str) -> None:
        """Pause a run, as soon as the database takes it: whoever waits for the run learns of it in no other way."""

        def tell(state: RetryCallState) -> None:
            if state.attempt_number == 1 and state.outcome is not None:
                log.error("%s cannot be paused yet, trying on: %s", run_id, state.outcome.exception())

        await AsyncRetrying(
            retry=retry_if_exception_type(Exception),
            wait=wait_fixed(SECONDS_BETWEEN_PAUSES),
            stop=lambda _: self._stopping,
            before_sleep=tell,
            reraise=True,
        )(self._change, run_id, self._pausing(reason))

    def _pausing(self, reason: str) -> Transition:
        return lambda connection, run_id: transitions.pause(connection, run_id, reason)

    async def _load(self, run_id: str) -> RunRow:
        run = await self._database.read(lambda connection: runs.load(connection, run_id))
        if run is None:
            raise LookupError(f"there is no run {run_id}")
        return run

    async def _change(self, run_id: str, transition: Transition) -> int | None:
        """Make a transition and tell those who follow the run."""
        seq = await self._database.write(lambda connection: transition(connection, run_id), run_id)
        if seq is not None:
            self.signals.notify(run_id, seq)
        return seq


def _decide(
    run: RunRow,
    manifest: Benchmark | None,
    graded: list[results.Score],
    first_error: str | None,
    stopped_because: str | None,
) -> "Ending":
    # scipy takes longer to import than everything else together, and only an ending needs it.
    from evalrouter_server.engine.ending import decide
    from evalrouter_server.metrics import ScoredTask

    return decide(
        selected=run.selected,
        graded=[ScoredTask(score.item_id, score.score, score.group) for score in graded],
        failed=run.failed,
        first_error=first_error,
        cancelled=run.status == "cancelling",
        stopped_because=stopped_because,
        metric="accuracy" if manifest is None else manifest.metric,
        groups=() if manifest is None else manifest.groups,
    )
