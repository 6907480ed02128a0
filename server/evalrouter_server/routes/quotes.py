"""Quotes: what a run would cost at most."""

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from evalrouter_server.auth import Reader, Runner
from evalrouter_server.contract import models as contract
from evalrouter_server.documents import quote_document
from evalrouter_server.routes.route import AuthenticatedRoute, ServicesOf, answer, not_found
from evalrouter_server.routes.writes import Outcome, WriteOf
from evalrouter_server.run_creation import prepare_quote
from evalrouter_server.store import quotes

router = APIRouter(prefix="/v1/quotes", route_class=AuthenticatedRoute)


@router.post("")
async def create_quote(principal: Runner, services: ServicesOf, write: WriteOf, spec: contract.RunSpec) -> Response:
    """Freeze a plan and its maximum charge; start nothing."""
    replayed = await write.replayed()
    if replayed is not None:
        return replayed
    store = await prepare_quote(services, principal, spec)

    def create(conn: Connection) -> Outcome:
        return Outcome(201, quote_document(store(conn)))

    return await write.once(create)


@router.get("/{quote_id}")
async def get_quote(principal: Reader, services: ServicesOf, quote_id: contract.QuoteIdValue) -> Response:
    """Read a quote."""
    quote = await services.database.read(lambda conn: quotes.get(conn, principal.workspace_id, quote_id))
    if quote is None:
        raise not_found("quote", quote_id)
    return answer(quote_document(quote))
