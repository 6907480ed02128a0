"""The ledger: wallet, holds, reservations and settlements, append-only and double-entry, in whole micro-USD."""

from evalrouter_server.ledger.bootstrap import ALLOWANCE, FirstStart, bootstrap
from evalrouter_server.ledger.holds import Holding, holdings, place_hold, release_hold
from evalrouter_server.ledger.items import (
    BeyondBound,
    Closed,
    Exhausted,
    Lose,
    MustWait,
    NewCall,
    Release,
    Replay,
    Reserve,
    Reserved,
    Settle,
    Stopped,
)
from evalrouter_server.ledger.recover import settle_orphans
from evalrouter_server.ledger.reservations import apply, close, reserve
from evalrouter_server.ledger.verify import Difference, Verification, verify
from evalrouter_server.ledger.wallet import Entry, Wallet, read_wallet, statement, top_up

__all__ = [
    "ALLOWANCE",
    "BeyondBound",
    "Closed",
    "Difference",
    "Entry",
    "Exhausted",
    "FirstStart",
    "Holding",
    "Lose",
    "MustWait",
    "NewCall",
    "Release",
    "Replay",
    "Reserve",
    "Reserved",
    "Settle",
    "Stopped",
    "Verification",
    "Wallet",
    "apply",
    "bootstrap",
    "close",
    "holdings",
    "place_hold",
    "read_wallet",
    "release_hold",
    "reserve",
    "settle_orphans",
    "statement",
    "top_up",
    "verify",
]
