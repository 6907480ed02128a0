"""Identity, wallet and API keys."""

from collections.abc import Sequence
from decimal import Decimal

from evalrouter_api import models as wire
from evalrouter_api.api.keys import create_key, get_key, list_keys, revoke_key, update_key
from evalrouter_api.api.service import get_identity
from evalrouter_api.api.wallet import get_wallet, list_wallet_entries, top_up_wallet, verify_wallet
from evalrouter_api.types import UNSET

from evalrouter import types
from evalrouter.convert.quotes import optional_usd
from evalrouter.convert.request import Request, nothing
from evalrouter.money import from_microusd, to_microusd
from evalrouter.pages import Page, Position


def whoami() -> Request[types.Identity]:
    """Whom the server takes the caller for."""
    return Request(get_identity.get_kwargs(), get_identity.parse_response, _identity)


def read_wallet() -> Request[types.Wallet]:
    """The wallet."""
    return Request(get_wallet.get_kwargs(), get_wallet.parse_response, _wallet)


def top_up(amount: Decimal, note: str | None) -> Request[types.Wallet]:
    """An addition of USD to the wallet."""
    body = wire.TopUp(amount_microusd=to_microusd(amount), note=UNSET if note is None else note)
    return Request(top_up_wallet.get_kwargs(body=body), top_up_wallet.parse_response, _wallet)


def entries_page(position: Position) -> Request[Page[types.LedgerEntry]]:
    """A page of the ledger, newest first."""
    arguments = list_wallet_entries.get_kwargs(cursor=position.cursor or UNSET, limit=position.page_size)
    return Request(arguments, list_wallet_entries.parse_response, _entries)


def verify() -> Request[types.WalletVerification]:
    """The ledger, re-added."""
    return Request(verify_wallet.get_kwargs(), verify_wallet.parse_response, _verification)


def new_key(name: str, scopes: Sequence[str] | None, ceiling: Decimal | None) -> Request[types.CreatedKey]:
    """A new API key."""
    body = wire.KeyCreate(
        name=name,
        scopes=UNSET if scopes is None else [wire.ScopeValue(scope) for scope in scopes],
        ceiling_microusd=UNSET if ceiling is None else to_microusd(ceiling),
    )
    return Request(create_key.get_kwargs(body=body), create_key.parse_response, _created_key)


def keys_page(position: Position) -> Request[Page[types.Key]]:
    """A page of API keys, newest first."""
    arguments = list_keys.get_kwargs(cursor=position.cursor or UNSET, limit=position.page_size)
    return Request(arguments, list_keys.parse_response, _keys)


def read_key(key_id: str) -> Request[types.Key]:
    """One API key by its exact ID."""
    return Request(get_key.get_kwargs(key_id), get_key.parse_response, key)


def change_ceiling(key_id: str, ceiling: Decimal | None) -> Request[types.Key]:
    """Another spend ceiling for a key; None lifts it."""
    body = wire.KeyUpdate(ceiling_microusd=None if ceiling is None else to_microusd(ceiling))
    return Request(update_key.get_kwargs(key_id, body=body), update_key.parse_response, key)


def revoke(key_id: str) -> Request[None]:
    """The end of a key."""
    return Request(revoke_key.get_kwargs(key_id), revoke_key.parse_response, nothing)


def key(found: wire.Key) -> types.Key:
    """An API key."""
    return types.Key(
        id=found.id,
        name=found.name,
        prefix=found.prefix,
        scopes=tuple(found.scopes),
        ceiling=optional_usd(found.ceiling_microusd),
        committed=from_microusd(found.committed_microusd),
        remaining=optional_usd(found.remaining_microusd),
        created_at=found.created_at,
        revoked_at=found.revoked_at,
    )


def _identity(found: wire.Identity) -> types.Identity:
    return types.Identity(
        workspace_id=found.workspace_id,
        workspace_name=found.workspace_name,
        key_id=found.key_id,
        key_name=found.key_name,
        scopes=tuple(found.scopes),
        server_version=found.server_version,
        embedded=found.embedded,
    )


def _wallet(found: wire.Wallet) -> types.Wallet:
    return types.Wallet(
        balance=from_microusd(found.balance_microusd),
        held=from_microusd(found.held_microusd),
        available=from_microusd(found.available_microusd),
    )


def _entry(found: wire.LedgerEntry) -> types.LedgerEntry:
    return types.LedgerEntry(
        id=found.id,
        posted_at=found.posted_at,
        kind=found.kind,
        account=found.account,
        amount=from_microusd(found.amount_microusd),
        run_id=found.run_id,
        call_id=found.call_id,
        note=found.note,
    )


def _verification(found: wire.WalletVerification) -> types.WalletVerification:
    return types.WalletVerification(
        ok=found.ok,
        entries=found.entries,
        calls=found.calls,
        runs=found.runs,
        differences=tuple(
            types.LedgerDifference(
                what=each.what,
                reference=each.reference,
                expected=from_microusd(each.expected_microusd),
                found=from_microusd(each.found_microusd),
            )
            for each in found.differences
        ),
    )


def _created_key(found: wire.KeyCreated) -> types.CreatedKey:
    return types.CreatedKey(key=key(found.key), secret=found.secret)


def _entries(page: wire.LedgerEntryPage) -> Page[types.LedgerEntry]:
    return Page([_entry(item) for item in page.items], page.next_cursor)


def _keys(page: wire.KeyPage) -> Page[types.Key]:
    return Page([key(item) for item in page.items], page.next_cursor)
