import pytest
from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.problems import Problem
from evalrouter_server.store import connections, results, runs
from evalrouter_server.store.connections import EndpointRow
from evalrouter_server.store.database import Database
from evalrouter_server.store.pages import BY_ID, BY_POSITION, decode_cursor, encode_cursor
from evalrouter_server.store.results import NewResult
from evalrouter_server.store.tasks import claim, record
from sqlalchemy import Connection

from tests.ledger.money import OWNER, insert_run, make_money


async def test_runs_page_newest_first_while_new_ones_come(database: Database) -> None:
    money = await make_money(database)
    made = [await money.run(1) for _ in range(5)]
    first = await database.read(lambda connection: runs.list_page(connection, money.workspace_id, limit=2))
    later = await money.run(1)
    second = await database.read(
        lambda connection: runs.list_page(connection, money.workspace_id, cursor=first.next_cursor, limit=3)
    )
    newest_first = sorted(made, reverse=True)
    assert [run.id for run in first.items + second.items] == newest_first
    assert second.next_cursor is None
    assert later not in newest_first
    await money.end(made[0])
    only = await database.read(lambda connection: runs.list_page(connection, money.workspace_id, status="completed"))
    assert [run.id for run in only.items] == [made[0]]
    nothing = await database.read(lambda connection: runs.list_page(connection, "ws_other"))
    assert nothing.items == ()
    assert await database.read(lambda connection: runs.get(connection, "ws_other", made[0])) is None


async def test_results_page_by_position(database: Database) -> None:
    money = await make_money(database)

    def fill(connection: Connection) -> str:
        run_id = insert_run(connection, money.workspace_id, money.key_id, 10, tasks=12)
        for held in claim(connection, run_id, OWNER, utc_now(), limit=11):
            output = "a\x00b" if held.position == 0 else "\ud800"
            result = NewResult("graded", {}, {}, utc_now(), output=output, score=1.0, correct=True)
            record(connection, [(held, result)])
        return run_id

    run_id = await database.write(fill)
    positions: list[int] = []
    outputs: list[str | None] = []
    cursor: str | None = None
    while True:
        page = await database.read(
            lambda connection, cursor=cursor: results.list_page(connection, run_id, cursor=cursor, limit=4)  # type: ignore[misc]
        )
        positions += [row.position for row in page.items]
        outputs += [row.output for row in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert positions == list(range(11))
    assert outputs[:2] == ["a\ufffdb", "\ufffd"]
    rest = await database.read(lambda connection: results.after(connection, run_id, 8, 10))
    assert [row.position for row in rest] == [9, 10]
    scores = await database.read(lambda connection: list(results.scores(connection, run_id)))
    assert len(scores) == 11
    run = await money.get(run_id)
    assert (run.graded, run.failed, run.missing) == (11, 0, 1)


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "é", "....", encode_cursor("keys", "run_" + "0" * 26), encode_cursor("runs", "run_' OR 1=1"), "A" * 200],
)
def test_other_cursors_are_refused(cursor: str) -> None:
    with pytest.raises(Problem) as refused:
        decode_cursor(cursor, "runs", BY_ID)
    assert refused.value.code == "invalid_request"


def test_a_cursor_comes_back() -> None:
    run_id = new_id("run")
    assert decode_cursor(encode_cursor("runs", run_id), "runs", BY_ID) == run_id
    assert decode_cursor(encode_cursor("results", 42), "results", BY_POSITION) == 42


async def test_a_connection_name_is_taken_in_whatever_case_until_it_is_deleted(database: Database) -> None:
    money = await make_money(database)

    def row(name: str) -> EndpointRow:
        return EndpointRow(
            id=new_id("conn"),
            workspace_id=money.workspace_id,
            name=name,
            kind="model",
            base_url="http://127.0.0.1/v1",
            upstream_model="m",
            model_id=new_id("model"),
            price={},
            key_encrypted=b"sealed",
            key_env=None,
            created_at=utc_now(),
        )

    mine = row("Mine")
    await database.write(lambda connection: connections.insert(connection, mine))
    with pytest.raises(Problem, match="'mine'"):
        await database.write(lambda connection: connections.insert(connection, row("mine")))
    listed = await database.read(lambda connection: connections.list_page(connection, money.workspace_id, match="MINE"))
    assert [connection.id for connection in listed.items] == [mine.id]
    with pytest.raises(Problem, match="no connection"):
        await database.write(lambda connection: connections.delete(connection, "ws_other", mine.id, utc_now()))
    await database.write(lambda connection: connections.delete(connection, money.workspace_id, mine.id, utc_now()))
    await database.write(lambda connection: connections.insert(connection, row("mine")))
    assert await database.read(lambda connection: connections.get(connection, money.workspace_id, mine.id)) is None
    kept = await database.read(lambda connection: connections.load(connection, mine.id))
    assert kept is not None
    assert kept.key_encrypted is None
