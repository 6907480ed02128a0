"""What the routes have in common: authentication before anything else, the contract's parameters and answers."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Annotated, Any, cast

from fastapi import Depends, Query, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response

from evalrouter_server.auth import authenticate, authenticate_sender, check_traces_enabled
from evalrouter_server.contract import models as contract
from evalrouter_server.problems import Problem
from evalrouter_server.services import Services
from evalrouter_server.store.pages import BY_ID, Page, decode_cursor, encode_cursor


class AuthenticatedRoute(APIRoute):
    """A route that knows its caller before it reads the request's body, and has that before it checks a parameter."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler with authentication in front of it."""
        handle = super().get_route_handler()

        async def handle_authenticated(request: Request) -> Response:
            request.state.principal = await authenticate(request, services_of(request))
            await request.body()
            return await handle(request)

        return handle_authenticated


class SenderRoute(APIRoute):
    """A route for a trace connection's own key, which is checked before anything else."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler with authentication in front of it."""
        handle = super().get_route_handler()

        async def handle_authenticated(request: Request) -> Response:
            services = services_of(request)
            request.state.sender = await authenticate_sender(request, services)
            services.trace_rates.admit(request.state.sender.id)
            await request.body()
            return await handle(request)

        return handle_authenticated


class TracesRoute(AuthenticatedRoute):
    """A route that is only there while the workspace's Traces switch is on."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler with authentication and the switch in front of it."""
        handle = APIRoute.get_route_handler(self)

        async def handle_enabled(request: Request) -> Response:
            services = services_of(request)
            request.state.principal = await authenticate(request, services)
            await check_traces_enabled(services, request.state.principal.workspace_id)
            await request.body()
            return await handle(request)

        return handle_enabled


def services_of(request: Request) -> Services:
    """The services of the application that handles the request."""
    return cast(Services, request.app.state.services)


ServicesOf = Annotated[Services, Depends(services_of)]
Limit = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[contract.CursorValue | None, Query()]
Match = Annotated[contract.NameQuery | None, Query()]


def answer(document: BaseModel, status: int = 200) -> Response:
    """An answer with a document of the contract."""
    return Response(document.model_dump_json(), status, media_type="application/json")


def not_found(what: str, identifier: str) -> Problem:
    """The refusal of an ID that the caller's workspace does not have.

    Args:
        what: The resource in a word, such as `run`.
        identifier: The ID that was asked for.
    """
    return Problem("not_found", f"There is no {what} {identifier} in this workspace.", id=identifier)


def page_of[T](items: Sequence[T], kind: str, cursor: str | None, limit: int, identify: Callable[[T], str]) -> Page[T]:
    """Cut a page out of a list that is held in memory.

    Args:
        items: All items in order.
        kind: The list's name, so that another list's cursor is refused.
        cursor: The `next_cursor` of the page before; None for the first page.
        limit: The most items.
        identify: Gives an item's ID.

    Raises:
        Problem: `invalid_request`: the cursor is not one of this list's.
    """
    start = 0
    if cursor is not None:
        last = decode_cursor(cursor, kind, BY_ID)
        start = next((place + 1 for place, item in enumerate(items) if identify(item) == last), len(items))
    page = tuple(items[start : start + limit])
    more = start + limit < len(items)
    return Page(page, encode_cursor(kind, identify(page[-1])) if more else None)
