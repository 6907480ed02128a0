"""A list that is read page by page while it is walked."""

from collections.abc import AsyncIterator, Callable

from evalrouter._async.transport import AsyncTransport
from evalrouter.concurrency import AsyncListing
from evalrouter.convert.request import Request
from evalrouter.pages import Page, Position


class AsyncPages[T, U](AsyncListing[U]):
    """The items of all pages; iterate, or ask for the whole list.

    Args:
        transport: What reads pages.
        request: The request for the page at a position.
        wrap: From an item of a page to what is given out.
        limit: How many items are wanted in all; None for all.
    """

    def __init__(
        self,
        transport: AsyncTransport,
        request: Callable[[Position], Request[Page[T]]],
        wrap: Callable[[T], U],
        limit: int | None = None,
    ) -> None:
        self._transport = transport
        self._request = request
        self._wrap = wrap
        self._start = Position.start(limit)

    async def __aiter__(self) -> AsyncIterator[U]:
        position: Position | None = self._start
        while position is not None:
            page = await self._transport.send(self._request(position))
            for item in position.take(page):
                yield self._wrap(item)
            position = position.after(page)

    async def list(self) -> list[U]:
        """All items, from the first page on.

        Raises:
            EvalRouterError: A page could not be read.
        """
        return [item async for item in self]

    async def first(self) -> U | None:
        """The first item, if there is one.

        Raises:
            EvalRouterError: The page could not be read.
        """
        async for item in self:
            return item
        return None
