"""Follows cursors to the end, and not in a circle."""

from collections.abc import Callable, Iterator
from typing import Any

from evalrouter.langsmith.errors import SourceError

MOST_PAGES = 100_000


def pages(what: str, fetch: Callable[[str | None], tuple[list[Any], str | None]]) -> Iterator[list[Any]]:
    """The pages of a list.

    Args:
        what: The list, for messages.
        fetch: Gets a page by its cursor, and the next cursor with it.

    Raises:
        SourceError: A cursor came again, which would be followed for ever.
    """
    seen: set[str] = set()
    cursor: str | None = None
    while True:
        rows, following = fetch(cursor)
        yield rows
        if not following:
            return
        if following in seen or len(seen) >= MOST_PAGES:
            raise SourceError(f"The pages of {what} go in a circle: LangSmith gave the same cursor again.")
        seen.add(following)
        cursor = following


def page_of(document: Any, rows_field: str, what: str) -> list[Any]:
    """The rows of a page.

    Raises:
        SourceError: The document is no page.
    """
    rows = document.get(rows_field) if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise SourceError(f"The answer to {what} is not a page: another program, or another version, answers there.")
    return rows


def cursor_of(value: Any) -> str | None:
    """The next cursor, or None at the end."""
    return value if isinstance(value, str) and value else None
