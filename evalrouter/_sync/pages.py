# Generated from evalrouter/_async/pages.py by scripts/regen; do not edit.

"""A list that is read page by page while it is walked."""

from collections.abc import Callable, Iterator

from evalrouter._sync.transport import Transport
from evalrouter.concurrency import Listing
from evalrouter.convert.request import Request
from evalrouter.pages import Page, Position


class Pages[T, U](Listing[U]):
    """The items of all pages; iterate, or ask for the whole list.

    Args:
        transport: What reads pages.
        request: The request for the page at a position.
        wrap: From an item of a page to what is given out.
        limit: How many items are wanted in all; None for all.
    """

    def __init__(
        self,
        transport: Transport,
        request: Callable[[Position], Request[Page[T]]],
        wrap: Callable[[T], U],
        limit: int | None = None,
    ) -> None:
        self._transport = transport
        self._request = request
        self._wrap = wrap
        self._start = Position.start(limit)

    def __iter__(self) -> Iterator[U]:
        position: Position | None = self._start
        while position is not None:
            page = self._transport.send(self._request(position))
            for item in position.take(page):
                yield self._wrap(item)
            position = position.after(page)

    def list(self) -> list[U]:
        """All items, from the first page on.

        Raises:
            EvalRouterError: A page could not be read.
        """
        return [item for item in self]

    def first(self) -> U | None:
        """The first item, if there is one.

        Raises:
            EvalRouterError: The page could not be read.
        """
        for item in self:
            return item
        return None
