"""A workspace's money as its tables have it at one moment, and the promises that must hold at every moment.

This adds everything up by itself: nothing of the server's own verification is used.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING
from typing import Any

from evalrouter_server.ledger.accounts import COMMITTED, FUNDING, WALLET, hold_account, key_account, spend_account
from evalrouter_server.quoting.bounds import Message, worst_case_input_tokens
from evalrouter_server.store.runs import ENDED
from evalrouter_server.store.tables import api_keys, calls, ledger_entries, runs, tries, workspaces
from sqlalchemy import Connection, Row, Table, select

from tests.e2e.provider import INPUT_USD_PER_MTOK, OUTPUT_USD_PER_MTOK

type Tokens = tuple[int, int]
"""Input and output tokens of a call."""


@dataclass(frozen=True, slots=True)
class Books:
    """The rows of one workspace, all read at one moment."""

    wallet: Row[Any]
    keys: Sequence[Row[Any]]
    runs: Sequence[Row[Any]]
    calls: Sequence[Row[Any]]
    tries: Sequence[Row[Any]]
    entries: Sequence[Row[Any]]

    @classmethod
    def read(cls, connection: Connection, workspace_id: str) -> "Books":
        """Read them on one snapshot, as `Database.read` gives."""

        def rows(table: Table, condition: Any) -> Sequence[Row[Any]]:
            return connection.execute(select(table).where(condition)).all()

        mine = select(runs.c.id).where(runs.c.workspace_id == workspace_id)
        (wallet,) = rows(workspaces, workspaces.c.id == workspace_id)
        return cls(
            wallet,
            rows(api_keys, api_keys.c.workspace_id == workspace_id),
            rows(runs, runs.c.workspace_id == workspace_id),
            rows(calls, calls.c.run_id.in_(mine)),
            rows(tries, tries.c.run_id.in_(mine)),
            rows(ledger_entries, ledger_entries.c.workspace_id == workspace_id),
        )

    @property
    def charged(self) -> int:
        """Micro-USD that all runs were charged."""
        return sum(run.spent_microusd for run in self.runs)

    @property
    def caps_in_force(self) -> int:
        """Micro-USD that the caps of runs which have not ended still may charge."""
        return sum(run.cap_microusd - run.spent_microusd for run in self.runs if run.status not in ENDED)

    def of_run(self, run_id: str) -> tuple[object, ...]:
        """Everything about a run that a reader could see."""
        of_run = (self.runs, self.calls, self.tries, self.entries)
        id_of = ("id", "run_id", "run_id", "run_id")
        return tuple(
            frozenset(str(row) for row in rows if getattr(row, name) == run_id)
            for rows, name in zip(of_run, id_of, strict=True)
        )

    def assert_right(self, put_in: int) -> None:
        """Check every promise.

        Args:
            put_in: Micro-USD that were ever put into the wallet.
        """
        self._assert_no_limit_is_passed(put_in)
        self._assert_every_charge_is_explained()
        self._assert_money_is_conserved(put_in)

    def assert_answered(self, sent: int, told: Counter[Tokens]) -> None:
        """Check the calls against the provider's own log.

        Args:
            sent: Requests that the provider had got before the books were read.
            told: The usages that it had reported by the time when they had been read.
        """
        assert sent <= len(self.tries), f"{sent} requests were sent with {len(self.tries)} reservations"
        claimed = Counter(
            (call.usage["input_tokens"], call.usage["output_tokens"])
            for call in self.calls
            if call.usage_source == "reported"
        )
        assert claimed <= told, f"charged for what was never answered: {claimed - told}"

    def _assert_no_limit_is_passed(self, put_in: int) -> None:
        for run in self.runs:
            assert 0 <= run.spent_microusd <= run.cap_microusd, run
            assert run.spent_microusd + run.reserved_microusd <= run.cap_microusd, run
            assert run.status not in ENDED or (run.reserved_microusd == 0 and run.hold_released), run
        assert self.charged + self.caps_in_force <= put_in
        for key in self.keys:
            started = [run for run in self.runs if run.key_id == key.id]
            spent = sum(run.spent_microusd for run in started)
            committed = sum(run.spent_microusd if run.hold_released else run.cap_microusd for run in started)
            assert key.committed_microusd == committed >= spent, key
            assert key.ceiling_microusd is None or committed <= key.ceiling_microusd, key

    def _assert_every_charge_is_explained(self) -> None:
        by_call = defaultdict(list)
        for attempt in self.tries:
            by_call[attempt.call_id].append(attempt)
        assert by_call.keys() == {call.id for call in self.calls}
        for call in self.calls:
            attempts = by_call[call.id]
            assert {attempt.run_id for attempt in attempts} == {call.run_id}
            assert sum(attempt.status == "settled" for attempt in attempts) <= 1, call
            assert sum(attempt.status == "open" for attempt in attempts) <= 1, call
            assert call.charge_microusd == sum(attempt.charge_microusd for attempt in attempts), call
            for attempt in attempts:
                assert attempt.charge_microusd == fair_charge(call, attempt), (call, attempt)
        keys = [(call.run_id, call.call_key) for call in self.calls]
        assert len(keys) == len(set(keys))
        for run in self.runs:
            of_run = [attempt for attempt in self.tries if attempt.run_id == run.id]
            assert run.spent_microusd == sum(attempt.charge_microusd for attempt in of_run), run
            open_now = sum(attempt.reservation_microusd for attempt in of_run if attempt.status == "open")
            assert run.reserved_microusd == open_now, run
        posted = Counter(
            (entry.call_id, entry.try_number, entry.account, entry.amount_microusd)
            for entry in self.entries
            if entry.kind == "charge"
        )
        charged = Counter(
            (attempt.call_id, attempt.number, account, amount)
            for attempt in self.tries
            if attempt.charge_microusd
            for account, amount in (
                (hold_account(attempt.run_id), -attempt.charge_microusd),
                (spend_account(attempt.run_id), attempt.charge_microusd),
            )
        )
        assert posted == charged

    def _assert_money_is_conserved(self, put_in: int) -> None:
        transactions: Counter[str] = Counter()
        accounts: Counter[str] = Counter()
        for entry in self.entries:
            transactions[entry.transaction_id] += entry.amount_microusd
            accounts[entry.account] += entry.amount_microusd
        assert not any(transactions.values())
        held = sum(run.cap_microusd for run in self.runs if not run.hold_released)
        rest = sum(run.cap_microusd - run.spent_microusd for run in self.runs if not run.hold_released)
        expected = Counter({FUNDING: -put_in, WALLET: put_in - self.charged - rest})
        for run in self.runs:
            expected[spend_account(run.id)] = run.spent_microusd
            expected[hold_account(run.id)] = 0 if run.hold_released else run.cap_microusd - run.spent_microusd
        for key in self.keys:
            expected[key_account(key.id)] = key.committed_microusd
        expected[COMMITTED] = -sum(key.committed_microusd for key in self.keys)
        assert _without_zeros(accounts) == _without_zeros(expected)
        assert self.wallet.available_microusd == expected[WALLET] >= 0
        assert self.wallet.held_microusd == held


def worst_charge(messages: Sequence[Message], output_tokens: int) -> int:
    """Micro-USD that a call must reserve: its input's bound and its output limit, at their prices, rounded up."""
    return _charge(worst_case_input_tokens(messages), output_tokens)


def fair_charge(call: Row[Any], attempt: Row[Any]) -> int:
    """Micro-USD that a try should be charged: by its usage within its reservation, all of it where it was lost."""
    if attempt.status == "unknown":
        return int(attempt.reservation_microusd)
    if attempt.status != "settled":
        return 0
    used = call.usage
    inputs = used["input_tokens"] + used["cached_input_tokens"] + used["cache_write_tokens"]
    return min(_charge(inputs, used["output_tokens"]), int(attempt.reservation_microusd))


def _charge(inputs: int, outputs: int) -> int:
    exact = inputs * INPUT_USD_PER_MTOK + outputs * OUTPUT_USD_PER_MTOK
    return int(exact.to_integral_value(ROUND_CEILING))


def _without_zeros(accounts: Counter[str]) -> dict[str, int]:
    return {account: amount for account, amount in accounts.items() if amount}
