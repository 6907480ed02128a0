"""Pages of a list: what a page is and when another one is needed."""

from collections.abc import Sequence

from attrs import frozen

from evalrouter.errors import InvalidArgumentError, ServerAnswerError

LARGEST_PAGE = 200
"""Items that the server puts on a page at most."""


@frozen
class Page[T]:
    """One page of a list.

    Attributes:
        items: Its items.
        next_cursor: What names the next page; None on the last.
        suggestions: The nearest names, where a look-up by name found nothing.
    """

    items: Sequence[T]
    next_cursor: str | None
    suggestions: tuple[str, ...] = ()


@frozen
class Position:
    """How far the reading of a list has come.

    Attributes:
        cursor: The page to read next; None for the first.
        remaining: Items that are still wanted; None for all.
    """

    cursor: str | None = None
    remaining: int | None = None

    @classmethod
    def start(cls, limit: int | None) -> "Position":
        """The position before the first page.

        Args:
            limit: How many items are wanted in all; None for all.

        Raises:
            InvalidArgumentError: The limit is not a whole number of at least 1.
        """
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
            raise InvalidArgumentError(f"limit={limit!r} is not valid: pass how many items you want, or None for all.")
        return cls(None, limit)

    @property
    def page_size(self) -> int:
        """How many items to ask for."""
        return LARGEST_PAGE if self.remaining is None else min(self.remaining, LARGEST_PAGE)

    def take[T](self, page: Page[T]) -> Sequence[T]:
        """The page's items that are wanted."""
        return page.items if self.remaining is None else page.items[: self.remaining]

    def after[T](self, page: Page[T]) -> "Position | None":
        """The position after a page; None where nothing more is wanted or there.

        Raises:
            ServerAnswerError: The server names the page that it has just sent, which would go on for ever.
        """
        remaining = None if self.remaining is None else self.remaining - len(page.items)
        if page.next_cursor is None or (remaining is not None and remaining <= 0):
            return None
        if page.next_cursor == self.cursor:
            raise ServerAnswerError("The server's list does not end: it names the same page twice.")
        return Position(page.next_cursor, remaining)
