"""The work on one run whose agent this server hosts: tasks are leased here, each worked on in a sandbox of its own."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from evalrouter_server import delivery
from evalrouter_server.catalog.render import task_inputs
from evalrouter_server.engine.agent_work import AgentWork
from evalrouter_server.engine.work import Assignment
from evalrouter_server.problems import Problem
from evalrouter_server.runners.hosting import Hosting, HostingFailed, Prepared, agent_name, is_unverified
from evalrouter_server.sandbox import Ended, Outcome, SandboxFailed
from evalrouter_server.sandbox.program import last_words
from evalrouter_server.store import leases, tasks
from evalrouter_server.store.database import Database
from evalrouter_server.store.leases import DeliveryKeyRow, LeaseRow

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 1.0
"""How often a lane looks for a task where there was none."""

SECONDS_BETWEEN_CHECKS = 5.0
"""How often a lane looks whether its lease is still held; a sandbox whose lease is over for so long is ended."""

_LIMITS = {
    Ended.TIMEOUT: ("task_timeout", "The agent reached its time limit"),
    Ended.MEMORY: ("agent_memory_limit", "The agent took more memory than a hosted task may"),
    Ended.DISK: ("agent_disk_limit", "The agent made more files than a hosted task may"),
    Ended.OUTPUT: ("agent_output_limit", "The agent's host wrote more than it may"),
}


@dataclass(frozen=True, slots=True)
class _Job:
    """A leased task."""

    key: DeliveryKeyRow
    lease: LeaseRow
    secret: str = field(repr=False)
    document: Mapping[str, Any] = field(repr=False)


class HostedWork:
    """Works on one run until its tasks are done, it cannot go on, or it is stopped.

    Args:
        assignment: The run.
        agent: The run's agent, as the contract's `AgentRef`.
        work: Looks after the leases and grades.
        hosting: Runs agents.
        database: Where tasks are leased.
    """

    def __init__(
        self, assignment: Assignment, *, agent: Mapping[str, Any], work: AgentWork, hosting: Hosting, database: Database
    ) -> None:
        self._assignment = assignment
        self._agent = agent
        self._work = work
        self._hosting = hosting
        self._database = database
        self._failure: str | None = None

    @property
    def ended_because(self) -> str | None:
        """Why the run cannot go on though tasks are left, as a code and a text; None where it can."""
        return self._work.ended_because

    @property
    def paused_because(self) -> str | None:
        """Why it waits for somebody, as a code and a text; None where it does not."""
        return self._failure or self._work.paused_because

    def stop(self) -> None:
        """Begin no further task; agents that work are ended, and their tasks go back."""
        self._work.stop()

    def wake(self) -> None:
        """Look again now: a host has said something."""
        self._work.wake()

    async def run(self) -> None:
        """Work until there is nothing more to do."""
        hosts = asyncio.create_task(self._host(), name=f"{self._assignment.run_id} hosts")
        try:
            await self._work.run()
        finally:
            hosts.cancel()
            await asyncio.wait([hosts])

    async def _host(self) -> None:
        try:
            await self._hosting.require()
            prepared = await self._hosting.prepare(self._agent)
            async with asyncio.TaskGroup() as lanes:
                for _ in range(self._assignment.concurrency):
                    lanes.create_task(self._lane(prepared))
        except Problem as problem:
            self._fail(f"{problem.code}: {problem.message}")
        except HostingFailed as error:
            self._fail(f"agent_not_installed: the server could not get {agent_name(self._agent)} ready: {error.reason}")
        except Exception:
            log.exception("the hosts of %s stopped", self._assignment.run_id)
            self._fail("internal_error: the server failed while it hosted the agent; its log has the details")

    def _fail(self, reason: str) -> None:
        self._failure = reason
        self._work.stop()

    async def _lane(self, prepared: Prepared) -> None:
        while True:
            job = await self._lease() if await self._has_pending() else None
            if job is None:
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            else:
                await self._work_on(prepared, job)

    async def _has_pending(self) -> bool:
        return await self._database.read(lambda connection: tasks.has_pending(connection, self._assignment.run_id))

    async def _lease(self) -> _Job | None:
        """Lease one task with a key of its own."""
        run_id = self._assignment.run_id

        def lease(connection: Connection) -> _Job | None:
            made = leases.create_key(connection, run_id)
            batch = delivery.lease(connection, made.key, 1)
            if not batch.granted:
                delivery.release(connection, made.key)
                return None
            (granted,) = batch.granted
            item = self._assignment.items[granted.lease.item_id]
            document = {
                "id": granted.lease.id,
                "run_id": run_id,
                "task_id": granted.lease.task_id,
                "index": granted.lease.position,
                "repeat": granted.lease.repeat,
                "inputs": task_inputs(self._assignment.manifest, item),
                "gateway_key": granted.gateway_key,
                "gateway_base_url": "",
                "model": (batch.run.model or {})["slug"],
                "task_seconds": self._agent["task_seconds"],
                "expires_at": granted.lease.expires_at.isoformat(),
            }
            return _Job(made.key, granted.lease, made.secret, document)

        return await self._database.write(lease)

    async def _work_on(self, prepared: Prepared, job: _Job) -> None:
        """Have the task worked on in a sandbox; what is not said of it by then is said here."""
        told = {
            "agent": agent_name(self._agent),
            "allow_unverified": is_unverified(self._agent),
            "delivery_key": job.secret,
            "lease": job.document,
        }
        working = asyncio.create_task(self._hosting.run(prepared, told, seconds=self._agent["task_seconds"]))
        checking = asyncio.create_task(self._until_over(job))
        failure: tuple[str, str, str | None] | None = None
        try:
            await asyncio.wait((working, checking), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                failure = _failure(working)
        finally:
            for task in (working, checking):
                task.cancel()
            await asyncio.wait((working, checking))
            await asyncio.shield(self._database.write(lambda connection: _close(connection, job, failure)))
            self._work.wake()

    async def _until_over(self, job: _Job) -> None:
        """Wait until the lease has been over for a while, so that its host has had time to end by itself."""
        looks = 0
        while looks < 2:
            await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
            lease = await self._database.read(
                lambda connection: leases.get(connection, self._assignment.run_id, job.lease.id)
            )
            looks = 0 if lease is not None and lease.is_held else looks + 1


def _failure(working: asyncio.Task[Outcome]) -> tuple[str, str, str | None]:
    """What is said of a task whose sandbox has ended while its lease is held: a code, a message, the last words."""
    error = working.exception()
    if isinstance(error, SandboxFailed):
        return "sandbox_failed", f"The sandbox of the hosted agent failed: {error.reason}", None
    if error is not None:
        log.error("a hosted task failed inside the server", exc_info=error)
        return "internal_error", "The server failed while it hosted the agent; its log has the details.", None
    outcome = working.result()
    said = last_words(outcome) or None
    if outcome.ended is not Ended.BY_ITSELF:
        code, message = _LIMITS[outcome.ended]
        return code, f"{message}, and was ended.", said
    return "host_failed", f"The agent's host ended with status {outcome.exit_status} before the task was done.", said


def _close(connection: Connection, job: _Job, failure: tuple[str, str, str | None] | None) -> None:
    """End a lease that is still held, as failed or given back, and its keys with it."""
    if failure is not None:
        code, message, details = failure
        with contextlib.suppress(Problem):
            delivery.fail(connection, job.key, job.lease.id, code=code, message=message, details=details)
    delivery.release(connection, job.key)
