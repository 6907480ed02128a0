"""The work on one run of another harness's task: claims are taken a process's worth at a time.

A harness reports at its end, so a process works on a bounded number of tasks. Its calls come in over a loopback port
with a key of its own. Where it ends early, every call that was settled is known: tasks that have an answer are given
to another process of the harness, in which their calls are replayed and cost nothing, so that they are graded too.
"""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.items import Item
from evalrouter_server.clock import utc_now
from evalrouter_server.engine.signals import Signals
from evalrouter_server.engine.work import record, result_of
from evalrouter_server.gateway.attribution import Attribution, TaskCall
from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.http import GatewayRoutes
from evalrouter_server.gateway.loopback import loopback
from evalrouter_server.gateway.metering import BudgetExhausted, CallFailed, RunStopped
from evalrouter_server.gateway.routing import Router
from evalrouter_server.gateway.wire import RequestRefused
from evalrouter_server.harnesses.listing import Harnesses
from evalrouter_server.harnesses.process import HarnessFailed
from evalrouter_server.harnesses.results import SampleResult, sample_key
from evalrouter_server.harnesses.running import Endpoint, run_samples
from evalrouter_server.runners.failures import outcome_of
from evalrouter_server.runners.outcome import Failed, Graded, NotRun, Outcome
from evalrouter_server.store import keys, runs, tasks
from evalrouter_server.store.database import Database
from evalrouter_server.store.tasks import Claim

log = logging.getLogger(__name__)

TASKS_PER_LANE = 16
"""Tasks that a process is given for each call that it may make at a time."""

SECONDS_TO_START = 600.0
"""The most time that a harness may take beside its calls."""


@dataclass(frozen=True, slots=True)
class HarnessAssignment:
    """What there is to know of a harness's run.

    Attributes:
        run_id: The run.
        manifest: The benchmark version.
        items: The benchmark's items by ID.
        model: The name that the harness gives the model.
        concurrency: How many calls are made side by side.
    """

    run_id: str
    manifest: HarnessManifest
    items: dict[str, Item]
    model: str
    concurrency: int


class HarnessWork:
    """Works on one run until its tasks are done or it is stopped.

    Args:
        assignment: The run.
        owner: Stands on every claim: this process's instance ID, or its slot.
        database: Where tasks are claimed and results recorded.
        gateway: Makes the calls.
        router: Makes the route of the calls that come in.
        harnesses: Starts the harness.
        signals: Told of each new event.

    Attributes:
        ended_because: Why the run cannot go on though tasks are left, as a code and a text; None where it can.
        paused_because: Why it waits for somebody to put something right, as a code and a text; None where it does not.
    """

    def __init__(
        self,
        assignment: HarnessAssignment,
        *,
        owner: str,
        database: Database,
        gateway: Gateway,
        router: Router,
        harnesses: Harnesses,
        signals: Signals,
    ) -> None:
        self._assignment = assignment
        self._owner = owner
        self._database = database
        self._gateway = gateway
        self._router = router
        self._harnesses = harnesses
        self._signals = signals
        self._stopped = asyncio.Event()
        self.ended_because: str | None = None
        self.paused_because: str | None = None

    def stop(self) -> None:
        """Claim no further task and end the harness; its calls in flight finish."""
        self._stopped.set()

    async def run(self) -> None:
        """Work until no task is left to claim, or the work was stopped."""
        while claims := await self._database.write(self._claim):
            of_repeat: defaultdict[int, list[Claim]] = defaultdict(list)
            for claim in claims:
                of_repeat[claim.repeat].append(claim)
            for claimed in of_repeat.values():
                await self._work_on(claimed)

    def _claim(self, connection: Connection) -> list[Claim]:
        if self._stopped.is_set():
            return []
        most = TASKS_PER_LANE * self._assignment.concurrency
        return tasks.claim(connection, self._assignment.run_id, self._owner, utc_now(), limit=most)

    async def _work_on(self, claims: Sequence[Claim]) -> None:
        attribution, results, failure = await self._run_harness(claims)
        answered = [
            claim
            for claim in claims
            if attribution.calls[claim.task_id].completion is not None and self._key(claim) not in results
        ]
        if failure is not None and answered and not self._stopped.is_set():
            replayed, more, failure = await self._run_harness(answered)
            attribution.calls |= replayed.calls
            results |= more
        outcomes = {
            claim: self._outcome(attribution.calls[claim.task_id], results.get(self._key(claim)), failure)
            for claim in claims
        }
        came_to_nothing = all(outcome == NotRun() for outcome in outcomes.values())
        if failure is not None and came_to_nothing and not self._stopped.is_set():
            outcomes = dict.fromkeys(claims, Failed("harness_failed", f"The harness failed: {failure}"))
        await self._record(outcomes, attribution)

    async def _run_harness(
        self, claims: Sequence[Claim]
    ) -> tuple[Attribution, dict[str, SampleResult], HarnessFailed | None]:
        """Run the harness over the claimed tasks; stopping ends it."""
        assignment = self._assignment
        attribution = Attribution.of((claim.task_id, self._messages(claim)) for claim in claims)
        if self._stopped.is_set():
            return attribution, {}, None
        key = await self._database.write(lambda conn: keys.create_gateway_key(conn, assignment.run_id))
        routes = GatewayRoutes(self._database, self._router, self._gateway, attribution=attribution)
        seconds = assignment.manifest.limits.task_seconds
        try:
            async with loopback(routes) as base_url:
                endpoint = Endpoint(base_url, key.secret, assignment.model, assignment.concurrency, seconds)
                samples = [assignment.items[claim.item_id].inputs["sample"] for claim in claims]
                work = asyncio.create_task(
                    run_samples(
                        self._harnesses,
                        assignment.manifest,
                        samples,
                        endpoint,
                        seconds=SECONDS_TO_START + seconds * (len(claims) / assignment.concurrency + 1),
                    )
                )
                results, failure = await self._unless_stopped(work)
        finally:
            await self._database.write(lambda conn: keys.revoke_gateway_key(conn, key.key.id))
        if attribution.unattributed:
            await self._database.write(lambda conn: runs.add_flags(conn, assignment.run_id, "unattributed_calls"))
        return attribution, results, failure

    async def _unless_stopped(
        self, work: asyncio.Task[tuple[dict[str, SampleResult], HarnessFailed | None]]
    ) -> tuple[dict[str, SampleResult], HarnessFailed | None]:
        stopped = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait((work, stopped), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return await work
            return {}, None
        finally:
            for task in (work, stopped):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task

    def _outcome(self, call: TaskCall, result: SampleResult | None, failure: HarnessFailed | None) -> Outcome:
        if isinstance(call.error, BudgetExhausted | CallFailed | RunStopped):
            return outcome_of(call.error)
        if isinstance(call.error, RequestRefused):
            return Failed(call.error.code, call.error.message)
        completion = call.completion
        if result is not None and result.error is None and completion is not None:
            return Graded(
                output=completion.text,
                verdict=result.verdict,
                details=result.details,
                finish_reason=completion.finish_reason,
                usage=completion.usage,
                charge_microusd=completion.charge_microusd,
                latency_seconds=completion.latency_seconds,
                model_served=completion.model_served,
            )
        if (completion is None and result is None) or self._stopped.is_set():
            return NotRun()
        said = result.error if result is not None else failure and str(failure)
        charged = 0 if completion is None else completion.charge_microusd
        message = f"The harness did not grade this sample: {said or 'its call was not seen'}"
        return Failed("harness_failed", message, charged)

    async def _record(self, outcomes: dict[Claim, Outcome], attribution: Attribution) -> None:
        """Record what came of the tasks, in one transaction; what was not run goes back."""
        for outcome in outcomes.values():
            if isinstance(outcome, NotRun) and (outcome.ends_run_because or outcome.pauses_run_because):
                self.ended_because = self.ended_because or outcome.ends_run_because
                self.paused_because = self.paused_because or outcome.pauses_run_because
                self.stop()

        def write(connection: Connection) -> list[int]:
            done = []
            for claim, outcome in outcomes.items():
                if isinstance(outcome, NotRun):
                    tasks.give_back(connection, claim)
                    continue
                asked = attribution.calls[claim.task_id].messages or self._messages(claim)
                done.append((claim, result_of(self._assignment.items[claim.item_id], asked, outcome)))
            return sorted(record(connection, done).values())

        for seq in await self._database.write(write, self._assignment.run_id):
            self._signals.notify(self._assignment.run_id, seq)

    def _messages(self, claim: Claim) -> list[dict[str, str]]:
        return self._assignment.items[claim.item_id].inputs["messages"]  # type: ignore[return-value]

    def _key(self, claim: Claim) -> str:
        return sample_key(self._assignment.items[claim.item_id].inputs["sample"])
