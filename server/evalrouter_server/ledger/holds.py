"""Holds: a run's cap is set aside when it starts, and what it did not spend is given back when it has ended."""

from dataclasses import dataclass

from sqlalchemy import Connection, exists, select

from evalrouter_server.clock import utc_now
from evalrouter_server.ledger.accounts import COMMITTED, WALLET, Transaction, hold_account, key_account, post
from evalrouter_server.problems import Problem
from evalrouter_server.store.tables import api_keys, ledger_entries, runs, tries, workspaces

NAMED_RUNS = 10
"""How many of the runs that hold the money a refusal names."""


@dataclass(frozen=True, slots=True)
class Holding:
    """A run that holds money: its cap less what it has spent, in micro-USD."""

    run_id: str
    name: str | None
    held_microusd: int


def place_hold(connection: Connection, workspace_id: str, key_id: str, run_id: str, cap: int) -> None:
    """Set a run's cap aside in the wallet and commit its key to it, in the transaction that inserted the run's row.

    Args:
        connection: Within a transaction.
        workspace_id: Whose wallet.
        key_id: The key that starts the run.
        run_id: The run.
        cap: Micro-USD; 0 for a free model.

    Raises:
        Problem: `insufficient_funds` (details: `needed_microusd`, `available_microusd`, `holding_runs`) or
            `ceiling_exceeded` (details: `needed_microusd`, `ceiling_microusd`, `committed_microusd`,
            `remaining_microusd`).
        ValueError: The cap is negative, is not that of the run's row, or is held already.
    """
    own_cap = connection.scalar(select(runs.c.cap_microusd).where(runs.c.id == run_id))
    if cap < 0 or own_cap != cap:
        raise ValueError(f"cannot hold {cap} micro-USD for run {run_id}, whose cap is {own_cap}")
    if connection.scalar(select(exists().where(ledger_entries.c.account == hold_account(run_id)))):
        raise ValueError(f"run {run_id} has a hold already")
    available = connection.execute(
        select(workspaces.c.available_microusd).where(workspaces.c.id == workspace_id).with_for_update(key_share=True)
    ).scalar_one()
    key = connection.execute(
        select(api_keys.c.ceiling_microusd, api_keys.c.committed_microusd)
        .where(api_keys.c.id == key_id, api_keys.c.workspace_id == workspace_id)
        .with_for_update(key_share=True)
    ).one()
    if cap > available:
        raise _insufficient_funds(connection, workspace_id, run_id, cap, available)
    if key.ceiling_microusd is not None and key.committed_microusd + cap > key.ceiling_microusd:
        raise _ceiling_exceeded(cap, key.ceiling_microusd, key.committed_microusd)
    _move(connection, "hold", workspace_id, key_id, run_id, available=-cap, held=cap, committed=cap)


def release_hold(connection: Connection, run_id: str) -> int:
    """Give back what an ended run did not spend. Doing it again changes nothing.

    Args:
        connection: Within a transaction.
        run_id: A run with no open try.

    Returns:
        Micro-USD that went back to the wallet; 0 when it had been released before.

    Raises:
        LookupError: There is no such run.
        ValueError: A try of the run is still open; settle, release or lose it first.
    """
    run = connection.execute(
        select(runs.c.workspace_id, runs.c.key_id, runs.c.cap_microusd, runs.c.spent_microusd, runs.c.hold_released)
        .where(runs.c.id == run_id)
        .with_for_update(key_share=True)
    ).one_or_none()
    if run is None:
        raise LookupError(f"there is no run {run_id}")
    if run.hold_released:
        return 0
    if connection.scalar(select(exists().where(tries.c.run_id == run_id, tries.c.status == "open"))):
        raise ValueError(f"run {run_id} has open tries: its hold is released once they are closed")
    connection.execute(runs.update().where(runs.c.id == run_id).values(hold_released=True))
    rest: int = run.cap_microusd - run.spent_microusd
    _move(
        connection,
        "release",
        run.workspace_id,
        run.key_id,
        run_id,
        available=rest,
        held=-run.cap_microusd,
        committed=-rest,
    )
    return rest


def holdings(connection: Connection, workspace_id: str, limit: int = NAMED_RUNS) -> list[Holding]:
    """The runs that hold the most money, most first.

    Args:
        connection: Any connection.
        workspace_id: Whose runs.
        limit: The most to name.
    """
    held = runs.c.cap_microusd - runs.c.spent_microusd
    statement = (
        select(runs.c.id, runs.c.name, held)
        .where(runs.c.workspace_id == workspace_id, runs.c.hold_released.is_(False), held > 0)
        .order_by(held.desc(), runs.c.id)
        .limit(limit)
    )
    return [Holding(*row) for row in connection.execute(statement)]


def _move(
    connection: Connection,
    kind: str,
    workspace_id: str,
    key_id: str,
    run_id: str,
    *,
    available: int,
    held: int,
    committed: int,
) -> None:
    """Change the counters and post the entries that they stand for: wallet against hold, key against all keys."""
    connection.execute(
        workspaces.update()
        .where(workspaces.c.id == workspace_id)
        .values(
            available_microusd=workspaces.c.available_microusd + available,
            held_microusd=workspaces.c.held_microusd + held,
        )
    )
    connection.execute(
        api_keys.update()
        .where(api_keys.c.id == key_id)
        .values(committed_microusd=api_keys.c.committed_microusd + committed)
    )
    transaction = Transaction(
        workspace_id=workspace_id,
        kind="hold" if kind == "hold" else "release",
        movements=(
            (WALLET, available),
            (hold_account(run_id), -available),
            (key_account(key_id), committed),
            (COMMITTED, -committed),
        ),
        at=utc_now(),
        run_id=run_id,
        key_id=key_id,
    )
    post(connection, [transaction])


def _insufficient_funds(connection: Connection, workspace_id: str, run_id: str, needed: int, available: int) -> Problem:
    holding = [entry for entry in holdings(connection, workspace_id, NAMED_RUNS + 1) if entry.run_id != run_id]
    held_by = ", ".join(entry.run_id for entry in holding[:NAMED_RUNS])
    message = f"the run needs {usd(needed)} and the wallet has {usd(available)} available"
    message += f"; the rest is held by {held_by}" if holding else ""
    return Problem(
        "insufficient_funds",
        f"{message}. Lower max_cost, take a smaller sample, or top up the wallet.",
        needed_microusd=needed,
        available_microusd=available,
        holding_runs=[
            {"run_id": entry.run_id, "name": entry.name, "held_microusd": entry.held_microusd}
            for entry in holding[:NAMED_RUNS]
        ],
    )


def _ceiling_exceeded(needed: int, ceiling: int, committed: int) -> Problem:
    return Problem(
        "ceiling_exceeded",
        f"the run needs {usd(needed)} and the key may commit {usd(ceiling - committed)} more of its ceiling of "
        f"{usd(ceiling)}. Lower max_cost, take a smaller sample, or raise the key's ceiling.",
        needed_microusd=needed,
        ceiling_microusd=ceiling,
        committed_microusd=committed,
        remaining_microusd=ceiling - committed,
    )


def usd(amount: int) -> str:
    """Micro-USD as exact USD with at least two decimals."""
    whole, micro = divmod(amount, 1_000_000)
    decimals = f"{micro:06}".rstrip("0").ljust(2, "0")
    return f"{whole}.{decimals} USD"
