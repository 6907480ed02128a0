"""Documents of who one is and what there is to spend: wallet, ledger, keys, identity."""

from typing import TYPE_CHECKING

from evalrouter_cli.documents.values import Document, amount, time
from evalrouter_cli.formats import plain

if TYPE_CHECKING:
    from evalrouter import Identity, Key, LedgerEntry, Wallet, WalletVerification


def wallet(value: "Wallet") -> Document:
    """What the workspace has."""
    return {
        "balance_usd": plain(value.balance),
        "held_usd": plain(value.held),
        "available_usd": plain(value.available),
    }


def ledger_entry(value: "LedgerEntry") -> Document:
    """One entry of the statement."""
    return {
        "id": value.id,
        "posted_at": time(value.posted_at),
        "kind": value.kind,
        "account": value.account,
        "amount_usd": plain(value.amount),
        "run_id": value.run_id,
        "call_id": value.call_id,
        "note": value.note,
    }


def verification(value: "WalletVerification") -> Document:
    """What adding up the ledger anew came to."""
    return {
        "ok": value.ok,
        "entries": value.entries,
        "calls": value.calls,
        "runs": value.runs,
        "differences": [
            {
                "what": difference.what,
                "reference": difference.reference,
                "expected_usd": plain(difference.expected),
                "found_usd": plain(difference.found),
            }
            for difference in value.differences
        ],
    }


def key(value: "Key") -> Document:
    """An API key, without its secret."""
    return {
        "id": value.id,
        "name": value.name,
        "prefix": value.prefix,
        "scopes": list(value.scopes),
        "ceiling_usd": amount(value.ceiling),
        "committed_usd": plain(value.committed),
        "remaining_usd": amount(value.remaining),
        "created_at": time(value.created_at),
        "revoked_at": time(value.revoked_at),
    }


def identity(value: "Identity") -> Document:
    """Whom the server takes the caller for."""
    return {
        "workspace_id": value.workspace_id,
        "workspace_name": value.workspace_name,
        "key_id": value.key_id,
        "key_name": value.key_name,
        "scopes": list(value.scopes),
        "server_version": value.server_version,
        "embedded": value.embedded,
    }
