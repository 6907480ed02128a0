"""The wallet: what is in it, what goes in, and its statement."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.accounts import FUNDING, WALLET, Transaction, post
from evalrouter_server.store.pages import BY_ID_DESCENDING, Page, fetch_page
from evalrouter_server.store.rows import select_rows
from evalrouter_server.store.tables import ledger_entries, runs, workspaces


@dataclass(frozen=True, slots=True)
class Wallet:
    """Micro-USD: what is available, what runs that have not ended hold and have not spent, and both together."""

    balance_microusd: int
    held_microusd: int
    available_microusd: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger."""

    id: str
    posted_at: datetime
    kind: str
    account: str
    amount_microusd: int
    transaction_id: str
    run_id: str | None
    call_id: str | None
    try_number: int | None
    top_up_id: str | None
    key_id: str | None
    note: str | None


def read_wallet(connection: Connection, workspace_id: str) -> Wallet:
    """The wallet now.

    Raises:
        LookupError: There is no such workspace.
    """
    available = connection.scalar(select(workspaces.c.available_microusd).where(workspaces.c.id == workspace_id))
    if available is None:
        raise LookupError(f"there is no workspace {workspace_id}")
    held = int(
        connection.scalar(
            select(func.coalesce(func.sum(runs.c.cap_microusd - runs.c.spent_microusd), 0)).where(
                runs.c.workspace_id == workspace_id, runs.c.hold_released.is_(False)
            )
        )
        or 0
    )
    return Wallet(balance_microusd=available + held, held_microusd=held, available_microusd=available)


def top_up(connection: Connection, workspace_id: str, amount: int, note: str | None = None) -> Wallet:
    """Put money in.

    Args:
        connection: Within a transaction.
        workspace_id: Whose wallet.
        amount: Micro-USD, more than 0.
        note: What the statement says of it.

    Returns:
        The wallet after it.

    Raises:
        LookupError: There is no such workspace.
        ValueError: The amount is not more than 0.
    """
    if amount <= 0:
        raise ValueError(f"a top-up is more than 0 micro-USD, not {amount}")
    changed = connection.execute(
        workspaces.update()
        .where(workspaces.c.id == workspace_id)
        .values(available_microusd=workspaces.c.available_microusd + amount)
    )
    if not changed.rowcount:
        raise LookupError(f"there is no workspace {workspace_id}")
    transaction = Transaction(
        workspace_id=workspace_id,
        kind="top_up",
        movements=((FUNDING, -amount), (WALLET, amount)),
        at=utc_now(),
        top_up_id=new_id("topup"),
        note=note,
    )
    post(connection, [transaction])
    return read_wallet(connection, workspace_id)


def statement(connection: Connection, workspace_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[Entry]:
    """A page of the workspace's ledger entries, newest first.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    query = select_rows(Entry, ledger_entries).where(ledger_entries.c.workspace_id == workspace_id)
    return fetch_page(
        connection, Entry, query, ledger_entries.c.id, BY_ID_DESCENDING, "entries", cursor=cursor, limit=limit
    )
