"""Model calls as the reader sees them, each with its tries; the ledger writes them."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from evalrouter_server.store.pages import BY_ID, Page, fetch_page
from evalrouter_server.store.rows import fetch_all, select_rows
from evalrouter_server.store.tables import calls, tries


@dataclass(frozen=True, slots=True)
class TryRow:
    """One HTTP request of a call; money in micro-USD."""

    call_id: str
    number: int
    status: str
    reservation_microusd: int
    charge_microusd: int
    http_status: int | None
    error: str | None
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class CallRow:
    """A logical model call; money in micro-USD."""

    id: str
    task_id: str | None
    call_key: str
    wire: str
    streamed: bool
    model_requested: str
    model_served: str | None
    status: str
    usage: dict[str, int] | None
    usage_source: str | None
    charge_microusd: int
    overage_microusd: int
    provider_cost_microusd: int | None
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class CallWithTries:
    """A call and its tries by number."""

    call: CallRow
    tries: tuple[TryRow, ...]


def list_page(
    connection: Connection, run_id: str, *, task_id: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[CallWithTries]:
    """A page of a run's calls, or of one task's, oldest first.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    query = select_rows(CallRow, calls).where(calls.c.run_id == run_id)
    query = query if task_id is None else query.where(calls.c.task_id == task_id)
    page = fetch_page(connection, CallRow, query, calls.c.id, BY_ID, "calls", cursor=cursor, limit=limit)
    by_call: dict[str, list[TryRow]] = defaultdict(list)
    tried = select_rows(TryRow, tries).where(tries.c.call_id.in_([call.id for call in page.items]))
    for attempt in fetch_all(connection, TryRow, tried.order_by(tries.c.call_id, tries.c.number)):
        by_call[attempt.call_id].append(attempt)
    return Page(tuple(CallWithTries(call, tuple(by_call[call.id])) for call in page.items), page.next_cursor)
