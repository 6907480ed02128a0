from typing import Any

from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.store.bulk import among, insert_rows, update_rows
from evalrouter_server.store.database import Database
from evalrouter_server.store.tables import calls, workspaces
from sqlalchemy import Connection, select

from tests.ledger.money import make_money

NEW_CALL = ("id", "run_id", "call_key", "wire", "streamed", "model_requested", "status", "started_at")
ZERO = ("charge_microusd", "overage_microusd")
CHANGES = ("usage", "response", "model_served", "provider_cost_microusd", "ended_at")


async def test_rows_keep_their_values_whatever_their_number(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    now = utc_now()
    ids = [new_id("call") for _ in range(300)]
    answers: list[Any] = [{"text": "4 \x00 \ud800", "n": [1, [2]]}, [], [[1], [2]], "text", 7, None]

    def write(connection: Connection) -> None:
        new = [
            (call, run_id, f"k{call}", "chat", place % 2 == 0, "m", "open", now, 0, 0) for place, call in enumerate(ids)
        ]
        insert_rows(connection, calls, (*NEW_CALL, *ZERO), new)
        changed = [
            (
                {"output_tokens": place},
                answers[place % len(answers)],
                "served\x00",
                2**62 if place % 3 else None,
                now,
                call,
            )
            for place, call in enumerate(ids)
        ]
        update_rows(connection, calls, ("id",), CHANGES, changed)
        insert_rows(connection, calls, (*NEW_CALL, *ZERO), [])

    await database.write(write)

    def read(connection: Connection) -> list[Any]:
        columns = [calls.c[name] for name in ("streamed", *CHANGES)]
        listed = among(connection.dialect.name, calls.c.id, "ids")
        return list(connection.execute(select(*columns).where(listed).order_by(calls.c.id), {"ids": ids}))

    rows = await database.read(read)
    assert [row.streamed for row in rows] == [True, False] * 150
    assert [row.usage["output_tokens"] for row in rows] == list(range(300))
    assert [row.response for row in rows] == answers * 50
    assert {row.model_served for row in rows} == {"served\ufffd"}
    assert [row.provider_cost_microusd for row in rows] == [None, 2**62, 2**62] * 100
    assert {row.ended_at for row in rows} == {now}


async def test_nothing_is_among_no_strings(database: Database) -> None:
    await make_money(database)

    def found(connection: Connection) -> int:
        listed = among(connection.dialect.name, workspaces.c.id, "ids")
        return len(connection.execute(select(workspaces.c.id).where(listed), {"ids": []}).all())

    assert await database.read(found) == 0
