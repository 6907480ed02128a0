"""A run never ends over an open call, whenever the call was let in."""

import pytest
from evalrouter_server.engine import transitions
from evalrouter_server.engine.ending import Ending
from evalrouter_server.store.database import Database

from tests.databases import database, database_kind, database_url, templates
from tests.ledger.money import make_money

__all__ = ["database", "database_kind", "database_url", "templates"]

ENDING = Ending("completed", None, None, (), ())


async def test_a_call_let_in_at_the_last_moment_is_waited_for(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    assert await database.write(lambda connection: transitions.close_to_outsiders(connection, run_id)) is False
    late = await money.reserved(run_id, 100)

    with pytest.raises(transitions.CallsOpenError):
        await database.write(lambda connection: transitions.end(connection, run_id, ENDING))
    assert (await money.get(run_id)).status == "running"

    await money.settle(late, 70)
    assert await database.write(lambda connection: transitions.end(connection, run_id, ENDING)) is not None
    ended = await money.get(run_id)
    assert (ended.status, ended.spent_microusd, ended.hold_released) == ("completed", 70, True)
    await money.assert_sound()
