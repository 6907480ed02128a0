"""Adding everything up again: entries, calls, tries, counters and limits must tell one story."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Select, and_, case, func, literal, or_, select

from evalrouter_server.ledger.accounts import COMMITTED, FUNDING, WALLET
from evalrouter_server.ledger.checkpoints import with_totals
from evalrouter_server.store.tables import api_keys, calls, ledger_checkpoints, ledger_entries, runs, tries, workspaces


@dataclass(frozen=True, slots=True)
class Difference:
    """Two numbers that should be one.

    Attributes:
        what: What was compared.
        reference: The workspace, transaction, run, call or key that it is about.
        expected_microusd: What was derived from the entries or the rows below.
        found_microusd: What is recorded.
    """

    what: str
    reference: str
    expected_microusd: int
    found_microusd: int


@dataclass(frozen=True, slots=True)
class Verification:
    """How the ledger adds up.

    Attributes:
        entries: Entries that were added up.
        calls: Calls that were compared.
        runs: Runs that were compared.
        differences: What did not agree; nothing when all is well.
    """

    entries: int
    calls: int
    runs: int
    differences: tuple[Difference, ...]

    @property
    def ok(self) -> bool:
        """Whether everything agrees."""
        return not self.differences


def verify(connection: Connection, workspace_id: str) -> Verification:
    """Derive every counter of a workspace anew and check every limit.

    Args:
        connection: One snapshot, as `Database.read` gives.
        workspace_id: Whose ledger.
    """
    checks = (_transactions, _checkpoints, _workspace, _runs, _calls, _tries, _keys)
    return Verification(
        entries=_count(connection, ledger_entries, ledger_entries.c.workspace_id == workspace_id),
        calls=_count(connection, calls, calls.c.run_id.in_(_runs_of(workspace_id))),
        runs=_count(connection, runs, runs.c.workspace_id == workspace_id),
        differences=tuple(difference for check in checks for difference in check(connection, workspace_id)),
    )


def _transactions(connection: Connection, workspace_id: str) -> Iterator[Difference]:
    """Each transaction adds up to zero, and each entry points at what caused it."""
    entry = ledger_entries.c
    mine = entry.workspace_id == workspace_id
    total = func.sum(entry.amount_microusd)
    unbalanced = select(entry.transaction_id, total).where(mine).group_by(entry.transaction_id).having(total != 0)
    for transaction_id, amount in connection.execute(unbalanced):
        yield Difference("the entries of a transaction add up to zero", transaction_id, 0, int(amount))
    caused = case(
        (entry.kind == "top_up", entry.top_up_id.is_not(None)),
        (
            entry.kind == "charge",
            and_(entry.run_id.is_not(None), entry.call_id.is_not(None), entry.try_number.is_not(None)),
        ),
        (entry.kind.in_(("hold", "release")), and_(entry.run_id.is_not(None), entry.key_id.is_not(None))),
        else_=literal(False),
    )
    for entry_id, amount in connection.execute(select(entry.id, entry.amount_microusd).where(mine, ~caused)):
        yield Difference("an entry points at what caused it", entry_id, 0, int(amount))


def _checkpoints(connection: Connection, workspace_id: str) -> Iterator[Difference]:
    """Each checkpoint is what all entries up to it add up to, for every account that changed since the one before."""
    entry, row = ledger_entries.c, ledger_checkpoints.c
    mine = row.workspace_id == workspace_id
    covering = select(func.min(row.position)).where(mine, row.position >= entry.position).scalar_subquery()
    covered_by = covering.label("covered_by")
    added_up = (
        select(covered_by, entry.account, func.sum(entry.amount_microusd))
        .where(entry.workspace_id == workspace_id)
        .group_by(covered_by, entry.account)
    )
    amounts: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for position, account, amount in connection.execute(added_up):
        if position is not None:
            amounts[position].append((account, int(amount)))
    recorded = {
        (position, account): int(balance)
        for position, account, balance in connection.execute(
            select(row.position, row.account, row.balance_microusd).where(mine)
        )
    }
    expected: dict[str, int] = defaultdict(int)
    for position in sorted(amounts):
        for account, amount in with_totals(amounts[position]).items():
            expected[account] += amount
            found = recorded.pop((position, account), 0)
            yield from _compare(CHECKPOINT, f"{account} at {position}", expected[account], found)
    for (position, account), found in recorded.items():
        yield from _compare(CHECKPOINT, f"{account} at {position}", expected[account], found)


CHECKPOINT = "a checkpoint is the sum of the entries below it"


def _workspace(connection: Connection, workspace_id: str) -> Iterator[Difference]:
    """The wallet's counters are what its entries and the runs' caps say, and nothing is below zero."""
    row = connection.execute(
        select(workspaces.c.available_microusd, workspaces.c.held_microusd).where(workspaces.c.id == workspace_id)
    ).one()
    wallet = _balance(connection, workspace_id, ledger_entries.c.account == WALLET)
    funding = -_balance(connection, workspace_id, ledger_entries.c.account == FUNDING)
    unreleased = and_(runs.c.workspace_id == workspace_id, runs.c.hold_released.is_(False))
    caps = _total(connection, runs.c.cap_microusd, unreleased)
    spent = _total(connection, runs.c.spent_microusd, runs.c.workspace_id == workspace_id)
    rest = _total(connection, runs.c.cap_microusd - runs.c.spent_microusd, unreleased)
    yield from _compare("available is the wallet account", workspace_id, wallet, row.available_microusd)
    yield from _compare("held is the caps of runs whose hold stands", workspace_id, caps, row.held_microusd)
    yield from _compare("what was put in is available, held or spent", workspace_id, funding, wallet + rest + spent)
    yield from _at_most("available is not negative", workspace_id, -row.available_microusd, 0)
    yield from _at_most("holds are covered by what was put in", workspace_id, row.held_microusd, funding)


def _runs(connection: Connection, workspace_id: str) -> Iterator[Difference]:
    """A run's counters are what its tries and entries say, and it never passed its cap."""
    mine = runs.c.workspace_id == workspace_id
    run = runs.c
    entry = ledger_entries.c
    own_tries = tries.c.run_id.in_(_runs_of(workspace_id))
    own_calls = calls.c.run_id.in_(_runs_of(workspace_id))
    own_entries = entry.workspace_id == workspace_id
    reserved = _sum_by(tries.c.run_id, tries.c.reservation_microusd, own_tries, tries.c.status == "open")
    charged = _sum_by(tries.c.run_id, tries.c.charge_microusd, own_tries)
    called = _sum_by(calls.c.run_id, calls.c.charge_microusd, own_calls)
    spend = _sum_by(entry.account, entry.amount_microusd, own_entries, entry.kind == "charge")
    hold = _sum_by(entry.account, entry.amount_microusd, own_entries)
    held = case((run.hold_released, 0), else_=run.cap_microusd - run.spent_microusd)
    comparisons: tuple[tuple[str, FromClause, ColumnElement[Any], ColumnElement[Any]], ...] = (
        ("reserved is the run's open tries", reserved, run.id, run.reserved_microusd),
        ("spent is the run's tries", charged, run.id, run.spent_microusd),
        ("spent is the run's calls", called, run.id, run.spent_microusd),
        ("spent is the run's spend account", spend, literal("spend:").concat(run.id), run.spent_microusd),
        ("what is held is the run's hold account", hold, literal("hold:").concat(run.id), held),
    )
    for what, sums, reference, found in comparisons:
        yield from _disagreeing(connection, what, runs, sums, reference, found, run.id, mine)
    beyond = select(run.id, run.cap_microusd, run.spent_microusd + run.reserved_microusd).where(
        mine,
        or_(
            run.spent_microusd + run.reserved_microusd > run.cap_microusd,
            run.spent_microusd < 0,
            run.reserved_microusd < 0,
        ),
    )
    for run_id, cap, used in connection.execute(beyond):
        yield Difference("spent and reserved are within the cap", run_id, int(cap), int(used))


def _calls(connection: Connection, workspace_id: str) -> Iterator[Difference]:
    """A call's charge is that of its tries."""
    sums = _sum_by(tries.c.call_id, tries.c.charge_microusd, tries.c.run_id.in_(_runs_of(workspace_id)))
    mine = calls.c.run_id.in_(_runs_of(workspace_id))
    what = "a call's charge is that of its tries"
    yield from _disagreeing(connection, what, calls, sums, calls.c.id, calls.c.charge_microusd, calls.c.id, mine)


def _tries(connection: Connection, workspace_id: str) -> Iterator[Difference]:
    """Each charged try has exactly one charge in the ledger, each charge its try, and none passes its reservation."""
    entry = ledger_entries.c
    posted = (
        select(
            entry.call_id,
            entry.try_number,
            func.sum(entry.amount_microusd).label("amount"),
            func.count().label("entries"),
        )
        .where(entry.workspace_id == workspace_id, entry.kind == "charge", entry.amount_microusd > 0)
        .group_by(entry.call_id, entry.try_number)
        .subquery()
    )
    mine = tries.c.run_id.in_(_runs_of(workspace_id))
    joined = tries.outerjoin(posted, and_(posted.c.call_id == tries.c.call_id, posted.c.try_number == tries.c.number))
    amount = func.coalesce(posted.c.amount, 0)
    wrong = or_(amount != tries.c.charge_microusd, func.coalesce(posted.c.entries, 0) > 1)
    for call_id, expected, found in connection.execute(
        select(tries.c.call_id, amount, tries.c.charge_microusd).select_from(joined).where(mine, wrong)
    ):
        yield Difference("a try's charge is posted once", call_id, int(expected), int(found))
    stray = (
        select(posted.c.call_id, posted.c.amount)
        .select_from(
            posted.outerjoin(tries, and_(posted.c.call_id == tries.c.call_id, posted.c.try_number == tries.c.number))
        )
        .where(tries.c.call_id.is_(None))
    )
    for call_id, amount_posted in connection.execute(stray):
        yield Difference("a posted charge has its try", call_id, 0, int(amount_posted))
    lost = case((tries.c.status == "unknown", tries.c.reservation_microusd), else_=tries.c.charge_microusd)
    unclosed = tries.c.status.in_(("open", "released")) & (tries.c.charge_microusd != 0)
    beyond = tries.c.charge_microusd > tries.c.reservation_microusd
    for call_id, expected, found in connection.execute(
        select(tries.c.call_id, lost, tries.c.charge_microusd).where(
            mine, or_(unclosed, beyond, lost != tries.c.charge_microusd)
        )
    ):
        yield Difference(
            "a try's charge is within its reservation and fits its outcome", call_id, int(expected), int(found)
        )


def _keys(connection: Connection, workspace_id: str) -> Iterator[Difference]:
    """A key's counter is its account and what its runs hold and spent, and it never passed its ceiling."""
    key = api_keys.c
    mine = key.workspace_id == workspace_id
    entry = ledger_entries.c
    account = _sum_by(entry.account, entry.amount_microusd, entry.workspace_id == workspace_id)
    commitment = case((runs.c.hold_released, runs.c.spent_microusd), else_=runs.c.cap_microusd)
    started = _sum_by(runs.c.key_id, commitment, runs.c.workspace_id == workspace_id)
    comparisons: tuple[tuple[str, FromClause, ColumnElement[Any]], ...] = (
        ("committed is the key's account", account, literal("key:").concat(key.id)),
        ("committed is what the key's runs hold and spent", started, key.id),
    )
    for what, sums, reference in comparisons:
        yield from _disagreeing(connection, what, api_keys, sums, reference, key.committed_microusd, key.id, mine)
    total = _total(connection, key.committed_microusd, mine)
    posted = -_balance(connection, workspace_id, ledger_entries.c.account == COMMITTED)
    yield from _compare("all keys' commitments are the contra account", workspace_id, posted, total)
    beyond = select(key.id, key.ceiling_microusd, key.committed_microusd).where(
        mine, key.committed_microusd > key.ceiling_microusd
    )
    for key_id, ceiling, committed in connection.execute(beyond):
        yield Difference("committed is within the key's ceiling", key_id, int(ceiling), int(committed))


def _runs_of(workspace_id: str) -> Select[Any]:
    return select(runs.c.id).where(runs.c.workspace_id == workspace_id)


def _sum_by(by: Any, amount: Any, *where: Any) -> FromClause:
    return select(by.label("reference"), func.sum(amount).label("amount")).where(*where).group_by(by).subquery()


def _disagreeing(
    connection: Connection,
    what: str,
    table: FromClause,
    sums: FromClause,
    reference: Any,
    found: Any,
    shown: Any,
    mine: Any,
) -> Iterator[Difference]:
    """Rows of a table whose own number is not the sum that belongs to them."""
    expected = func.coalesce(sums.c.amount, 0)
    statement = (
        select(shown, expected, found)
        .select_from(table.outerjoin(sums, sums.c.reference == reference))
        .where(mine, expected != found)
    )
    for name, should, does in connection.execute(statement):
        yield Difference(what, name, int(should), int(does))


def _compare(what: str, reference: str, expected: int, found: int) -> Iterable[Difference]:
    return () if expected == found else (Difference(what, reference, expected, found),)


def _at_most(what: str, reference: str, found: int, limit: int) -> Iterable[Difference]:
    return () if found <= limit else (Difference(what, reference, limit, found),)


def _balance(connection: Connection, workspace_id: str, condition: Any) -> int:
    return _total(
        connection, ledger_entries.c.amount_microusd, ledger_entries.c.workspace_id == workspace_id, condition
    )


def _total(connection: Connection, amount: Any, *where: Any) -> int:
    return int(connection.scalar(select(func.coalesce(func.sum(amount), 0)).where(*where)) or 0)


def _count(connection: Connection, table: FromClause, condition: Any) -> int:
    return int(connection.scalar(select(func.count()).select_from(table).where(condition)) or 0)
