"""The work on one run in this process: lanes claim tasks, the runner works on them, and each outcome is recorded with the next claim."""

import asyncio
import logging
from enum import Enum
from pathlib import Path

from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.sources import load_items
from evalrouter_server.clock import utc_now
from evalrouter_server.engine.signals import Signals
from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.routing import RunRoute
from evalrouter_server.problems import Problem
from evalrouter_server.runners.native import run_task
from evalrouter_server.runners.outcome import Failed, NotRun, Outcome
from evalrouter_server.store import tasks
from evalrouter_server.store.database import Database
from evalrouter_server.store.tasks import Claim

log = logging.getLogger(__name__)


class Stop(Enum):
    """Why no further task of a run is claimed."""

    CANCEL = "cancel"
    PAUSE = "pause"
    BUDGET = "budget"


class RunWork:
    """Works on one run until its tasks are done or it is stopped.

    Args:
        database: Where tasks are claimed and results recorded.
        signals: Told of each new event.
        gateway: Makes the calls.
        owner: This process's instance ID, which stands on every claim.
        route: The run's way to its model.
        manifest: The benchmark version.
        concurrency: How many tasks run side by side.
        items: The benchmark's items by ID.
    """

    def __init__(
        self,
        *,
        database: Database,
        signals: Signals,
        gateway: Gateway,
        owner: str,
        route: RunRoute,
        manifest: Manifest,
        concurrency: int,
        items: dict[str, Item],
    ) -> None:
        self._database = database
        self._signals = signals
        self._gateway = gateway
        self._owner = owner
        self._route = route
        self._manifest = manifest
        self._concurrency = concurrency
        self._items = items
        self.stopped: Stop | None = None

    def stop(self, why: Stop) -> None:
        """Claim no further task; those in flight finish. The first reason stands, but a cancel outranks it."""
        if self.stopped is None or why is Stop.CANCEL:
            self.stopped = why

    async def run_lanes(self) -> None:
        """Work until no task is left to claim, or the work was stopped and what was in flight has finished."""
        async with asyncio.TaskGroup() as lanes:
            for number in range(self._concurrency):
                lanes.create_task(self._lane(), name=f"{self._route.run_id}-lane-{number}")

    async def _lane(self) -> None:
        claim = await self._claim()
        while claim is not None:
            outcome = await self._work_on(claim)
            if isinstance(outcome, NotRun):
                if outcome.budget_exhausted:
                    self.stop(Stop.BUDGET)
                await self._database.write(lambda connection, held=claim: tasks.give_back(connection, held))
                return
            claim = await self._record_and_claim(claim, outcome)

    async def _work_on(self, claim: Claim) -> Outcome:
        item = self._items[claim.item_id]
        try:
            return await run_task(self._gateway, self._route, self._manifest, item, task_id=claim.task_id)
        except Exception:
            log.exception("task %s of %s failed inside the server", claim.task_id, self._route.run_id)
            return Failed("internal_error", "The server failed while it worked on this task; its log has the details.")

    async def _claim(self) -> Claim | None:
        if self.stopped is not None:
            return None
        run_id, owner, now = self._route.run_id, self._owner, utc_now()
        return await self._database.write(lambda connection: tasks.claim_next(connection, run_id, owner, now))
