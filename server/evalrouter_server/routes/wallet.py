"""The workspace's money."""

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from evalrouter_server.auth import Admin, Reader
from evalrouter_server.contract import models as contract
from evalrouter_server.ledger import wallet as ledger
from evalrouter_server.ledger.verify import verify
from evalrouter_server.routes.route import AuthenticatedRoute, Cursor, Limit, ServicesOf, answer
from evalrouter_server.routes.writes import Outcome, WriteOf

router = APIRouter(prefix="/v1/wallet", route_class=AuthenticatedRoute)


@router.get("")
async def get_wallet(principal: Reader, services: ServicesOf) -> Response:
    """Read the balance, the holds and what is available."""
    wallet = await services.database.read(lambda conn: ledger.read_wallet(conn, principal.workspace_id))
    return answer(wallet_document(wallet))


@router.post("/top-ups")
async def top_up_wallet(principal: Admin, write: WriteOf, request: contract.TopUp) -> Response:
    """Add to the allowance."""

    def top_up(conn: Connection) -> Outcome:
        wallet = ledger.top_up(conn, principal.workspace_id, request.amount_microusd, request.note)
        return Outcome(201, wallet_document(wallet))

    return await write.once(top_up)


@router.get("/entries")
async def list_wallet_entries(
    principal: Reader, services: ServicesOf, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """List the ledger's entries, newest first."""
    page = await services.database.read(
        lambda conn: ledger.statement(conn, principal.workspace_id, cursor=cursor, limit=limit)
    )
    return answer(
        contract.LedgerEntryPage(items=[entry_document(entry) for entry in page.items], next_cursor=page.next_cursor)
    )


@router.get("/verification")
async def verify_wallet(principal: Reader, services: ServicesOf) -> Response:
    """Derive every counter anew and report each difference."""
    found = await services.database.read(lambda conn: verify(conn, principal.workspace_id))
    return answer(
        contract.WalletVerification(
            ok=found.ok,
            entries=found.entries,
            calls=found.calls,
            runs=found.runs,
            differences=[
                contract.LedgerDifference(
                    what=difference.what,
                    reference=difference.reference,
                    expected_microusd=difference.expected_microusd,
                    found_microusd=difference.found_microusd,
                )
                for difference in found.differences
            ],
        )
    )


def wallet_document(wallet: ledger.Wallet) -> contract.Wallet:
    """The contract's `Wallet`."""
    return contract.Wallet(
        balance_microusd=wallet.balance_microusd,
        held_microusd=wallet.held_microusd,
        available_microusd=wallet.available_microusd,
    )


def entry_document(entry: ledger.Entry) -> contract.LedgerEntry:
    """The contract's `LedgerEntry`."""
    return contract.LedgerEntry(
        id=entry.id,
        posted_at=entry.posted_at,
        kind=entry.kind,
        account=entry.account,
        amount_microusd=entry.amount_microusd,
        run_id=entry.run_id,
        call_id=entry.call_id,
        note=entry.note,
    )
