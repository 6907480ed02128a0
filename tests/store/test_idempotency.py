import asyncio
from datetime import timedelta
from typing import Any

import pytest
from evalrouter_server.clock import utc_now
from evalrouter_server.problems import Problem
from evalrouter_server.secrets import SecretBox, new_secret
from evalrouter_server.store import settings
from evalrouter_server.store.database import Database
from evalrouter_server.store.idempotency import KEPT, once, purge
from evalrouter_server.store.tables import idempotency
from sqlalchemy import Connection

BOX = SecretBox(new_secret())


class Counted:
    """An operation that says how often it ran."""

    def __init__(self, fails: int = 0) -> None:
        self.runs = 0
        self.fails = fails

    def __call__(self, connection: Connection) -> tuple[int, Any]:
        self.runs += 1
        settings.claim(connection, f"ran-{self.runs}", "1")
        if self.runs <= self.fails:
            raise Problem("insufficient_funds", "no money")
        return 201, {"run": self.runs, "secret": "er_shown_once"}


async def ask(database: Database, operation: Counted, key: str | None = "k", digest: str = "d") -> tuple[int, Any]:
    return await database.write(lambda connection: once(connection, "ws_1", key, digest, BOX, operation))


async def test_a_repeated_request_gets_the_first_answer(database: Database) -> None:
    operation = Counted()
    answers = [await ask(database, operation) for _ in range(3)]
    assert answers == [(201, {"run": 1, "secret": "er_shown_once"})] * 3
    assert operation.runs == 1
    stored = await database.read(lambda connection: connection.execute(idempotency.select()).one())
    assert b"er_shown_once" not in stored.body_encrypted
    with pytest.raises(Problem) as refused:
        await ask(database, operation, digest="another")
    assert refused.value.code == "idempotency_conflict"
    await ask(database, operation, key="another")
    await ask(database, operation, key=None)
    await ask(database, operation, key=None)
    assert operation.runs == 4


async def test_requests_at_once_through_two_processes_run_once(database: Database, database_url: str) -> None:
    other = await Database.open(database_url)
    operation = Counted()
    answers = await asyncio.gather(*(ask(where, operation) for _ in range(5) for where in (database, other)))
    await other.close()
    assert operation.runs == 1
    assert all(answer == answers[0] for answer in answers)


async def test_a_refusal_is_undone_and_not_kept(database: Database) -> None:
    operation = Counted(fails=1)
    with pytest.raises(Problem, match="no money"):
        await ask(database, operation)
    assert await database.read(lambda connection: settings.read(connection, "ran-1")) is None
    assert (await ask(database, operation))[1]["run"] == 2


async def test_an_answer_is_kept_for_a_day(database: Database) -> None:
    operation = Counted()
    await ask(database, operation)
    long_ago = utc_now() - KEPT - timedelta(seconds=1)
    await database.write(lambda connection: connection.execute(idempotency.update().values(created_at=long_ago)))
    await ask(database, operation)
    assert operation.runs == 2
    assert await database.write(lambda connection: purge(connection, utc_now())) == 0
    assert await database.write(lambda connection: purge(connection, utc_now() + KEPT)) == 1
