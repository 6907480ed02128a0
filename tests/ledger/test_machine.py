"""A state machine over everything that moves money, checked against a plain model after every step."""

import asyncio
from pathlib import Path

import pytest
from evalrouter_server.clock import utc_now
from evalrouter_server.ledger import (
    BeyondBound,
    Exhausted,
    MustWait,
    Replay,
    Reserve,
    Reserved,
    Stopped,
    Verification,
    Wallet,
    read_wallet,
    reserve,
    settle_orphans,
    top_up,
    verify,
)
from evalrouter_server.ledger.checkpoints import make_due
from evalrouter_server.ledger.items import NewCall, ReserveOutcome
from evalrouter_server.problems import Problem
from evalrouter_server.store import keys, runs
from evalrouter_server.store.database import Database
from evalrouter_server.store.tables import runs as table
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import Connection, select

from tests.databases import empty_database
from tests.ledger.money import OWNER, Money, make_money

AMOUNTS = st.integers(0, 60)
DEAD = "inst_dead"
SOAK = (pytest.mark.soak, pytest.mark.timeout(7200))

type Attempt = tuple[str, str, Reserved]
"""Run ID, call key and reservation."""


class ModelRun:
    """What a run should look like."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.spent = 0
        self.status = "running"
        self.beyond_bound = False
        self.open: dict[tuple[str, int], int] = {}
        self.calls: dict[str, str] = {}
        self.current: dict[str, tuple[str, int]] = {}

    @property
    def reserved(self) -> int:
        return sum(self.open.values())


class LedgerMachine(RuleBasedStateMachine):
    """Top-ups, runs, reservations, closings, crashes, cancels and ends, in any order."""

    url: str

    run_ids: Bundle[str] = Bundle("run_ids")
    tries: Bundle[Attempt] = Bundle("tries")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.database = self.runner.run(Database.open(self.url))
        self.money: Money
        self.model: dict[str, ModelRun] = {}
        self.outcome: dict[tuple[str, int], tuple[str, int]] = {}
        self.doomed: set[tuple[str, int]] = set()
        self.ceiling: int | None = None
        self.put_in = 0

    def teardown(self) -> None:
        self.runner.run(self.database.close())
        self.runner.close()

    @initialize(allowance=st.integers(0, 300), ceiling=st.none() | st.integers(1, 300))
    def begin(self, allowance: int, ceiling: int | None) -> None:
        self.money = self.runner.run(make_money(self.database, allowance, ceiling))
        self.put_in, self.ceiling = allowance, ceiling

    @property
    def available(self) -> int:
        held = sum(run.cap if run.status != "ended" else run.spent for run in self.model.values())
        return self.put_in - held

    @property
    def committed(self) -> int:
        return sum(run.spent if run.status == "ended" else run.cap for run in self.model.values())

    @rule(amount=st.integers(1, 200))
    def add_money(self, amount: int) -> None:
        self.runner.run(
            self.database.write(lambda connection: top_up(connection, self.money.workspace_id, amount, None))
        )
        self.put_in += amount

    @rule(ceiling=st.none() | st.integers(1, 300))
    def change_ceiling(self, ceiling: int | None) -> None:
        def change(connection: Connection) -> None:
            keys.set_ceiling(connection, self.money.workspace_id, self.money.key_id, ceiling)

        if ceiling is not None and ceiling < self.committed:
            with pytest.raises(Problem, match="already"):
                self.runner.run(self.database.write(change))
        else:
            self.runner.run(self.database.write(change))
            self.ceiling = ceiling

    @rule(target=run_ids, cap=st.integers(0, 150))
    def start_run(self, cap: int) -> str | MultipleResults[str]:
        expected = (
            "insufficient_funds"
            if cap > self.available
            else "ceiling_exceeded"
            if self.ceiling is not None and self.committed + cap > self.ceiling
            else None
        )
        if expected is not None:
            with pytest.raises(Problem) as refused:
                self.runner.run(self.money.run(cap))
            assert refused.value.code == expected
            return multiple()
        run_id = self.runner.run(self.money.run(cap))
        self.model[run_id] = ModelRun(cap)
        return run_id

    @rule(target=tries, run_id=run_ids, key=st.sampled_from("abcdef"), amount=AMOUNTS, dies=st.booleans())
    def ask(self, run_id: str, key: str, amount: int, dies: bool) -> Attempt | MultipleResults[Attempt]:
        outcome = self.runner.run(
            reserve(self.database, Reserve(run_id, NewCall(key, "chat", False, "m"), amount, DEAD if dies else OWNER))
        )
        assert self._kind(outcome) == self._expected(run_id, key, amount)
        if not isinstance(outcome, Reserved):
            return multiple()
        run = self.model[run_id]
        run.open[outcome.call_id, outcome.try_number] = amount
        run.calls[key] = "open"
        run.current[key] = (outcome.call_id, outcome.try_number)
        if dies:
            self.doomed.add(run.current[key])
        return run_id, key, outcome

    def _expected(self, run_id: str, key: str, amount: int) -> object:
        run = self.model[run_id]
        if run.calls.get(key) == "settled":
            return Replay
        if run.status != "running":
            return Stopped("completed" if run.status == "ended" else run.status)
        if run.beyond_bound:
            return BeyondBound()
        if run.calls.get(key) == "open":
            return MustWait("same_call")
        if amount > run.cap - run.spent:
            return Exhausted(run.cap - run.spent)
        return MustWait("budget") if amount > run.cap - run.spent - run.reserved else Reserved

    @staticmethod
    def _kind(outcome: ReserveOutcome) -> object:
        return type(outcome) if isinstance(outcome, Reserved | Replay) else outcome

    @rule(attempt=tries, charge=st.integers(0, 100), keeps_bound=st.booleans())
    def settle(self, attempt: Attempt, charge: int, keeps_bound: bool) -> None:
        run_id, key, reserved = attempt
        if (reserved.call_id, reserved.try_number) in self.model[run_id].open:
            reservation = self._reservation(run_id, reserved)
            charge = min(charge, reservation) if keeps_bound else charge
            self.model[run_id].beyond_bound |= charge > reservation
        closed = self.runner.run(self.money.settle(reserved, charge))
        self._close(run_id, key, reserved, "settled", min(charge, self._reservation(run_id, reserved)))
        assert (closed.status, closed.charge) == self.outcome[reserved.call_id, reserved.try_number]

    @rule(attempt=tries)
    def release(self, attempt: Attempt) -> None:
        run_id, key, reserved = attempt
        closed = self.runner.run(self.money.release(reserved))
        self._close(run_id, key, reserved, "released", 0)
        assert (closed.status, closed.charge) == self.outcome[reserved.call_id, reserved.try_number]

    @rule(attempt=tries)
    def lose(self, attempt: Attempt) -> None:
        run_id, key, reserved = attempt
        closed = self.runner.run(self.money.lose(reserved))
        self._close(run_id, key, reserved, "unknown", self._reservation(run_id, reserved))
        assert (closed.status, closed.charge) == self.outcome[reserved.call_id, reserved.try_number]

    def _reservation(self, run_id: str, reserved: Reserved) -> int:
        return self.model[run_id].open.get((reserved.call_id, reserved.try_number), 0)

    def _close(self, run_id: str, key: str, reserved: Reserved, status: str, charge: int) -> None:
        run, attempt = self.model[run_id], (reserved.call_id, reserved.try_number)
        if run.open.pop(attempt, None) is None:
            return
        run.spent += charge
        run.calls[key] = status
        self.outcome[attempt] = (status, charge)

    @rule(survives=st.booleans())
    def crash(self, survives: bool) -> None:
        """A process dies in the middle of things, or all do; another one opens the database and recovers."""
        self.runner.run(self.database.close())
        self.database = self.runner.run(Database.open(self.url))
        self.money = Money(self.database, self.money.workspace_id, self.money.key_id)
        live = [OWNER] if survives else ["inst_new"]

        def recover(connection: Connection) -> int:
            return sum(settle_orphans(connection, live, run_id) for run_id in self.model)

        lost = self.runner.run(self.database.write(recover))
        gone = [
            attempt for run in self.model.values() for attempt in run.open if not survives or attempt in self.doomed
        ]
        assert lost == len(gone)
        for run in self.model.values():
            for attempt in run.open.keys() & set(gone):
                amount = run.open.pop(attempt)
                run.spent += amount
                self.outcome[attempt] = ("unknown", amount)
                run.calls = {
                    key: "unknown" if run.current[key] == attempt else status for key, status in run.calls.items()
                }

    @rule(interval=st.integers(1, 20))
    def checkpoint(self, interval: int) -> None:
        self.runner.run(self.database.write_alone(lambda connection: make_due(connection, interval)))

    @rule(run_id=run_ids, status=st.sampled_from(["running", "paused", "cancelling"]))
    def move(self, run_id: str, status: str) -> None:
        run = self.model[run_id]
        moved = self.runner.run(
            self.database.write(
                lambda connection: runs.set_status(
                    connection, run_id, status, expected=["running", "paused"], at=utc_now()
                )
            )
        )
        assert moved == (run.status in ("running", "paused"))
        if moved:
            run.status = status

    @rule(run_id=consumes(run_ids))
    def end(self, run_id: str) -> None:
        run = self.model[run_id]
        if run.open:
            with pytest.raises(ValueError, match="open tries"):
                self.runner.run(self.money.end(run_id))
            return
        released = self.runner.run(self.money.end(run_id))
        assert released == (0 if run.status == "ended" else run.cap - run.spent)
        run.status = "ended"

    @invariant()
    def everything_agrees(self) -> None:
        if not hasattr(self, "money"):
            return
        self.runner.run(self._check())

    async def _check(self) -> None:
        verification, wallet, rows = await self.database.read(self._read)
        assert verification.differences == ()
        assert wallet.available_microusd == self.available >= 0
        assert wallet.balance_microusd == self.put_in - sum(run.spent for run in self.model.values())
        assert self.ceiling is None or self.committed <= self.ceiling
        assert rows == {run_id: (run.spent, run.reserved) for run_id, run in self.model.items()}
        assert all(run.spent + run.reserved <= run.cap for run in self.model.values())

    def _read(self, connection: Connection) -> tuple[Verification, Wallet, dict[str, tuple[int, int]]]:
        """Everything that a step is checked by, in one snapshot."""
        spending = select(table.c.id, table.c.spent_microusd, table.c.reserved_microusd)
        return (
            verify(connection, self.money.workspace_id),
            read_wallet(connection, self.money.workspace_id),
            {
                run_id: (spent, reserved)
                for run_id, spent, reserved in connection.execute(
                    spending.where(table.c.workspace_id == self.money.workspace_id)
                )
            },
        )


@pytest.mark.parametrize(
    ("kind", "examples", "steps"),
    [
        ("sqlite", 12, 25),
        ("postgresql", 4, 20),
        pytest.param("sqlite", 400, 60, marks=SOAK),
        pytest.param("postgresql", 100, 60, marks=SOAK),
    ],
)
def test_every_order_of_events_keeps_the_invariants(
    kind: str, examples: int, steps: int, templates: dict[str, str], tmp_path: Path
) -> None:
    with empty_database(kind, tmp_path, templates[kind]) as url:
        run_state_machine_as_test(
            type("LedgerMachineHere", (LedgerMachine,), {"url": url}),
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
