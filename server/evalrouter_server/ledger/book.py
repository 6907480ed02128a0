"""The rows that a group of reservations and closings is about.

They are read once under the runs' locks, decided on in memory, and written once.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, Self

from sqlalchemy import Connection, Table, and_, bindparam, or_, select

from evalrouter_server.ledger.accounts import Transaction, hold_account, post, spend_account
from evalrouter_server.ledger.items import Item, NewCall, Reserve, TryStatus
from evalrouter_server.store.tables import calls, runs, tries


@dataclass(slots=True)
class RunState:
    """A run's money."""

    id: str
    workspace_id: str
    key_id: str
    status: str
    cap_microusd: int
    reserved_microusd: int
    spent_microusd: int
    overage_microusd: int
    hold_released: bool
    flags: list[str]
    models_served: list[str]

    @property
    def remaining(self) -> int:
        """Micro-USD of the cap that are not spent."""
        return self.cap_microusd - self.spent_microusd

    def flag(self, *flags: str) -> None:
        """Add flags, each once."""
        self.flags.extend(flag for flag in dict.fromkeys(flags) if flag not in self.flags)


@dataclass(slots=True)
class TryState:
    """One HTTP request of a call."""

    call_id: str
    number: int
    run_id: str
    owner: str
    status: TryStatus
    reservation_microusd: int
    started_at: datetime
    charge_microusd: int = 0
    http_status: int | None = None
    error: str | None = None
    ended_at: datetime | None = None


@dataclass(slots=True)
class CallState:
    """A logical call; its tries by number."""

    id: str
    run_id: str
    task_id: str | None
    call_key: str
    gateway_key_id: str | None
    wire: str
    streamed: bool
    model_requested: str
    status: str
    started_at: datetime
    model_served: str | None = None
    usage: dict[str, int] | None = None
    usage_source: str | None = None
    charge_microusd: int = 0
    overage_microusd: int = 0
    provider_cost_microusd: int | None = None
    response: Any = None
    ended_at: datetime | None = None
    tries: dict[int, TryState] = field(default_factory=dict)

    def refresh_status(self) -> None:
        """Derive the status from the tries: open while one is, else settled, unknown or released, what comes first."""
        statuses = {attempt.status for attempt in self.tries.values()}
        self.status = next(status for status in ("open", "settled", "unknown", "released") if status in statuses)


# In the order of the fields, so that a row is what makes a state.
_RUN_COLUMNS = [entry.name for entry in fields(RunState)]
_CALL_COLUMNS = [entry.name for entry in fields(CallState) if entry.name != "tries"]
_TRY_COLUMNS = [entry.name for entry in fields(TryState)]
_RUN_CHANGES = ("reserved_microusd", "spent_microusd", "overage_microusd", "flags", "models_served")
_TRY_CHANGES = ("status", "charge_microusd", "http_status", "error", "ended_at")
_CALL_CHANGES = (
    "status",
    "model_served",
    "usage",
    "usage_source",
    "charge_microusd",
    "overage_microusd",
    "provider_cost_microusd",
    "response",
    "ended_at",
)


@dataclass(slots=True)
class Book:
    """The runs, calls and tries that a group of items is about, and what has changed of them.

    Attributes:
        runs: By ID.
        calls: By ID.
        calls_by_key: By run ID and call key.
    """

    runs: dict[str, RunState] = field(default_factory=dict)
    calls: dict[str, CallState] = field(default_factory=dict)
    calls_by_key: dict[tuple[str, str], CallState] = field(default_factory=dict)
    _new_calls: dict[str, CallState] = field(default_factory=dict)
    _new_tries: list[TryState] = field(default_factory=list)
    _changed_tries: list[TryState] = field(default_factory=list)
    _changed_calls: dict[str, CallState] = field(default_factory=dict)
    _changed_runs: dict[str, RunState] = field(default_factory=dict)
    _transactions: list[Transaction] = field(default_factory=list)

    @classmethod
    def load(cls, connection: Connection, items: Sequence[Item]) -> Self:
        """Lock the runs that the items are about, in the order of their IDs, then read those runs, calls and tries."""
        book = cls()
        run_ids: set[str] = set()
        call_ids: set[str] = set()
        keys: dict[str, set[str]] = defaultdict(set)
        for item in items:
            if not isinstance(item, Reserve):
                call_ids.add(item.call_id)
                continue
            run_ids.add(item.run_id)
            if isinstance(item.call, NewCall):
                keys[item.run_id].add(item.call.call_key)
            else:
                call_ids.add(item.call)
        if call_ids:
            run_ids.update(connection.scalars(select(calls.c.run_id).where(calls.c.id.in_(call_ids)).distinct()))
        book._lock_runs(connection, run_ids)
        if call_ids:
            book._read_calls(connection, calls.c.id.in_(call_ids))
        if keys:
            named = (and_(calls.c.run_id == run, calls.c.call_key.in_(names)) for run, names in keys.items())
            book._read_calls(connection, or_(*named))
        if book.calls:
            statement = select(*(tries.c[name] for name in _TRY_COLUMNS)).where(tries.c.call_id.in_(book.calls))
            for row in connection.execute(statement):
                attempt = TryState(*row)
                book.calls[attempt.call_id].tries[attempt.number] = attempt
        return book

    def _lock_runs(self, connection: Connection, run_ids: Iterable[str]) -> None:
        statement = select(*(runs.c[name] for name in _RUN_COLUMNS)).where(runs.c.id.in_(run_ids)).order_by(runs.c.id)
        for row in connection.execute(statement.with_for_update(key_share=True)):
            run = RunState(*row)
            run.flags, run.models_served = list(run.flags), list(run.models_served)
            self.runs[run.id] = run

    def _read_calls(self, connection: Connection, condition: Any) -> None:
        for row in connection.execute(select(*(calls.c[name] for name in _CALL_COLUMNS)).where(condition)):
            if row.id not in self.calls:
                self._index(CallState(*row))

    def _index(self, call: CallState) -> None:
        self.calls[call.id] = call
        self.calls_by_key[call.run_id, call.call_key] = call

    def add_call(self, call: CallState) -> None:
        """Record a new call."""
        self._index(call)
        self._new_calls[call.id] = call

    def add_try(self, attempt: TryState) -> None:
        """Record a new try of a call, and its reservation."""
        call, run = self.calls[attempt.call_id], self.runs[attempt.run_id]
        call.tries[attempt.number] = attempt
        self._new_tries.append(attempt)
        run.reserved_microusd += attempt.reservation_microusd
        self._changed(call, run)

    def close_try(self, attempt: TryState, status: TryStatus, charge: int, at: datetime) -> None:
        """Give a try's reservation back and charge what it cost, at most the reservation."""
        call, run = self.calls[attempt.call_id], self.runs[attempt.run_id]
        attempt.status, attempt.charge_microusd, attempt.ended_at = status, charge, at
        run.reserved_microusd -= attempt.reservation_microusd
        run.spent_microusd += charge
        call.charge_microusd += charge
        call.ended_at = at
        self._changed_tries.append(attempt)
        self._changed(call, run)
        if charge:
            self._transactions.append(_charge(run, attempt, at))

    def _changed(self, call: CallState, run: RunState) -> None:
        call.refresh_status()
        if call.id not in self._new_calls:
            self._changed_calls[call.id] = call
        self._changed_runs[run.id] = run

    def save(self, connection: Connection) -> None:
        """Write everything that changed, and the entries of what was charged."""
        if self._new_calls:
            connection.execute(calls.insert(), _rows(self._new_calls.values(), _CALL_COLUMNS))
        if self._new_tries:
            connection.execute(tries.insert(), _rows(self._new_tries, _TRY_COLUMNS))
        _update(connection, tries, ("call_id", "number"), _TRY_CHANGES, self._changed_tries)
        _update(connection, calls, ("id",), _CALL_CHANGES, self._changed_calls.values())
        _update(connection, runs, ("id",), _RUN_CHANGES, self._changed_runs.values())
        post(connection, self._transactions)


def _charge(run: RunState, attempt: TryState, at: datetime) -> Transaction:
    return Transaction(
        workspace_id=run.workspace_id,
        kind="charge",
        movements=((hold_account(run.id), -attempt.charge_microusd), (spend_account(run.id), attempt.charge_microusd)),
        at=at,
        run_id=run.id,
        call_id=attempt.call_id,
        try_number=attempt.number,
        key_id=run.key_id,
    )


def _rows(states: Iterable[Any], names: Sequence[str], parameters: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """The named fields of each state, under the parameters' names where those differ."""
    values = attrgetter(*names)
    return [dict(zip(parameters or names, values(state), strict=True)) for state in states]


def _update(
    connection: Connection, table: Table, keys: Sequence[str], names: Sequence[str], states: Collection[Any]
) -> None:
    if not states:
        return
    same_row = (table.c[key] == bindparam(f"row_{key}") for key in keys)
    statement = table.update().where(*same_row).values({name: bindparam(name) for name in names})
    parameters = [*(f"row_{key}" for key in keys), *names]
    connection.execute(statement, _rows(states, [*keys, *names], parameters))
