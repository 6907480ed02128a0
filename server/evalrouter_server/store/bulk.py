"""Many rows with one statement that stays the same, whatever their number.

SQLAlchemy makes each statement once for a database. SQLite is given the rows as tuples by its driver's `executemany`,
which spares what SQLAlchemy does anew for each row; PostgreSQL is given one array for each column.
"""

import json
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Dialect, Table, Text, TypeDecorator, bindparam, func, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.types import TypeEngine

type Row = tuple[Any, ...]


class Strings(TypeDecorator[Collection[str]]):
    """The strings of one parameter: an array on PostgreSQL, JSON on SQLite."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """What the database is given."""
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else ARRAY(Text))

    def process_bind_param(self, value: Collection[str] | None, dialect: Dialect) -> Any:
        """The strings as the database takes them."""
        return json.dumps(list(value or ())) if dialect.name == "sqlite" else list(value or ())


def among(dialect_name: str, column: ColumnElement[Any], parameter: str) -> ColumnElement[bool]:
    """Whether a column's value is one of the strings of a parameter.

    Args:
        dialect_name: `sqlite` or `postgresql`.
        column: The column.
        parameter: The name of the parameter.
    """
    strings = bindparam(parameter, type_=Strings())
    if dialect_name == "sqlite":
        return column.in_(select(func.json_each(strings).table_valued("value").c.value))
    return column == func.any(strings)


def insert_rows(connection: Connection, table: Table, names: tuple[str, ...], rows: Collection[Row]) -> None:
    """Insert rows of which only the named columns are given; the others are left to the database.

    Args:
        connection: Within a transaction.
        table: The table.
        names: The columns.
        rows: Their values, in that order.
    """
    if rows:
        _execute(connection, table, (), names, rows)


def update_rows(
    connection: Connection, table: Table, keys: tuple[str, ...], names: tuple[str, ...], rows: Collection[Row]
) -> None:
    """Set the named columns of rows, each found by its keys.

    Args:
        connection: Within a transaction.
        table: The table.
        keys: The columns that name a row.
        names: The columns to set.
        rows: For each row the values of what is set and then of the keys, in that order.
    """
    if rows:
        _execute(connection, table, keys, names, rows)


def _execute(
    connection: Connection, table: Table, keys: tuple[str, ...], names: tuple[str, ...], rows: Collection[Row]
) -> None:
    columns = list(zip(*rows, strict=True))
    if connection.dialect.name == "sqlite":
        sql, places, converters = _for_sqlite(table, keys, names)
        values = [
            columns[place] if convert is None else _converted(convert, columns[place])
            for place, convert in zip(places, converters, strict=True)
        ]
        connection.exec_driver_sql(sql, list(zip(*values, strict=True)))
    else:
        arrays = {f"given_{name}": column for name, column in zip((*names, *keys), columns, strict=True)}
        connection.execute(_for_arrays(table, keys, names), arrays)


def _converted(convert: Callable[[Any], Any], values: Row) -> list[Any]:
    """The values as the driver takes them; what comes again and again, such as a group's time, is converted once."""
    distinct = {id(value): value for value in values}
    converted = {key: convert(value) for key, value in distinct.items()}
    return [converted[id(value)] for value in values]


@cache
def _for_sqlite(
    table: Table, keys: tuple[str, ...], names: tuple[str, ...]
) -> tuple[str, list[int], list[Callable[[Any], Any] | None]]:
    """The statement, which of the given values each of its parameters is, and how that is converted."""
    dialect = sqlite.dialect()
    parameters: dict[str, ColumnElement[Any]] = {name: bindparam(f"given_{name}") for name in (*names, *keys)}
    values = {name: parameters[name] for name in names}
    same_row = (table.c[key] == parameters[key] for key in keys)
    statement: UpdateBase = table.update().where(*same_row).values(values) if keys else table.insert().values(values)
    compiled = statement.compile(dialect=dialect)
    order = [name.removeprefix("given_") for name in compiled.positiontup or ()]
    types = [table.c[name].type.dialect_impl(dialect) for name in order]
    return (
        str(compiled),
        [[*names, *keys].index(name) for name in order],
        [kind.bind_processor(dialect) for kind in types],
    )


@cache
def _for_arrays(table: Table, keys: tuple[str, ...], names: tuple[str, ...]) -> UpdateBase:
    arrays = [bindparam(f"given_{name}", type_=ARRAY(table.c[name].type, dimensions=1)) for name in (*names, *keys)]
    given = func.unnest(*arrays).table_valued(*names, *keys).render_derived()
    if not keys:
        return table.insert().from_select(names, select(*given.c), include_defaults=False)
    return table.update().where(*(table.c[key] == given.c[key] for key in keys)).values({n: given.c[n] for n in names})
