"""What a task's model calls came to, added up from the calls themselves."""

from dataclasses import dataclass

from sqlalchemy import Connection, exists, select

from evalrouter_server.quoting.price import Usage
from evalrouter_server.store.tables import calls, tries


@dataclass(frozen=True, slots=True)
class Metered:
    """The calls of a task together.

    Attributes:
        calls: How many came in with gateway keys.
        usage: Their tokens.
        charge_microusd: What they were charged, in micro-USD, those of a grader included.
        model_served: The model that the provider says answered last.
    """

    calls: int
    usage: Usage
    charge_microusd: int
    model_served: str | None


def of_task(connection: Connection, run_id: str, task_id: str) -> Metered:
    """What a task's calls came to."""
    query = select(calls.c.gateway_key_id, calls.c.status, calls.c.usage, calls.c.charge_microusd, calls.c.model_served)
    rows = connection.execute(
        query.where(calls.c.run_id == run_id, calls.c.task_id == task_id).order_by(calls.c.id)
    ).all()
    totals = {name: sum((row.usage or {}).get(name, 0) for row in rows) for name in Usage.__dataclass_fields__}
    return Metered(
        calls=sum(row.gateway_key_id is not None and row.status in ("settled", "unknown") for row in rows),
        usage=Usage(**totals),
        charge_microusd=sum(row.charge_microusd for row in rows),
        model_served=next((row.model_served for row in reversed(rows) if row.model_served), None),
    )


def has_open_calls(connection: Connection, run_id: str, task_id: str) -> bool:
    """Whether a call of a task is under way, so that its charge is not known yet."""
    query = exists().where(
        calls.c.run_id == run_id, calls.c.task_id == task_id, tries.c.call_id == calls.c.id, tries.c.status == "open"
    )
    return bool(connection.scalar(select(query)))
