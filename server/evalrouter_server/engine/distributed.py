"""The engine of several processes on one PostgreSQL database: a run is worked on in slots, by whoever has room.

A turn of the queue asks for a slot. The slot bounds the lanes and owns their claims; it ends when the run has no task
left, or after a while if others wait. Whoever ends the last of a run's slots ends the run. Every process looks after
order: it ends processes that are dead, gives back what they had, and calls the turns that are missing.
"""

import asyncio
import contextlib
import logging
import math
from collections.abc import Awaitable
from datetime import timedelta
from functools import partial
from typing import Unpack

from pgqueuer.models import Job
from sqlalchemy import Connection
from tenacity import AsyncRetrying, retry_if_exception_type

from evalrouter_server import delivery, log_context
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.engine import transitions
from evalrouter_server.engine.agent_work import AgentWork
from evalrouter_server.engine.engine import Engine, EngineParts, Prepared, Transition, Work
from evalrouter_server.engine.hosted_work import HostedWork
from evalrouter_server.engine.presence import Presence
from evalrouter_server.engine.remote_work import cancel_sent
from evalrouter_server.engine.turns import Turn, Turns
from evalrouter_server.ledger.recover import has_tries_of_nobody, settle_orphans, settle_tries_of_nobody
from evalrouter_server.log_context import about
from evalrouter_server.problems import Problem
from evalrouter_server.store import instances, runs, slots, tasks
from evalrouter_server.store.cluster import Need, end_dead, needs
from evalrouter_server.store.instances import GONE_AFTER
from evalrouter_server.store.runs import RunRow
from evalrouter_server.store.slots import Slot

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 1.0
"""How often each process looks after order."""

SECONDS_OF_A_TURN = 3.0
"""How long a turn lasts while others wait."""

SECONDS_AFTER_A_TURN = 0.5
"""How long a turn that made room stays away, so that those that wait go first."""

SECONDS_WITHOUT_ROOM = 0.25
"""How long a turn waits that a limit left nothing for."""

SLOTS_OF_A_RUN = 8
"""About how many slots share a run's lanes."""

MOST_LANES = 16
"""The most lanes of a slot."""

RUNS_KEPT = 32
"""Runs whose plan and items are kept in memory between turns."""

KEPT_FOR_FIRST_TURNS = 0.25
"""The share of a process's lanes that a run which has a slot does not get, so that slow ones starve nobody."""


class DistributedEngine(Engine):
    """Works on runs beside other processes.

    Args:
        presence: This process among them.
        turns: The queue.
        lanes: How many tasks this process works on at a time; 0: none.
        outdated: Set once the database has come to belong to another version: then nothing more is taken.
        parts: What every engine takes.
    """

    def __init__(
        self, *, presence: Presence, turns: Turns, lanes: int, outdated: asyncio.Event, **parts: Unpack[EngineParts]
    ) -> None:
        super().__init__(owner=presence.id, resume_at_start=True, **parts)
        self._presence = presence
        self._turns = turns
        self._outdated = outdated
        self._lanes = lanes
        self._free = lanes
        self._slots: dict[str, tuple[str, Work]] = {}
        self._prepared: dict[str, Prepared] = {}
        self._under_way: set[asyncio.Task[None]] = set()
        self._loops: list[asyncio.Task[None]] = []

    @property
    def lanes_in_use(self) -> int:
        """How many of this process's lanes are given."""
        return self._lanes - self._free

    async def start(self) -> None:
        """Recover what dead processes left, then look after order and take turns."""
        await self._recover_from_the_dead(timedelta(0))
        others = [each for each in await self._database.read(instances.live) if each.id != self._presence.id]
        for run in await self._database.read(lambda conn: runs.list_in_status(conn, ["paused"])):
            if not run.is_delivered and (not others or (run.status_reason or "").startswith("interrupted")):
                await self.resume_run(run.id)
        self._loops = [
            asyncio.create_task(self._look_after_order(), name="order"),
            asyncio.create_task(self._stop_when_outdated(), name="version watch"),
        ]
        if self._lanes:
            self._loops.append(asyncio.create_task(self._take_turns(), name="turns"))

    async def stop(self, timeout: float = 10.0) -> None:
        """Take no further turn; tasks in flight finish, and the rest goes to others.

        Args:
            timeout: Seconds for the tasks in flight; what has not finished by then is settled as lost.
        """
        self.take_no_more()
        for loop in self._loops:
            loop.cancel()
        if self._loops:
            await asyncio.wait(self._loops)
        if self._under_way:
            _, late = await asyncio.wait(self._under_way, timeout=timeout)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    def take_no_more(self) -> None:
        """Take no further turn and claim no further task."""
        self._stopping = True
        for _, work in self._slots.values():
            work.stop()

    def run_created(self, run_id: str) -> None:
        """Call the turns of a run."""
        if not self._stopping:
            self._spawn(self._call(run_id))

    async def cancel_run(self, run_id: str) -> None:
        """Let no new call of a run start; it ends once those in flight have finished, on all machines."""
        if await self._change(run_id, transitions.request_cancel) is None:
            return
        for of_run, work in self._slots.values():
            if of_run == run_id:
                work.stop()
        self.run_created(run_id)

    def delivered(self, run_id: str) -> None:
        """Note that the client of a run with an agent has said something; another process looks by itself."""
        for of_run, work in self._slots.values():
            if of_run == run_id and isinstance(work, AgentWork | HostedWork):
                work.wake()

    async def _stop_when_outdated(self) -> None:
        await self._outdated.wait()
        self.take_no_more()

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _call(self, run_id: str) -> None:
        try:
            found = await self._database.read(partial(needs, run_id=run_id))
            await self._turns.call(turn for need in found for turn in turns_of(need))
        except Exception as error:
            log.warning("the turns of %s are called later: %r", run_id, error)

    # Looking after order.

    async def _look_after_order(self) -> None:
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            try:
                await self._recover_from_the_dead(GONE_AFTER)
                found = await self._database.read(needs)
                await self._turns.call(turn for need in found for turn in turns_of(need))
            except Exception as error:
                log.warning("order could not be looked after, trying on: %r", error)

    async def _recover_from_the_dead(self, gone_after: timedelta) -> None:
        for each in await self._database.read(instances.live):
            if each.id != self._presence.id:
                ended = await self._database.write_aside(partial(end_dead, dead=each, gone_after=gone_after))
                if ended:
                    log.warning("%s %s (%s) is dead: its work goes to others", each.kind, each.name, each.id)
        if await self._database.read(has_tries_of_nobody):
            lost = await self._database.write_aside(settle_tries_of_nobody)
            log.warning("%d tries that dead processes had sent are charged their reservations", lost)
        if await self._database.read(tasks.has_claims_of_nobody):
            await self._database.write_aside(tasks.give_back_of_nobody)

    # Taking turns.

    async def _take_turns(self) -> None:
        while True:
            try:
                job = await self._next_turn()
            except Exception as error:
                log.warning("the queue gives no turn, trying on: %r", error)
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
                continue
            if job is None:
                await self._turns.wait(SECONDS_AFTER_A_TURN)
                continue
            self._free -= 1
            self._spawn(self._take(job))

    async def _next_turn(self) -> Job | None:
        if self._stopping or self._free < 1 or not self._presence.is_sure:
            return None
        return await self._turns.take(only_first=self._free <= KEPT_FOR_FIRST_TURNS * self._lanes)

    async def _take(self, job: Job) -> None:
        again: float | None = SECONDS_BETWEEN_LOOKS
        try:
            run_id = (job.payload or b"").decode()
            with about(log_context.run_id, run_id):
                again = await self._work_on_turn(run_id)
        except asyncio.CancelledError:
            again = 0.0
            raise
        except Exception:
            log.exception("a turn failed")
        finally:
            self._free += 1
            with contextlib.suppress(Exception):  # the queue gives it to another process then
                await (self._turns.finish(job) if again is None else self._turns.again(job, again))
            self._turns.nudge()

    async def _work_on_turn(self, run_id: str) -> float | None:
        """Work on a run as long as there is something to do and others do not wait.

        Returns:
            After how many seconds the turn comes again; None: not by itself.
        """
        run = await self._load(run_id)
        if run.has_ended or run.status == "paused":
            return None
        if run.status != "cancelling" and await self._closing_reason(run_id) is None:
            try:
                prepared = await self._prepared_once(run)
            except Problem as problem:
                await self._pause(run_id, f"{problem.code}: {problem.message}")
                return None
            if run.status == "queued":
                await self._change(run_id, transitions.begin)
            again = await self._work_in_slot(run, prepared)
            if again is not None:
                return again
        elif run.agent is not None and run.is_remote and run.status == "cancelling":
            await cancel_sent(run_id, partial(self._agents.address, run.agent["digest"]), self._database)
        if await self._is_over(run_id):
            self._prepared.pop(run_id, None)
            await AsyncRetrying(retry=retry_if_exception_type(transitions.CallsOpenError))(self._end, run_id)
        return None

    async def _prepared_once(self, run: RunRow) -> Prepared:
        """What the work on a run needs; nothing of it ever changes, and the next turn needs it too."""
        prepared = self._prepared.pop(run.id, None) or await self._prepare(run)
        self._prepared[run.id] = prepared
        if len(self._prepared) > RUNS_KEPT:
            self._prepared.pop(next(iter(self._prepared)))
        return prepared

    async def _work_in_slot(self, run: RunRow, prepared: Prepared) -> float | None:
        alone = run.agent is not None or isinstance(prepared.manifest, HarnessManifest)
        wanted = lanes_of(run, alone=alone)
        lanes = min(wanted, 1 + self._free)
        self._free -= lanes - 1
        try:
            slot = await self._admit(run, lanes, alone=alone)
            if slot is None:
                return SECONDS_WITHOUT_ROOM
            if run.agent is not None and not run.is_delivered:
                await self._database.write(lambda conn: delivery.release_all(conn, run.id), run.id)
            work = self._work(run, prepared, owner=slot.id, lanes=slot.lanes)
            self._slots[slot.id] = run.id, work
            try:
                return await self._work_for_a_while(run, work, can_make_room=not alone)
            except Problem as problem:
                await self._pause(run.id, f"{problem.code}: {problem.message}")
            except Exception:
                log.exception("the work on %s stopped", run.id)
                await self._pause(
                    run.id, "internal_error: the server failed while it worked on the run; its log has the details"
                )
            finally:
                self._slots.pop(slot.id)
                await asyncio.shield(self._database.write_aside(partial(slots.release, ids=[slot.id])))
            return None
        finally:
            self._free += lanes - 1

    async def _admit(self, run: RunRow, lanes: int, *, alone: bool) -> Slot | None:
        limits = await self._database.read(slots.read_limits)
        admitted = await self._database.write_aside(
            lambda conn: slots.admit(conn, run, self._presence.id, lanes, limits, alone=alone)
        )
        return admitted if isinstance(admitted, Slot) else None

    async def _work_for_a_while(self, run: RunRow, work: Work, *, can_make_room: bool) -> float | None:
        made_room = False
        if self._stopping:
            work.stop()
        doing = asyncio.create_task(work.run(), name=f"{run.id} work")
        try:
            while not doing.done():
                await asyncio.wait([doing], timeout=SECONDS_OF_A_TURN)
                if can_make_room and not doing.done() and not made_room and await self._turns.others_wait(run.id):
                    made_room = True
                    work.stop()
            await doing
        finally:
            if not doing.done():
                doing.cancel()
                await asyncio.wait([doing])
        if work.paused_because is not None:
            await self._pause(run.id, work.paused_because)
        elif work.ended_because is not None:
            because = work.ended_because
            await self._database.write(lambda conn: runs.begin_to_close(conn, run.id, because), run.id)
        elif self._stopping:
            return 0.0
        elif made_room:
            return SECONDS_AFTER_A_TURN
        return None

    # Ending runs.

    async def _is_over(self, run_id: str) -> bool:
        """Whether a run can end: nothing more may be begun, and no lane anywhere works on a task of it."""

        def read(connection: Connection) -> bool:
            run = runs.load(connection, run_id)
            assert run is not None
            if run.status not in ("running", "cancelling"):
                return False
            if run.status == "cancelling" or runs.closing_reason(connection, run_id) is not None:
                by_lease = run.agent is not None and not run.is_remote
                return by_lease or not tasks.are_any(connection, run_id, "claimed")
            return not (tasks.are_any(connection, run_id, "pending") or tasks.are_any(connection, run_id, "claimed"))

        return await self._database.read(read)

    async def _closing_reason(self, run_id: str) -> str | None:
        return await self._database.read(lambda conn: runs.closing_reason(conn, run_id))

    async def _ended_because(self, run_id: str) -> str | None:
        return await self._closing_reason(run_id)

    async def _settle_stranded(self, run_id: str) -> bool:
        """Lose the tries that nobody works on; those of other processes that live are theirs."""
        if self._gateway.has_calls(run_id):
            return False
        me = self._presence.id

        def settle(connection: Connection) -> int:
            others = [each.id for each in instances.live(connection) if each.id != me]
            return settle_orphans(connection, others, run_id)

        if count := await self._database.write(settle, run_id):
            log.error("%s had %d open tries that nobody worked on; each is charged its reservation", run_id, count)
        return True

    def _pausing(self, reason: str) -> Transition:
        """Pause a run; slots on all machines finish the tasks that they have."""
        return lambda conn, run_id: transitions.pause(conn, run_id, reason, slots.ids_of_run(conn, run_id))


def lanes_of(run: RunRow, *, alone: bool) -> int:
    """How many lanes a slot of a run would like."""
    if alone:
        return 1 if run.is_delivered else run.concurrency
    return min(MOST_LANES, math.ceil(run.concurrency / SLOTS_OF_A_RUN))


def turns_of(need: Need) -> list[Turn]:
    """The turns that a run should have in the queue."""
    if not need.has_pending or need.is_alone:
        return [Turn(need.run_id, 0)]
    lanes = min(MOST_LANES, math.ceil(need.concurrency / SLOTS_OF_A_RUN))
    return [Turn(need.run_id, number) for number in range(math.ceil(need.concurrency / lanes))]
