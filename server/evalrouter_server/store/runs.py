"""Runs: inserted once for each meaning, moved from status to status, ended once."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from evalrouter_server.store.pages import BY_ID_DESCENDING, Page, fetch_page
from evalrouter_server.store.rows import fetch_all, fetch_one, insert_unless_there, select_rows
from evalrouter_server.store.tables import runs

ENDED = frozenset({"completed", "partial", "cancelled", "failed"})
"""An ended run never changes again."""

UNENDED = frozenset({"queued", "running", "paused", "cancelling"})


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to insert; money in micro-USD."""

    id: str
    workspace_id: str
    key_id: str
    quote_id: str
    dedupe_key: str
    spec_digest: str
    name: str | None
    metadata: dict[str, Any]
    benchmark: dict[str, Any]
    model: dict[str, Any] | None
    connection_id: str | None
    price: dict[str, Any] | None
    coverage: dict[str, Any]
    concurrency: int
    repeats: int
    cap_microusd: int
    max_cost_microusd: int | None
    maximum_charge_microusd: int
    selected: int
    created_at: datetime
    agent: dict[str, Any] | None = None
    status: str = "queued"


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as stored; money in micro-USD."""

    id: str
    workspace_id: str
    key_id: str
    quote_id: str
    dedupe_key: str
    spec_digest: str
    status: str
    status_reason: str | None
    name: str | None
    metadata: dict[str, Any]
    benchmark: dict[str, Any]
    model: dict[str, Any] | None
    connection_id: str | None
    price: dict[str, Any] | None
    coverage: dict[str, Any]
    concurrency: int
    repeats: int
    cap_microusd: int
    max_cost_microusd: int | None
    maximum_charge_microusd: int
    reserved_microusd: int
    spent_microusd: int
    overage_microusd: int
    hold_released: bool
    selected: int
    graded: int
    failed: int
    score: float | None
    metrics: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    flags: list[str]
    models_served: list[str]
    last_seq: int
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    agent: dict[str, Any] | None

    @property
    def has_ended(self) -> bool:
        """Whether the run never changes again."""
        return self.status in ENDED

    @property
    def missing(self) -> int:
        """Tasks that have no result."""
        return self.selected - self.graded - self.failed

    @property
    def is_remote(self) -> bool:
        """Whether a remote agent works on its tasks, which the server calls."""
        return self.agent is not None and self.agent["kind"] == "remote"

    @property
    def is_delivered(self) -> bool:
        """Whether a client works on its tasks."""
        return self.agent is not None and not self.is_remote and not self.agent.get("hosted")


def insert(connection: Connection, run: NewRun) -> tuple[RunRow, bool]:
    """Insert a run, unless the workspace has one with the same dedupe key; of several that try at once, one succeeds.

    Args:
        connection: Within a transaction.
        run: The run.

    Returns:
        The run that is there now, and whether it is the new one.
    """
    empty: dict[str, Any] = {"metrics": [], "groups": [], "flags": [], "models_served": []}
    inserted = insert_unless_there(connection, runs, asdict(run) | empty)
    row = find_by_dedupe_key(connection, run.workspace_id, run.dedupe_key)
    if row is None:
        raise LookupError(f"run {run.id} was not inserted: its ID is taken")
    return row, inserted


def get(connection: Connection, workspace_id: str, run_id: str) -> RunRow | None:
    """A run of the workspace, or None."""
    query = select_rows(RunRow, runs).where(runs.c.id == run_id, runs.c.workspace_id == workspace_id)
    return fetch_one(connection, RunRow, query)


def load(connection: Connection, run_id: str, *, lock: bool = False) -> RunRow | None:
    """A run of any workspace, or None; with `lock` nobody else changes it until the transaction ends."""
    query = select_rows(RunRow, runs).where(runs.c.id == run_id)
    return fetch_one(connection, RunRow, query.with_for_update(key_share=True) if lock else query)


def find_by_dedupe_key(connection: Connection, workspace_id: str, dedupe_key: str) -> RunRow | None:
    """The workspace's run with this dedupe key, or None."""
    query = select_rows(RunRow, runs).where(runs.c.workspace_id == workspace_id, runs.c.dedupe_key == dedupe_key)
    return fetch_one(connection, RunRow, query)


def list_page(
    connection: Connection,
    workspace_id: str,
    *,
    status: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[RunRow]:
    """A page of the workspace's runs, newest first.

    Args:
        connection: Any connection.
        workspace_id: The workspace.
        status: Only runs with this status.
        cursor: The `next_cursor` of the page before.
        limit: The most rows.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    query = select_rows(RunRow, runs).where(runs.c.workspace_id == workspace_id)
    if status is not None:
        query = query.where(runs.c.status == status)
    return fetch_page(connection, RunRow, query, runs.c.id, BY_ID_DESCENDING, "runs", cursor=cursor, limit=limit)


def list_in_status(connection: Connection, statuses: Collection[str]) -> list[RunRow]:
    """The runs of all workspaces that have one of these statuses, oldest first."""
    return fetch_all(
        connection, RunRow, select_rows(RunRow, runs).where(runs.c.status.in_(statuses)).order_by(runs.c.id)
    )


def set_status(
    connection: Connection,
    run_id: str,
    status: str,
    *,
    expected: Collection[str],
    at: datetime,
    reason: str | None = None,
) -> bool:
    """Move a run that has not ended to another status that is not an end either.

    Args:
        connection: Within a transaction.
        run_id: The run.
        status: The new status; `running` also notes when the run first started.
        expected: It must have one of these now.
        at: When.
        reason: Why; None clears the reason of before.

    Returns:
        Whether it had one of the expected statuses.

    Raises:
        ValueError: A status is one of those that end a run: `finish` does that.
    """
    if ended := ENDED & {status, *expected}:
        raise ValueError(f"a run with status {min(ended)!r} has ended and never changes")
    values: dict[str, Any] = {"status": status, "status_reason": reason}
    if status == "running":
        values["started_at"] = func.coalesce(runs.c.started_at, at)
    statement = runs.update().where(runs.c.id == run_id, runs.c.status.in_(expected)).values(values)
    return connection.execute(statement).rowcount == 1


def finish(
    connection: Connection,
    run_id: str,
    status: str,
    *,
    at: datetime,
    reason: str | None = None,
    score: float | None = None,
    metrics: Iterable[dict[str, Any]] = (),
    groups: Iterable[dict[str, Any]] = (),
) -> bool:
    """End a run. Release its hold in the same transaction.

    Args:
        connection: Within a transaction.
        run_id: The run.
        status: One of `ENDED`.
        at: When.
        reason: Why, unless it completed.
        score: The primary metric.
        metrics: The contract's `Metric`s.
        groups: The contract's `GroupScore`s.

    Returns:
        Whether it had not ended before.

    Raises:
        ValueError: The status does not end a run.
    """
    if status not in ENDED:
        raise ValueError(f"status {status!r} does not end a run")
    values = {
        "status": status,
        "status_reason": reason,
        "score": score,
        "metrics": list(metrics),
        "groups": list(groups),
        "ended_at": at,
    }
    statement = runs.update().where(runs.c.id == run_id, runs.c.status.in_(UNENDED)).values(values)
    return connection.execute(statement).rowcount == 1


def begin_to_close(connection: Connection, run_id: str, reason: str) -> None:
    """Let no further task of a running run be begun, such as for want of budget; the first reason holds.

    Args:
        connection: Within a transaction.
        run_id: The run.
        reason: Why, as a code and a text.
    """
    statement = runs.update().where(
        runs.c.id == run_id, runs.c.status.in_(("queued", "running")), runs.c.closing_reason.is_(None)
    )
    connection.execute(statement.values(closing_reason=reason))


def closing_reason(connection: Connection, run_id: str) -> str | None:
    """Why no further task of a run is begun; None where tasks are."""
    reason: str | None = connection.scalar(select(runs.c.closing_reason).where(runs.c.id == run_id))
    return reason


def add_flags(connection: Connection, run_id: str, *flags: str) -> None:
    """Put flags on a run, each once."""
    run = load(connection, run_id, lock=True)
    if run is None:
        raise LookupError(f"there is no run {run_id}")
    if new := [flag for flag in dict.fromkeys(flags) if flag not in run.flags]:
        connection.execute(runs.update().where(runs.c.id == run_id).values(flags=[*run.flags, *new]))


def count_for_connection(connection: Connection, connection_id: str) -> int:
    """How many runs that have not ended use a model connection."""
    query = select(func.count()).select_from(runs)
    return int(connection.scalar(query.where(runs.c.connection_id == connection_id, runs.c.status.in_(UNENDED))) or 0)
