"""The wallet: what is in it, what goes in, and its statement."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.accounts import FUNDING, WALLET, Transaction, post
from evalrouter_server.ledger.checkpoints import HOLDS, balances
from evalrouter_server.ledger.holds import usd
from evalrouter_server.problems import Problem
from evalrouter_server.store.pages import BY_POSITION_DESCENDING, Page, fetch_page
from evalrouter_server.store.rows import select_rows
from evalrouter_server.store.tables import ledger_entries, workspaces

MOST_PUT_IN = 10**18
"""Micro-USD that a wallet takes over its life; every sum of a ledger's amounts is then far within 64 bits."""


@dataclass(frozen=True, slots=True)
class Wallet:
    """Micro-USD: what is available, what runs that have not ended hold and have not spent, and both together."""

    balance_microusd: int
    held_microusd: int
    available_microusd: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger.

    Attributes:
        position: Its place in the ledger of all workspaces, in the order of commits.
    """

    position: int
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
    """The wallet now, from the ledger's entries.

    Raises:
        LookupError: There is no such workspace.
    """
    if connection.scalar(select(workspaces.c.id).where(workspaces.c.id == workspace_id)) is None:
        raise LookupError(f"there is no workspace {workspace_id}")
    found = balances(connection, workspace_id, (WALLET, HOLDS))
    available, held = found[WALLET], found[HOLDS]
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
        Problem: `invalid_request`: all that was ever put in would be more than the ledger can count.
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
    put_in = -balances(connection, workspace_id, (FUNDING,))[FUNDING]
    if put_in + amount > MOST_PUT_IN:
        raise Problem(
            "invalid_request",
            f"{usd(put_in)} have been put into this wallet so far, and it takes {usd(MOST_PUT_IN)} in all: top up at"
            f" most {usd(MOST_PUT_IN - put_in)}, not {usd(amount)}",
            field="amount_microusd",
        )
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
        connection,
        Entry,
        query,
        ledger_entries.c.position,
        BY_POSITION_DESCENDING,
        "entries",
        cursor=cursor,
        limit=limit,
    )
