"""Databases of older versions, with rows in every table, on their way to the newest and back."""

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from evalrouter_server.__main__ import app
from evalrouter_server.store.database import Database
from evalrouter_server.store.migrate import migrate, revision, take_back
from evalrouter_server.store.migrations import HEAD
from evalrouter_server.store.migrations.run import scripts
from evalrouter_server.store.tables import metadata
from sqlalchemy import JSON, Column, Connection, MetaData, Table, inspect, select, text
from typer.testing import CliRunner

from tests.databases import empty_database

REVISIONS = sorted(script.revision for script in scripts().walk_revisions())
CAN_GO_BACK = [
    (older, newer)
    for older, newer in itertools.pairwise(REVISIONS)
    if hasattr(scripts().get_revision(newer).module, "downgrade")
]
ROWS = 3
VERSION = "alembic_version"

Rows = dict[str, list[dict[str, Any]]]


def value(column: Column[Any], number: int) -> Any:
    """Something of the column's type that no other row of it has, and that the table's checks let in."""
    if column.name == "reserved_microusd":
        return 0
    if isinstance(column.type, JSON):
        return {"number": number, "text": "Maß\n" * number}
    kind = column.type.python_type
    made: dict[type, Any] = {
        str: f"{column.table.name}.{column.name} Ünïcode {number}",
        int: number + 1,
        bool: number % 2 == 0,
        bytes: bytes([0, 255, number]),
        float: number + 0.5,
        datetime: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number, microseconds=1),
    }
    return made[kind]


def fill(connection: Connection) -> None:
    """Rows in each table, whose foreign keys are those of rows in others."""
    reflected = MetaData()
    reflected.reflect(connection)
    for table in reflected.sorted_tables:
        if table.name == VERSION:
            continue
        for number in range(ROWS):
            row = {column.name: value(column, number) for column in table.columns}
            for key in table.foreign_keys:
                row[key.parent.name] = value(key.column, number)
            connection.execute(table.insert().values(row))


def rows(connection: Connection) -> Rows:
    reflected = MetaData()
    reflected.reflect(connection)
    return {table.name: sorted_rows(connection, table) for table in reflected.sorted_tables if table.name != VERSION}


def sorted_rows(connection: Connection, table: Table) -> list[dict[str, Any]]:
    found = connection.execute(select(table)).mappings()
    return sorted((dict(row) for row in found), key=lambda row: repr(sorted(row.items())))


def of_columns(now: Rows, before: Rows) -> Rows:
    """What is there now of the tables and columns that were there before."""
    return {
        name: sorted(
            ({column: row[column] for column in then[0]} for row in now[name]),
            key=lambda row: repr(sorted(row.items())),
        )
        for name, then in before.items()
    }


async def at(url: str, older: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("evalrouter_server.store.migrations.run.HEAD", older)
        await migrate(url)


@pytest.mark.parametrize("older", REVISIONS[:-1])
async def test_rows_of_an_older_version_are_all_there_in_the_newest(
    database_kind: str, older: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with empty_database(database_kind, tmp_path) as url:
        await at(url, older, monkeypatch)
        database = await Database.open(url)
        try:
            await database.write(fill)
            before = await database.read(rows)
            assert len(before) > 10
            assert all(len(found) == ROWS for found in before.values())
            await migrate(url)
            assert await database.read(revision) == HEAD
            assert of_columns(await database.read(rows), before) == before
            assert await database.read(differences) == []
        finally:
            await database.close()


def differences(connection: Connection) -> Any:
    return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": False}), metadata)


@pytest.mark.parametrize(("older", "newer"), CAN_GO_BACK)
async def test_what_an_older_version_knows_survives_the_way_back(
    database_kind: str, older: str, newer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with empty_database(database_kind, tmp_path) as url, empty_database(database_kind, tmp_path) as never_left:
        await at(never_left, older, monkeypatch)
        await at(url, newer, monkeypatch)
        database, other = await Database.open(url), await Database.open(never_left)
        try:
            await database.write(fill)
            before = await database.read(rows)
            await take_back(url, older)
            after = await database.read(rows)
            assert await database.read(revision) == older
            assert after == of_columns(before, after)
            assert await database.read(columns) == await other.read(columns)
            await migrate(url)
            assert await database.read(revision) == HEAD
        finally:
            await database.close()
            await other.close()


def columns(connection: Connection) -> dict[str, set[str]]:
    seen = inspect(connection)
    return {name: {column["name"] for column in seen.get_columns(name)} for name in seen.get_table_names()}


async def test_a_rewritten_table_is_not_taken_back(database_url: str) -> None:
    with pytest.raises(ValueError, match="the schema 0007 rewrote a table and cannot be taken back: restore a backup"):
        await take_back(database_url, "0006")
    with pytest.raises(ValueError, match="there is no schema 6: name one of 0001, 0002"):
        await take_back(database_url, "6")
    with pytest.raises(RuntimeError, match=f"has the schema {HEAD}, which is not newer than {HEAD}"):
        await take_back(database_url, HEAD)
    database = await Database.open(database_url)
    await database.write(lambda connection: connection.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    await database.close()
    with pytest.raises(RuntimeError, match="does not know the database's schema 9999"):
        await take_back(database_url, "0001")


def test_the_command_brings_a_database_to_a_schema(tmp_path: Path) -> None:
    command = CliRunner()
    made = command.invoke(app, ["migrate", "--data-dir", str(tmp_path)])
    assert (made.exit_code, made.output) == (0, f"The database has the schema {HEAD}.\n")
    back = command.invoke(app, ["migrate", "--data-dir", str(tmp_path), "--to", "9"])
    assert (back.exit_code, back.output.partition(":")[0]) == (2, "The schema stays as it is")
