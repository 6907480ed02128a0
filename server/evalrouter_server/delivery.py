"""Delivery: how a run's tasks get to an agent on a client's machine, and its answers back.

Each function is one step of the protocol within a transaction. A lease stands for a claim on its task and has a gateway
key of its own; both end with it. What a client hands in waits, as a lease that is `done` or `failed`, until the engine
has graded and recorded it, so that no step waits for a grader and nothing is lost when the server ends.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from evalrouter_server.clock import utc_now
from evalrouter_server.engine import transitions
from evalrouter_server.gateway.routing import RunRoute
from evalrouter_server.ids import new_id
from evalrouter_server.problems import Problem
from evalrouter_server.runners.failures import CallError, outcome_of
from evalrouter_server.runners.outcome import NotRun
from evalrouter_server.store import events, keys, leases, runs, tasks
from evalrouter_server.store.database import Database
from evalrouter_server.store.leases import DeliveryKeyRow, LeaseRow
from evalrouter_server.store.runs import RunRow

LEASE_TIME = timedelta(seconds=20)
"""How long a lease lasts that is not renewed."""

SLACK = timedelta(seconds=30)
"""How long a client may take beyond the time for a task to say that it was over."""

LAST_WHILE = timedelta(seconds=30)
"""How long a client has after its model calls have been refused for the whole run."""

MOST_LOSSES = 3
"""A task whose client was lost this often has failed: it may be the task that ends it."""

MOST_NOTES = 200
"""Progress notes of a lease."""

NO_CLIENT = "no_client"
"""The code of a pause because nobody delivers the run's tasks."""


@dataclass(frozen=True, slots=True)
class Granted:
    """A lease that was just granted.

    Attributes:
        lease: The lease.
        gateway_key: The secret of its gateway key.
    """

    lease: LeaseRow
    gateway_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Batch:
    """What a client that asks for tasks gets.

    Attributes:
        granted: The leases.
        run: The run.
        unfinished: Its tasks that have no result yet.
        resumed: Whether the run goes on now that somebody delivers again.
    """

    granted: list[Granted]
    run: RunRow
    unfinished: int
    resumed: bool


def lease(connection: Connection, key: DeliveryKeyRow, count: int) -> Batch:
    """Lease pending tasks of a run, within its concurrency.

    Args:
        connection: Within a transaction.
        key: The client's delivery key.
        count: The most to lease.
    """
    now = utc_now()
    leases.seen(connection, key.id, now)
    run = _run(connection, key.run_id)
    waits = run.status == "paused" and (run.status_reason or "").startswith(NO_CLIENT)
    resumed = (run.status == "queued" or waits) and transitions.begin(connection, run.id) is not None
    if resumed:
        run = _run(connection, key.run_id)
    granted: list[Granted] = []
    if run.status == "running" and leases.stopped_because(connection, run.id) is None:
        held = sum(each.is_held for each in leases.unsettled(connection, run.id))
        most = min(count, run.concurrency - held)
        claims = tasks.claim(connection, run.id, key.id, now, limit=most) if most > 0 else []
        granted = [_grant(connection, run, key, claim, now) for claim in claims]
        leases.insert(connection, [each.lease for each in granted])
    return Batch(granted, run, tasks.counts(connection, run.id).unfinished, resumed)


def _grant(connection: Connection, run: RunRow, key: DeliveryKeyRow, claim: tasks.Claim, now: datetime) -> Granted:
    assert run.agent is not None
    gateway_key = keys.create_gateway_key(connection, run.id, claim.task_id)
    granted = LeaseRow(
        id=new_id("lease"),
        run_id=run.id,
        task_id=claim.task_id,
        position=claim.position,
        item_id=claim.item_id,
        repeat=claim.repeat,
        fence=claim.fence,
        delivery_key_id=key.id,
        gateway_key_id=gateway_key.key.id,
        status="open",
        settled=False,
        reason=None,
        stopped_by=None,
        output=None,
        error=None,
        note_count=0,
        created_at=now,
        expires_at=now + LEASE_TIME,
        deadline=now + timedelta(seconds=run.agent["task_seconds"]) + SLACK,
        ended_at=None,
    )
    told = {"task_id": claim.task_id, "position": claim.position, "repeat": claim.repeat, "lease_id": granted.id}
    events.append(connection, run.id, "task.leased", told, now)
    return Granted(granted, gateway_key.secret)


def renew(
    connection: Connection, key: DeliveryKeyRow, lease_ids: Collection[str]
) -> tuple[datetime, list[LeaseRow], str]:
    """Keep leases.

    Returns:
        Until when, which of them are over, and the run's status.
    """
    now = utc_now()
    leases.seen(connection, key.id, now)
    over = []
    for each in leases.of_ids(connection, key.run_id, lease_ids):
        kept = now < min(each.expires_at, each.deadline) and leases.change(
            connection, each.id, expected=leases.HELD, expires_at=now + LEASE_TIME
        )
        if not kept:
            over.append(each)
    return now + LEASE_TIME, over, _run(connection, key.run_id).status


def submit(connection: Connection, key: DeliveryKeyRow, lease_id: str, output: str) -> LeaseRow:
    """Take a task's answer, once.

    Raises:
        Problem: `not_found`, `already_submitted`, `lease_ended`.
    """
    held = _held(connection, key, lease_id)
    if held.status == "submitted":
        raise Problem(
            "already_submitted", f"{lease_id} has handed in its answer already, and an answer counts once: say done."
        )
    leases.change(connection, lease_id, expected=("open",), status="submitted", output=output)
    return replace(held, status="submitted")


def finish(connection: Connection, key: DeliveryKeyRow, lease_id: str) -> LeaseRow:
    """End the work on a task, whose answer is graded next.

    Raises:
        Problem: `not_found`, `not_submitted`, `lease_ended`.
    """
    held = _held(connection, key, lease_id)
    if held.status != "submitted":
        raise Problem("not_submitted", f"{lease_id} has no answer yet: submit one, or fail or return the task.")
    leases.end(connection, held, "done", utc_now())
    return replace(held, status="done")


def fail(
    connection: Connection, key: DeliveryKeyRow, lease_id: str, *, code: str, message: str, details: str | None
) -> LeaseRow:
    """Give a task up.

    Raises:
        Problem: `not_found`, `lease_ended`.
    """
    held = _held(connection, key, lease_id)
    leases.end(connection, held, "failed", utc_now(), error={"code": code, "message": message, "details": details})
    return replace(held, status="failed")


def give_back(connection: Connection, key: DeliveryKeyRow, lease_id: str) -> LeaseRow:
    """Give a task back, to be delivered again.

    Raises:
        Problem: `not_found`, `lease_ended`.
    """
    held = _held(connection, key, lease_id)
    _return(connection, held, "returned", None, utc_now())
    return replace(held, status="returned")


def note(connection: Connection, key: DeliveryKeyRow, lease_id: str, notes: Sequence[str]) -> tuple[LeaseRow, int]:
    """Add progress notes to the run's events, as far as the lease may have any more.

    Returns:
        The lease, and the number of the newest event; 0 where nothing was added.

    Raises:
        Problem: `not_found`, `lease_ended`.
    """
    held, seq, now = _held(connection, key, lease_id), 0, utc_now()
    taken = notes[: MOST_NOTES - held.note_count]
    for text in taken:
        told = {"task_id": held.task_id, "position": held.position, "text": text}
        seq = events.append(connection, held.run_id, "task.note", told, now)
    leases.change(connection, lease_id, expected=leases.HELD, note_count=held.note_count + len(taken))
    return held, seq


def release(connection: Connection, key: DeliveryKeyRow) -> None:
    """Let a client deliver no more: what it holds goes back, and its key dies."""
    now = utc_now()
    _run(connection, key.run_id)
    for each in leases.unsettled(connection, key.run_id):
        if each.is_held and each.delivery_key_id == key.id:
            _return(connection, each, "returned", None, now)
    leases.revoke_key(connection, key.id, now)


def release_all(connection: Connection, run_id: str) -> None:
    """Let nobody deliver a run any more, as where those who did are gone: what is held goes back, and keys die."""
    now = utc_now()
    _run(connection, run_id)
    for each in leases.unsettled(connection, run_id):
        if each.is_held:
            _return(connection, each, "returned", None, now)
    leases.revoke_keys(connection, run_id, now)


def sweep(connection: Connection, run_id: str) -> None:
    """End the leases that were not renewed, or whose time for the task is over."""
    now = utc_now()
    _run(connection, run_id)
    for each in leases.unsettled(connection, run_id):
        if not each.is_held:
            continue
        if each.deadline <= now:
            seconds = (each.deadline - each.created_at - SLACK).total_seconds()
            error = {"code": "task_timeout", "message": f"The task was not done within {seconds:g} seconds."}
            leases.end(connection, each, "failed", now, reason="timed_out", error=error)
        elif each.expires_at > now:
            continue
        elif leases.times_lost(connection, each.task_id) + 1 >= MOST_LOSSES:
            message = f"The client that worked on the task was lost {MOST_LOSSES} times."
            leases.end(
                connection, each, "failed", now, reason="expired", error={"code": "client_lost", "message": message}
            )
        else:
            _return(connection, each, "ended", "expired", now)


def on_failure_in(database: Database) -> Callable[[RunRoute, CallError], Awaitable[None]]:
    """Notes on a lease that no further call of its run can be made; the gateway tells it of calls that failed.

    Whatever the client makes of that, its task is not run then, rather than wrong or failed.
    """

    async def note_failure(route: RunRoute, error: CallError) -> None:
        outcome, key_id = outcome_of(error), route.gateway_key_id
        because = isinstance(outcome, NotRun) and (outcome.ends_run_because or outcome.pauses_run_because)
        if because and key_id is not None:
            until = utc_now() + LAST_WHILE
            await database.write(lambda connection: leases.stop(connection, key_id, because, until))

    return note_failure


def is_due(held: LeaseRow, now: datetime) -> bool:
    """Whether `sweep` would end a lease."""
    return held.is_held and min(held.expires_at, held.deadline) <= now


def _return(connection: Connection, held: LeaseRow, status: str, reason: str | None, now: datetime) -> None:
    if leases.end(connection, held, status, now, reason=reason, settled=True) and tasks.give_back(
        connection, held.claim
    ):
        told = {"task_id": held.task_id, "position": held.position, "reason": reason or status}
        events.append(connection, held.run_id, "task.returned", told, now)


def _held(connection: Connection, key: DeliveryKeyRow, lease_id: str) -> LeaseRow:
    """A lease of the key's run that its client still holds; no other step of the run happens meanwhile."""
    now = utc_now()
    _run(connection, key.run_id)
    leases.seen(connection, key.id, now)
    found = leases.get(connection, key.run_id, lease_id)
    if found is None or found.delivery_key_id != key.id:
        raise Problem("not_found", f"There is no lease {lease_id} of this delivery key.", id=lease_id)
    if not found.is_held or is_due(found, now):
        why = found.reason or (found.status if not found.is_held else "expired")
        raise Problem(
            "lease_ended",
            f"{lease_id} is over ({why}), so nothing more is taken for its task: stop working on it.",
            reason=why,
        )
    return found


def _run(connection: Connection, run_id: str) -> RunRow:
    """The run, which nobody else changes until the transaction ends."""
    run = runs.load(connection, run_id, lock=True)
    if run is None:
        raise RuntimeError(f"{run_id} is gone: runs are never removed")
    return run
