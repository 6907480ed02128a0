"""Pages of a list by keyset: a cursor names the last row of the page before, never a number of rows to skip."""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Column, Connection, Select

from evalrouter_server.problems import Problem


@dataclass(frozen=True, slots=True)
class Page[R]:
    """Some rows of a list.

    Attributes:
        items: The rows.
        next_cursor: Names the next page; None where there is none.
    """

    items: tuple[R, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a list: by what kind of value, and which way."""

    pattern: str
    is_number: bool
    descending: bool


BY_ID: Final = Order("[a-z]{1,10}_[0-9a-z]{26}", is_number=False, descending=False)
BY_ID_DESCENDING: Final = Order("[a-z]{1,10}_[0-9a-z]{26}", is_number=False, descending=True)
BY_UUID_DESCENDING: Final = Order("[0-9a-f-]{36}", is_number=False, descending=True)
BY_SPAN_ID: Final = Order("[0-9a-f]{16}", is_number=False, descending=False)
BY_POSITION: Final = Order("[0-9]{1,9}", is_number=True, descending=False)
BY_POSITION_DESCENDING: Final = Order("[0-9]{1,18}", is_number=True, descending=True)


def fetch_page[R](
    connection: Connection,
    row_type: type[R],
    query: Select[Any],
    column: Column[Any],
    order: Order,
    kind: str,
    *,
    cursor: str | None,
    limit: int,
) -> Page[R]:
    """Fetch a page.

    Args:
        connection: Any connection.
        row_type: What each row becomes; the query was made by `select_rows`.
        query: The whole list, without an order.
        column: A unique column to order by; the row type has a field of its name.
        order: How to order.
        kind: The list's name, so that another list's cursor is refused.
        cursor: The `next_cursor` of the page before; None for the first page.
        limit: The most rows, at least 1.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    if cursor is not None:
        after = decode_cursor(cursor, kind, order)
        query = query.where(column < after if order.descending else column > after)
    query = query.order_by(column.desc() if order.descending else column.asc()).limit(limit + 1)
    rows = [row_type(*row) for row in connection.execute(query)]
    items = tuple(rows[:limit])
    more = len(rows) > limit
    return Page(items, encode_cursor(kind, getattr(items[-1], column.name)) if more else None)


def encode_cursor(kind: str, value: object) -> str:
    """The cursor that goes on after a value."""
    return base64.urlsafe_b64encode(f"{kind}:{value}".encode()).decode().rstrip("=")


def decode_cursor(cursor: str, kind: str, order: Order) -> str | int:
    """The value that a cursor of this list goes on after.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    found = re.fullmatch(f"{re.escape(kind)}:({order.pattern})", text)
    if found is None:
        raise Problem(
            "invalid_request",
            f"cursor {cursor!r} is not one of this list: pass the next_cursor of a page of it, or none to start",
            field="cursor",
        )
    return int(found[1]) if order.is_number else found[1]
