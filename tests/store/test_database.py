import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from evalrouter_server.settings import Settings
from evalrouter_server.store import settings
from evalrouter_server.store.database import Database
from evalrouter_server.store.migrate import migrate
from sqlalchemy import Connection, text


async def test_a_refused_operation_leaves_the_rest_of_its_group(database: Database) -> None:
    def refuse(connection: Connection) -> None:
        settings.claim(connection, "refused", "1")
        raise ValueError("no")

    outcomes = await asyncio.gather(
        database.write(lambda connection: settings.claim(connection, "one", "1")),
        database.write(refuse),
        database.write(lambda connection: settings.claim(connection, "two", "2")),
        return_exceptions=True,
    )
    assert outcomes[0] is outcomes[2] is True
    assert str(outcomes[1]) == "no"
    values = [
        await database.read(lambda connection, key=key: settings.read(connection, key))  # type: ignore[misc]
        for key in ("one", "two", "refused")
    ]
    assert values == ["1", "2", None]


async def test_a_broken_statement_harms_only_itself(database: Database) -> None:
    outcomes = await asyncio.gather(
        database.write(lambda connection: connection.execute(text("SELECT * FROM nothing"))),
        database.write(lambda connection: settings.claim(connection, "after", "1")),
        return_exceptions=True,
    )
    assert "nothing" in str(outcomes[0])
    assert outcomes[1] is True


async def test_items_that_wait_together_are_decided_as_one_set(database: Database) -> None:
    sizes: list[int] = []

    def double(connection: Connection, items: Sequence[int]) -> list[int | Exception]:
        sizes.append(len(items))
        return [ValueError("odd") if item % 2 else item * 2 for item in items]

    outcomes = await asyncio.gather(
        *(database.write_batched(double, number) for number in range(50)), return_exceptions=True
    )
    assert outcomes[:4:2] == [0, 4]
    assert all(isinstance(outcome, ValueError) for outcome in outcomes[1::2])
    assert sum(sizes) == 50
    assert len(sizes) < 10


async def test_closing_finishes_what_is_queued_and_takes_no_more(database_url: str) -> None:
    database = await Database.open(database_url)
    pending = [
        asyncio.create_task(
            database.write(lambda connection, key=str(key): settings.claim(connection, key, "1"))  # type: ignore[misc]
        )
        for key in range(20)
    ]
    await asyncio.sleep(0)
    await database.close()
    await database.close()
    assert await asyncio.gather(*pending) == [True] * 20
    with pytest.raises(RuntimeError, match="closed"):
        await database.write(lambda connection: None)


async def test_two_processes_that_deadlock_try_again(database: Database, database_url: str) -> None:
    """Two writers that take the same rows in opposite orders both get through."""
    other = await Database.open(database_url)
    for key in ("a", "b"):
        await database.write(lambda connection, key=key: settings.claim(connection, key, "0"))  # type: ignore[misc]

    def bump(connection: Connection, keys: str) -> None:
        for key in keys:
            statement = "UPDATE settings SET value = CAST(CAST(value AS integer) + 1 AS text) WHERE key = :key"
            connection.execute(text(statement), {"key": key})

    await asyncio.gather(
        *(database.write(lambda connection: bump(connection, "ab")) for _ in range(5)),
        *(other.write(lambda connection: bump(connection, "ba")) for _ in range(5)),
    )
    assert await database.read(lambda connection: settings.read(connection, "a")) == "10"
    assert await database.read(lambda connection: settings.read(connection, "b")) == "10"
    await other.close()


async def test_a_reader_sees_one_moment(database: Database) -> None:
    await database.write(lambda connection: settings.claim(connection, "a", "1"))
    loop = asyncio.get_running_loop()
    first_read, changed = asyncio.Event(), asyncio.Event()

    def read_twice(connection: Connection) -> tuple[str | None, str | None]:
        before = settings.read(connection, "a")
        loop.call_soon_threadsafe(first_read.set)
        if database.is_sqlite:
            asyncio.run_coroutine_threadsafe(changed.wait(), loop).result(10)
        else:
            from sqlalchemy.util import await_only

            await_only(changed.wait())
        return before, settings.read(connection, "a")

    reading = asyncio.create_task(database.read(read_twice))
    await first_read.wait()
    await database.write(lambda connection: connection.execute(text("UPDATE settings SET value = '2'")))
    changed.set()
    assert await reading == ("1", "1")


async def test_a_full_disk_fails_the_whole_group_and_says_so(tmp_path: Path) -> None:
    url = Settings(data_dir=tmp_path).database_url
    await migrate(url)
    database = await Database.open(url)
    await database.write(lambda conn: conn.exec_driver_sql("CREATE TABLE notes (text)"))
    pages = await database.read(lambda conn: conn.exec_driver_sql("PRAGMA page_count").scalar_one())
    await database.write(lambda conn: conn.exec_driver_sql(f"PRAGMA max_page_count = {pages}"))
    notes = ["small", "x" * 100_000, "small too"]

    def note(text: str) -> Callable[[Connection], object]:
        return lambda conn: conn.exec_driver_sql("INSERT INTO notes VALUES (?)", (text,))

    outcomes = await asyncio.gather(*(database.write(note(text)) for text in notes), return_exceptions=True)
    assert ["database or disk is full" in str(outcome) for outcome in outcomes] == [True] * 3
    assert await database.read(lambda conn: conn.exec_driver_sql("SELECT count(*) FROM notes").scalar_one()) == 0
    await database.write(note("small"))
    assert await database.read(lambda conn: conn.exec_driver_sql("SELECT count(*) FROM notes").scalar_one()) == 1
    await database.close()


async def test_reads_wait_for_their_turn_however_long_it_takes(database: Database) -> None:
    if not database.is_sqlite:
        database._async_engine.sync_engine.pool._timeout = 0.2  # type: ignore[attr-defined]

    def take_a_moment(connection: Connection) -> bool:
        if database.is_sqlite:
            time.sleep(0.02)
        else:
            connection.execute(text("SELECT pg_sleep(0.02)"))
        return True

    reads = [database.read(take_a_moment) for _ in range(100)]
    assert all(await asyncio.gather(*reads, database.write(lambda connection: settings.claim(connection, "a", "1"))))
