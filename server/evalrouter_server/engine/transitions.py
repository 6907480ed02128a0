"""The changes of a run's status, each one transaction with its event.

```text
queued ────► running ────► completed | partial | failed
   │          │   ▲
   │          ▼   │
   ├───────► paused          the engine stopped; resuming goes on
   ▼          ▼
cancelling ──────────────► cancelled
```

Each function runs within a transaction and returns the number of the event that it wrote, or None where the run was not
in a status that it changes.
"""

from collections.abc import Collection
from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlalchemy import Connection, exists, select

from evalrouter_server.clock import utc_now
from evalrouter_server.ledger.holds import release_hold
from evalrouter_server.store import events, keys, leases, runs, tasks
from evalrouter_server.store.tables import tries

if TYPE_CHECKING:
    from evalrouter_server.engine.ending import Ending


class CallsOpenError(Exception):
    """The run cannot end yet: an outside client's call was let in before its key was revoked, and is still open."""


def begin(connection: Connection, run_id: str) -> int | None:
    """Start a queued run, or go on with a paused one."""
    run = runs.load(connection, run_id, lock=True)
    at = utc_now()
    if run is None or not runs.set_status(connection, run_id, "running", expected=("queued", "paused"), at=at):
        return None
    kind = "run.started" if run.started_at is None else "run.resumed"
    return events.append(connection, run_id, kind, {}, at)


def pause(connection: Connection, run_id: str, reason: str, live_owners: Collection[str] = ()) -> int | None:
    """Note that the engine stopped before the run ended; what was claimed goes back.

    Args:
        connection: Within a transaction.
        run_id: The run.
        reason: Why, as a code and a text.
        live_owners: Process instances whose claims stand.
    """
    at = utc_now()
    if not runs.set_status(connection, run_id, "paused", expected=("queued", "running"), at=at, reason=reason):
        return None
    tasks.give_back_orphans(connection, live_owners, run_id)
    keys.revoke_gateway_keys_of_tasks(connection, run_id)
    leases.end_held(connection, run_id, "run_paused", at)
    return events.append(connection, run_id, "run.paused", {"reason": reason}, at)


def request_cancel(connection: Connection, run_id: str) -> int | None:
    """Let no new call of the run start."""
    at = utc_now()
    if not runs.set_status(connection, run_id, "cancelling", expected=("queued", "running", "paused"), at=at):
        return None
    keys.revoke_gateway_keys(connection, run_id)
    leases.end_held(connection, run_id, "cancelled", at)
    return events.append(connection, run_id, "run.cancelling", {}, at)


def close_to_outsiders(connection: Connection, run_id: str) -> bool:
    """Let outside clients start no further call of the run.

    Returns:
        Whether a call is still open, so that the run cannot end yet.
    """
    keys.revoke_gateway_keys(connection, run_id)
    return bool(connection.scalar(select(exists().where(tries.c.run_id == run_id, tries.c.status == "open"))))


def end(connection: Connection, run_id: str, ending: "Ending") -> int | None:
    """End a run: its numbers, its status, and what it did not spend back to the wallet.

    Raises:
        CallsOpenError: A call of it is open; a request that was let in before may have reserved since the last look.
    """
    runs.load(connection, run_id, lock=True)
    if close_to_outsiders(connection, run_id):
        raise CallsOpenError
    at = utc_now()
    if not runs.finish(
        connection,
        run_id,
        ending.status,
        at=at,
        reason=ending.reason,
        score=ending.score,
        metrics=map(asdict, ending.metrics),
        groups=map(asdict, ending.groups),
    ):
        return None
    tasks.give_back_orphans(connection, (), run_id)
    tasks.drop_pending(connection, run_id)
    leases.end_held(connection, run_id, "run_ended", at)
    leases.settle_all(connection, run_id)
    leases.revoke_keys(connection, run_id, at)
    release_hold(connection, run_id)
    told = {"status": ending.status, "reason": ending.reason, "score": ending.score}
    return events.append(connection, run_id, "run.ended", told, at)
