"""After a crash: tries that a dead process left open are lost, each settled at its reservation."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, exists, select

from evalrouter_server.ledger.items import Lose
from evalrouter_server.ledger.reservations import apply
from evalrouter_server.store.cluster_tables import instances
from evalrouter_server.store.tables import tries

CHUNK = 500
"""Tries that are closed with one set of statements."""


def settle_orphans(connection: Connection, live_owners: Collection[str], run_id: str | None = None) -> int:
    """Lose the open tries of processes that are gone.

    Args:
        connection: Within a transaction.
        live_owners: The process instances that still work; their tries are left alone.
        run_id: Only tries of this run.

    Returns:
        How many tries were lost.
    """
    return _settle(connection, tries.c.owner.not_in(live_owners), run_id)


def has_tries_of_nobody(connection: Connection) -> bool:
    """Whether tries are open whose process is none of those that work on the database."""
    return bool(connection.scalar(select(exists().where(tries.c.status == "open", _of_nobody()))))


def settle_tries_of_nobody(connection: Connection) -> int:
    """Lose the open tries whose process is none of those that work on the database.

    Args:
        connection: Within a transaction.

    Returns:
        How many tries were lost.
    """
    return _settle(connection, _of_nobody(), None)


def _of_nobody() -> ColumnElement[bool]:
    return ~exists().where(instances.c.id == tries.c.owner, instances.c.ended_at.is_(None))


def _settle(connection: Connection, owned: ColumnElement[bool], run_id: str | None) -> int:
    query = select(tries.c.call_id, tries.c.number).where(tries.c.status == "open", owned)
    if run_id is not None:
        query = query.where(tries.c.run_id == run_id)
    orphans = connection.execute(query.order_by(tries.c.call_id)).all()
    lost = [Lose(call_id, number, error="interrupted: the process that sent it ended") for call_id, number in orphans]
    for start in range(0, len(lost), CHUNK):
        for outcome in apply(connection, lost[start : start + CHUNK]):
            if isinstance(outcome, Exception):
                raise outcome
    return len(lost)
