"""Reserving before a model call and closing after it: decided one by one, in order, written as one set.

`apply` is a batch operation for `Database.write_batched`. A reservation touches its run's row only; all items that are
about one run are decided under that row's lock, so that spent + reserved never exceeds the cap, whatever else is going
on. `reserve` and `close` wrap it with their types. A caller that is cancelled while one of them is under way does not
learn what was decided: shield them.
"""

import contextlib
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.book import Book, CallState, RunState, TryState
from evalrouter_server.ledger.items import (
    LARGEST_AMOUNT,
    BeyondBound,
    Close,
    Closed,
    Exhausted,
    Item,
    Lose,
    MustWait,
    NewCall,
    Release,
    Replay,
    Reserve,
    Reserved,
    ReserveOutcome,
    Settle,
    Stopped,
    UsageSource,
    is_judge_call,
)
from evalrouter_server.quoting.price import Usage
from evalrouter_server.store.database import CommitUnknownError, Database

ATTEMPTS = 5
"""How often an item is handed to the writer while nobody knows whether it was committed."""

ADMITTING = frozenset({"queued", "running"})
"""The statuses of a run that takes new calls."""


async def reserve(database: Database, item: Reserve) -> ReserveOutcome:
    """Reserve a try's worst case from its run's cap. Asking again with the same item finds what it reserved.

    So it is asked again where nobody knows whether it was committed.

    Raises:
        LookupError: There is no such run or call.
    """
    outcome = await _until_known(database, item, item.run_id)
    assert not isinstance(outcome, Closed)
    return outcome


async def close(database: Database, item: Close, run_id: str | None = None) -> Closed:
    """Settle, release or lose a try. Closing it again changes nothing and says how it ended.

    So it is done again where nobody knows whether it was committed.

    Args:
        database: Where the ledger is.
        item: What became of the try.
        run_id: The run that it belongs to, as for `Database.write`.

    Raises:
        LookupError: There is no such try.
    """
    outcome = await _until_known(database, item, run_id)
    assert isinstance(outcome, Closed)
    return outcome


async def _until_known(database: Database, item: Item, run_id: str | None) -> ReserveOutcome | Closed:
    for _ in range(ATTEMPTS - 1):
        with contextlib.suppress(CommitUnknownError):
            return await database.write_batched(apply, item, run_id)
    return await database.write_batched(apply, item, run_id)


def apply(connection: Connection, items: Sequence[Item]) -> Sequence[ReserveOutcome | Closed | Exception]:
    """Decide the items in order and write what was decided.

    Args:
        connection: Within a transaction.
        items: Reservations and closings, of any runs.

    Returns:
        For each item its outcome, or a `LookupError` where it names what does not exist.
    """
    book = Book.load(connection, items)
    now = utc_now()
    outcomes: list[ReserveOutcome | Closed | Exception] = []
    for item in items:
        try:
            outcomes.append(_reserve(book, item, now) if isinstance(item, Reserve) else _close(book, item, now))
        except LookupError as error:
            outcomes.append(error)
    book.save(connection)
    return outcomes


def _reserve(book: Book, item: Reserve, now: datetime) -> ReserveOutcome:
    run = book.runs.get(item.run_id)
    if run is None:
        raise LookupError(f"there is no run {item.run_id}")
    call = _call_of(book, item)
    if call is not None and (earlier := _reserved_before(call, item.token)) is not None:
        return earlier
    if call is not None and call.status == "settled":
        return _replay(call)
    if run.status not in ADMITTING or run.hold_released:
        return Stopped(run.status)
    if run.overage_microusd > 0:
        return BeyondBound()
    if call is not None and call.status == "open":
        return MustWait("same_call")
    if item.amount > run.remaining:
        return Exhausted(run.remaining)
    if item.amount > run.remaining - run.reserved_microusd:
        return MustWait("budget")
    if call is None:
        assert isinstance(item.call, NewCall)
        call = _new_call(book, run, item.call, now)
    number = len(call.tries) + 1
    book.add_try(TryState(call.id, number, run.id, "open", item.amount, token=item.token), item.owner, now)
    return Reserved(call.id, number, call.charge_microusd)


def _reserved_before(call: CallState, token: str) -> Reserved | None:
    """The open try that this very item has reserved, where its answer did not reach who asked."""
    for attempt in call.tries.values():
        if attempt.token == token and attempt.status == "open":
            return Reserved(call.id, attempt.number, call.charge_microusd)
    return None


def _call_of(book: Book, item: Reserve) -> CallState | None:
    if isinstance(item.call, NewCall):
        return book.calls_by_key.get((item.run_id, item.call.call_key))
    call = book.calls.get(item.call)
    if call is None or call.run_id != item.run_id:
        raise LookupError(f"run {item.run_id} has no call {item.call}")
    return call


def _new_call(book: Book, run: RunState, asked: NewCall, now: datetime) -> CallState:
    if asked.task_id is None:
        run.flag("unattributed_calls")
    call = CallState(new_id("call"), run.id, asked.call_key, "open")
    book.add_call(call, asked, now)
    return call


def _replay(call: CallState) -> Replay:
    source: UsageSource = "reported" if call.usage_source == "reported" else "estimated"
    usage = Usage(**(call.usage or {}))
    return Replay(call.id, call.response, usage, source, call.charge_microusd, call.model_served)


def _close(book: Book, item: Close, now: datetime) -> Closed:
    call = book.calls.get(item.call_id)
    attempt = call.tries.get(item.try_number) if call else None
    if call is None or attempt is None:
        raise LookupError(f"call {item.call_id} has no try {item.try_number}")
    if attempt.status != "open":
        return _closed(call, attempt, repeated=True)
    run = book.runs[attempt.run_id]
    attempt.http_status = item.http_status
    match item:
        case Settle():
            _settle(book, run, call, attempt, item, now)
        case Release():
            attempt.error = item.error
            book.close_try(attempt, "released", 0, now)
        case Lose():
            attempt.error = item.error
            call.usage_source = "unknown"
            run.flag("usage_unknown")
            book.close_try(attempt, "unknown", attempt.reservation_microusd, now)
    return _closed(call, attempt, repeated=False)


def _settle(book: Book, run: RunState, call: CallState, attempt: TryState, item: Settle, now: datetime) -> None:
    charge = min(item.charge, attempt.reservation_microusd)
    overage = min(item.charge - charge, LARGEST_AMOUNT)
    call.usage, call.usage_source = item.usage.by_kind(), item.usage_source
    call.model_served, call.response = item.model_served, item.response
    call.overage_microusd = overage
    run.overage_microusd = min(run.overage_microusd + overage, LARGEST_AMOUNT)
    served = None if is_judge_call(call.call_key) else item.model_served
    if served is not None and served not in run.models_served:
        run.models_served.append(served)
    if overage:
        run.flag("overage")
    if item.usage_source == "estimated":
        run.flag("usage_estimated")
    if item.provider_cost is not None:
        call.provider_cost_microusd = min(item.provider_cost, LARGEST_AMOUNT)
        if _differs(item.charge, item.provider_cost):
            run.flag("provider_cost_differs")
    run.flag(*item.flags)
    book.close_try(attempt, "settled", charge, now)


def _differs(ours: int, theirs: int) -> bool:
    """Whether two costs differ by more than 1%, and by more than the micro-USD that rounding up may make."""
    difference = abs(ours - theirs)
    return difference > 1 and difference * 100 > max(ours, theirs)


def _closed(call: CallState, attempt: TryState, *, repeated: bool) -> Closed:
    overage = call.overage_microusd if attempt.status == "settled" else 0
    return Closed(call.id, attempt.number, attempt.status, attempt.charge_microusd, overage, repeated)
