"""The rows that a group of reservations and closings is about.

They are read once under the runs' locks, decided on in memory, and written once.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, Select, Table, select

from evalrouter_server.ledger.accounts import Transaction, hold_account, post, spend_account
from evalrouter_server.ledger.items import Item, NewCall, Reserve, TryStatus
from evalrouter_server.store.bulk import Row, among, insert_rows, update_rows
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
    status: TryStatus
    reservation_microusd: int
    charge_microusd: int = 0
    http_status: int | None = None
    error: str | None = None
    ended_at: datetime | None = None
    token: str | None = None


@dataclass(slots=True)
class CallState:
    """A logical call; its tries by number."""

    id: str
    run_id: str
    call_key: str
    status: str
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
_RUN_COLUMNS = [runs.c[entry.name] for entry in fields(RunState)]
_CALL_COLUMNS = [calls.c[entry.name] for entry in fields(CallState) if entry.name != "tries"]
_TRY_COLUMNS = [tries.c[entry.name] for entry in fields(TryState)]

_NEW_CALL = (
    "id",
    "run_id",
    "task_id",
    "call_key",
    "gateway_key_id",
    "wire",
    "streamed",
    "model_requested",
    "status",
    "charge_microusd",
    "overage_microusd",
    "started_at",
)
_NEW_TRY = (
    "call_id",
    "number",
    "run_id",
    "owner",
    "token",
    "status",
    "reservation_microusd",
    "charge_microusd",
    "started_at",
)
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
    _new_calls: dict[str, Row] = field(default_factory=dict)
    _new_tries: list[Row] = field(default_factory=list)
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
        keys: set[str] = set()
        for item in items:
            if not isinstance(item, Reserve):
                call_ids.add(item.call_id)
                continue
            run_ids.add(item.run_id)
            if isinstance(item.call, NewCall):
                keys.add(item.call.call_key)
            else:
                call_ids.add(item.call)
        queries = _queries(connection.dialect.name)
        if call_ids:
            run_ids.update(connection.scalars(queries.runs_of_calls, {"ids": call_ids}))
        for row in connection.execute(queries.runs, {"ids": run_ids}):
            run = RunState(*row)
            run.flags, run.models_served = list(run.flags), list(run.models_served)
            book.runs[run.id] = run
        if call_ids:
            book._read_calls(connection.execute(queries.calls, {"ids": call_ids}))
        if keys:
            book._read_calls(connection.execute(queries.calls_by_key, {"ids": run_ids, "keys": keys}))
        if book.calls:
            for row in connection.execute(queries.tries, {"ids": book.calls}):
                attempt = TryState(*row)
                book.calls[attempt.call_id].tries[attempt.number] = attempt
        return book

    def _read_calls(self, rows: Iterable[Any]) -> None:
        for row in rows:
            if row.id not in self.calls:
                self._index(CallState(*row))

    def _index(self, call: CallState) -> None:
        self.calls[call.id] = call
        self.calls_by_key[call.run_id, call.call_key] = call

    def add_call(self, call: CallState, asked: NewCall, at: datetime) -> None:
        """Record a new call, which a try follows."""
        self._index(call)
        self._new_calls[call.id] = (
            call.id,
            call.run_id,
            asked.task_id,
            call.call_key,
            asked.gateway_key_id,
            asked.wire,
            asked.streamed,
            asked.model_requested,
            call.status,
            0,
            0,
            at,
        )

    def add_try(self, attempt: TryState, owner: str, at: datetime) -> None:
        """Record a new try of a call, and its reservation."""
        call, run = self.calls[attempt.call_id], self.runs[attempt.run_id]
        call.tries[attempt.number] = attempt
        self._new_tries.append(
            (
                call.id,
                attempt.number,
                run.id,
                owner,
                attempt.token,
                attempt.status,
                attempt.reservation_microusd,
                0,
                at,
            )
        )
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
        if call.id not in self._new_calls or call.status != "open":
            self._changed_calls[call.id] = call
        self._changed_runs[run.id] = run

    def save(self, connection: Connection) -> None:
        """Write everything that changed, and the entries of what was charged."""
        insert_rows(connection, calls, _NEW_CALL, self._new_calls.values())
        insert_rows(connection, tries, _NEW_TRY, self._new_tries)
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


def _update(
    connection: Connection, table: Table, keys: tuple[str, ...], names: tuple[str, ...], states: Collection[Any]
) -> None:
    update_rows(connection, table, keys, names, list(map(attrgetter(*names, *keys), states)))


@dataclass(frozen=True, slots=True)
class _Queries:
    """What a group reads, each by one list of strings, so that the statements are the same for every group."""

    runs_of_calls: Select[Any]
    runs: Select[Any]
    calls: Select[Any]
    calls_by_key: Select[Any]
    tries: Select[Any]


@cache
def _queries(dialect_name: str) -> _Queries:
    def by(column: ColumnElement[Any], parameter: str = "ids") -> ColumnElement[bool]:
        return among(dialect_name, column, parameter)

    return _Queries(
        runs_of_calls=select(calls.c.run_id).where(by(calls.c.id)).distinct(),
        runs=select(*_RUN_COLUMNS).where(by(runs.c.id)).order_by(runs.c.id).with_for_update(key_share=True),
        calls=select(*_CALL_COLUMNS).where(by(calls.c.id)),
        calls_by_key=select(*_CALL_COLUMNS).where(by(calls.c.run_id), by(calls.c.call_key, "keys")),
        tries=select(*_TRY_COLUMNS).where(by(tries.c.call_id)),
    )
