"""Checkpoints: what accounts held up to a place in the ledger, so that a balance adds up only what came later.

A checkpoint covers every entry of a workspace up to a position. It has a row for each account that changed since the
one before, and one for the total of each kind of account, such as `hold:*`. Its rows are sums of the checkpoint before
and the entries between, and are never changed or removed. Positions ascend as entries are committed: whoever makes a
checkpoint waits for those who are writing entries and lets none in until it is committed, so that no entry turns up
below it afterwards. That is why it has a transaction of its own.
"""

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import Connection, func, select, text

from evalrouter_server.clock import utc_now
from evalrouter_server.store.bulk import among, insert_rows
from evalrouter_server.store.tables import ledger_checkpoints, ledger_entries, workspaces

INTERVAL = 5000
"""Entries of a workspace after which a checkpoint is due."""

HOLDS = "hold:*"
SPENDS = "spend:*"

_ROW = ("workspace_id", "account", "position", "balance_microusd", "made_at")


def balances(connection: Connection, workspace_id: str, accounts: Iterable[str]) -> dict[str, int]:
    """What accounts hold: the newest checkpoint and the entries after it.

    Args:
        connection: Any connection.
        workspace_id: Whose ledger.
        accounts: Accounts, and totals such as `HOLDS`.

    Returns:
        Micro-USD by account.
    """
    wanted = list(accounts)
    position = newest(connection, workspace_id)
    found = dict.fromkeys(wanted, 0) | _recorded(connection, workspace_id, wanted, position)
    for account, amount in _sums_after(connection, workspace_id, position).items():
        if account in found:
            found[account] += amount
    return found


def newest(connection: Connection, workspace_id: str) -> int:
    """The position up to which the workspace's newest checkpoint covers its entries; 0 where there is none."""
    column = ledger_checkpoints.c.position
    return int(
        connection.scalar(select(func.max(column)).where(ledger_checkpoints.c.workspace_id == workspace_id)) or 0
    )


def are_due(connection: Connection, interval: int = INTERVAL) -> list[str]:
    """The workspaces that have so many entries since their newest checkpoint."""
    return [one for one in connection.scalars(select(workspaces.c.id)) if _is_due(connection, one, interval)]


def make_due(connection: Connection, interval: int = INTERVAL) -> int:
    """Make the checkpoints that are due.

    Args:
        connection: Within a transaction that does nothing else.
        interval: Entries after which one is due.

    Returns:
        How many were made.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE ledger_entries IN SHARE ROW EXCLUSIVE MODE"))
    due = are_due(connection, interval)
    for workspace_id in due:
        _make(connection, workspace_id)
    return len(due)


def _is_due(connection: Connection, workspace_id: str, interval: int) -> bool:
    after = (
        select(ledger_entries.c.position)
        .where(
            ledger_entries.c.workspace_id == workspace_id,
            ledger_entries.c.position > newest(connection, workspace_id),
        )
        .order_by(ledger_entries.c.position)
        .limit(interval)
        .subquery()
    )
    return int(connection.scalar(select(func.count()).select_from(after)) or 0) >= interval


def _make(connection: Connection, workspace_id: str) -> None:
    before = newest(connection, workspace_id)
    column = ledger_entries.c.position
    position = connection.scalar(select(func.max(column)).where(ledger_entries.c.workspace_id == workspace_id))
    changed = _sums_after(connection, workspace_id, before)
    recorded = _recorded(connection, workspace_id, list(changed), before)
    now = utc_now()
    rows = [
        (workspace_id, account, position, recorded.get(account, 0) + amount, now) for account, amount in changed.items()
    ]
    insert_rows(connection, ledger_checkpoints, _ROW, rows)


def total_of(account: str) -> str | None:
    """The total that an account counts towards, `hold:*` for `hold:RUN`; None for one that is alone of its kind."""
    kind, one_of_many, _ = account.partition(":")
    return f"{kind}:*" if one_of_many else None


def with_totals(amounts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The amounts by account and by total."""
    sums: dict[str, int] = defaultdict(int)
    for account, amount in amounts:
        sums[account] += amount
        if (total := total_of(account)) is not None:
            sums[total] += amount
    return dict(sums)


def _recorded(connection: Connection, workspace_id: str, accounts: list[str], position: int) -> dict[str, int]:
    row = ledger_checkpoints.c
    latest = (
        select(row.account, func.max(row.position).label("position"))
        .where(
            row.workspace_id == workspace_id,
            row.position <= position,
            among(connection.dialect.name, row.account, "accounts"),
        )
        .group_by(row.account)
        .subquery()
    )
    query = select(row.account, row.balance_microusd).join(
        latest, (row.account == latest.c.account) & (row.position == latest.c.position)
    )
    found = connection.execute(query.where(row.workspace_id == workspace_id), {"accounts": accounts})
    return {account: int(balance) for account, balance in found}


def _sums_after(connection: Connection, workspace_id: str, position: int) -> dict[str, int]:
    entry = ledger_entries.c
    query = (
        select(entry.account, func.sum(entry.amount_microusd))
        .where(entry.workspace_id == workspace_id, entry.position > position)
        .group_by(entry.account)
    )
    return with_totals((account, int(amount)) for account, amount in connection.execute(query))
