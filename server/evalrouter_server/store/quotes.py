"""Quotes: frozen plans, each of which starts at most one run."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from evalrouter_server.store.rows import fetch_one, select_rows
from evalrouter_server.store.tables import quotes


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """A quote as stored; money in micro-USD.

    Attributes:
        spec: The contract's `RunSpec` that it answers.
        plan: The frozen plan, as `quoting.plan.Plan` dumps it.
        run_id: The run that it started, or None.
    """

    id: str
    workspace_id: str
    key_id: str
    spec: dict[str, Any]
    plan: dict[str, Any]
    maximum_charge_microusd: int
    max_cost_microusd: int | None
    within_max_cost: bool
    shortfall_microusd: int
    largest_sample_count: int | None
    created_at: datetime
    expires_at: datetime
    run_id: str | None = None


def insert(connection: Connection, quote: QuoteRow) -> None:
    """Store a new quote."""
    connection.execute(quotes.insert(), asdict(quote))


def get(connection: Connection, workspace_id: str, quote_id: str, *, lock: bool = False) -> QuoteRow | None:
    """A quote of the workspace, or None; with `lock` nobody else starts it until the transaction ends."""
    query = select_rows(QuoteRow, quotes).where(quotes.c.id == quote_id, quotes.c.workspace_id == workspace_id)
    return fetch_one(connection, QuoteRow, query.with_for_update(key_share=True) if lock else query)


def load(connection: Connection, quote_id: str) -> QuoteRow | None:
    """A quote of any workspace, or None."""
    return fetch_one(connection, QuoteRow, select_rows(QuoteRow, quotes).where(quotes.c.id == quote_id))


def use(connection: Connection, quote_id: str, run_id: str) -> bool:
    """Note the run that a quote started, unless it has started one.

    Returns:
        Whether it had not.
    """
    statement = quotes.update().where(quotes.c.id == quote_id, quotes.c.run_id.is_(None)).values(run_id=run_id)
    return connection.execute(statement).rowcount == 1
