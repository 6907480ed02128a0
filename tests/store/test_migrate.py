import asyncio
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from evalrouter_server.settings import Settings
from evalrouter_server.store.database import Database, normalise_url
from evalrouter_server.store.migrate import migrate, revision
from evalrouter_server.store.migrations import HEAD
from evalrouter_server.store.migrations.run import scripts
from evalrouter_server.store.tables import metadata
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from tests.databases import empty_database


def described(connection: Connection) -> dict[str, Any]:
    """Everything about the schema that the database tells."""
    seen = inspect(connection)
    tables: dict[str, Any] = {}
    for name in sorted(set(seen.get_table_names()) - {"alembic_version"}):
        tables[name] = {
            "columns": {
                column["name"]: (str(column["type"]), getattr(column["type"], "collation", None), column["nullable"])
                for column in seen.get_columns(name)
            },
            "primary": seen.get_pk_constraint(name)["constrained_columns"],
            "foreign": sorted(
                (tuple(key["constrained_columns"]), key["referred_table"]) for key in seen.get_foreign_keys(name)
            ),
            "unique": sorted(tuple(constraint["column_names"]) for constraint in seen.get_unique_constraints(name)),
            "checks": sorted((check["name"] or "", check["sqltext"]) for check in seen.get_check_constraints(name)),
            "indexes": sorted(
                (index["name"] or "", tuple(index["column_names"]), index["unique"], options(index))
                for index in seen.get_indexes(name)
            ),
        }
    return tables


def options(index: Any) -> list[tuple[str, str]]:
    """The conditions of a partial index."""
    return sorted((name, str(value)) for name, value in index.get("dialect_options", {}).items())


def triggers(connection: Connection) -> list[tuple[Any, ...]]:
    if connection.dialect.name == "sqlite":
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    else:
        query = "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname"
    return [tuple(row) for row in connection.execute(text(query))]


async def test_the_migrated_schema_is_that_of_the_tables(database_kind: str, tmp_path: Path) -> None:
    with empty_database(database_kind, tmp_path) as migrated, empty_database(database_kind, tmp_path) as created:
        await migrate(migrated)
        one, other = await Database.open(migrated), await Database.open(created)
        try:
            await other.write(metadata.create_all)
            assert await one.read(described) == await other.read(described)
            assert await one.read(triggers) == await other.read(triggers)
            assert await one.read(triggers)
            assert await one.read(differences) == []
            assert await one.read(revision) == HEAD
        finally:
            await one.close()
            await other.close()


def differences(connection: Connection) -> Any:
    return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": False}), metadata)


async def test_servers_that_start_at_once_migrate_once(database_kind: str, tmp_path: Path) -> None:
    with empty_database(database_kind, tmp_path) as url:
        await asyncio.gather(*(migrate(url) for _ in range(5)))
        await migrate(url)
        database = await Database.open(url)
        assert await database.read(revision) == HEAD
        await database.close()


async def test_a_database_of_a_newer_version_is_refused(database_url: str) -> None:
    database = await Database.open(database_url)
    await database.write(lambda connection: connection.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    await database.close()
    with pytest.raises(RuntimeError, match="does not know the database's schema 9999"):
        await migrate(database_url)


async def test_entries_of_an_older_schema_keep_their_order_and_stay_unchangeable(
    database_kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with empty_database(database_kind, tmp_path) as url:
        with monkeypatch.context() as patched:
            patched.setattr("evalrouter_server.store.migrations.run.HEAD", "0001")
            await migrate(url)
        database = await Database.open(url)

        def fill(connection: Connection) -> None:
            connection.execute(
                text(
                    "INSERT INTO workspaces (id, name, available_microusd, held_microusd, created_at)"
                    " VALUES ('ws', 'w', 0, 0, '2026-01-01 00:00:00')"
                )
            )
            for name in ("b", "c", "a"):
                connection.execute(
                    text(
                        "INSERT INTO ledger_entries (id, workspace_id, transaction_id, kind, account, amount_microusd,"
                        " posted_at) VALUES (:name, 'ws', 'tx', 'top_up', 'wallet', 7, '2026-01-01 00:00:00')"
                    ),
                    {"name": name},
                )

        await database.write(fill)
        await migrate(url)
        query = text("SELECT id, position, amount_microusd FROM ledger_entries ORDER BY position")
        assert await database.read(lambda connection: connection.execute(query).all()) == [
            ("a", 1, 7),
            ("b", 2, 7),
            ("c", 3, 7),
        ]
        with pytest.raises(DBAPIError, match="never changed or removed"):
            await database.write(lambda connection: connection.execute(text("DELETE FROM ledger_entries")))
        await database.close()


def test_the_newest_revision_is_the_one_that_is_named() -> None:
    assert scripts().get_heads() == [HEAD]


def test_urls_of_other_databases_are_refused() -> None:
    assert str(normalise_url("postgres://u@h/n")) == "postgresql+asyncpg://u@h/n"
    assert str(normalise_url("sqlite:///a.db")) == "sqlite:///a.db"
    with pytest.raises(ValueError, match="cannot use a 'mysql' database"):
        normalise_url("mysql://u@h/n")


@pytest.mark.parametrize("name", ["what?", "a #1 of 100%", "Maße und Höhen"])
def test_the_database_is_in_the_data_folder_whatever_the_folders_name(tmp_path: Path, name: str) -> None:
    url = Settings(data_dir=tmp_path / name).database_url

    async def open_and_close() -> None:
        await migrate(url)
        await (await Database.open(url)).close()

    asyncio.run(open_and_close())
    assert (tmp_path / name / "evalrouter.db").is_file()
    assert list(tmp_path.iterdir()) == [tmp_path / name]
