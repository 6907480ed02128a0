"""Rows as frozen dataclasses whose fields are named as the columns."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, Table, select
from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def select_rows(row_type: "type[DataclassInstance]", table: Table) -> Select[Any]:
    """A query of the columns that the row type has fields for, in their order."""
    return select(*(table.c[field.name] for field in fields(row_type)))


def fetch_all[R](connection: Connection, row_type: type[R], query: Select[Any]) -> list[R]:
    """All rows of a query made by `select_rows`."""
    return [row_type(*row) for row in connection.execute(query)]


def fetch_one[R](connection: Connection, row_type: type[R], query: Select[Any]) -> R | None:
    """The only row of a query made by `select_rows`, or None."""
    row = connection.execute(query).one_or_none()
    return None if row is None else row_type(*row)


def insert_unless_there(connection: Connection, table: Table, values: dict[str, Any]) -> bool:
    """Insert a row unless one with the same unique columns is there; waits for whoever is just inserting that.

    Returns:
        Whether it was inserted.
    """
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return connection.execute(insert(table).values(values).on_conflict_do_nothing()).rowcount == 1
