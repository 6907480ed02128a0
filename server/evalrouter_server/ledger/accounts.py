"""Double entry: what is posted, to which accounts, and why.

| account | what its balance says |
| --- | --- |
| `funding` | what was put in, negated |
| `wallet` | what is available |
| `hold:RUN` | what is held for a run and not yet spent |
| `spend:RUN` | what a run's calls were charged |
| `key:KEY` | what a key has committed: charges and holds of what it started |
| `committed` | what all keys have committed, negated |

A top-up moves funding to the wallet, a hold the wallet to `hold:RUN`, a charge `hold:RUN` to `spend:RUN`, a release
what is left of `hold:RUN` to the wallet. Holds and releases move the key's pair by the same amount. Entries are never
changed or removed; the database refuses it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection

from evalrouter_server.ids import new_id
from evalrouter_server.store.bulk import Row, insert_rows
from evalrouter_server.store.tables import ledger_entries

FUNDING = "funding"
WALLET = "wallet"
COMMITTED = "committed"

type Kind = Literal["top_up", "hold", "charge", "release"]


def hold_account(run_id: str) -> str:
    """Where a run's held money is."""
    return f"hold:{run_id}"


def spend_account(run_id: str) -> str:
    """Where a run's charges are."""
    return f"spend:{run_id}"


def key_account(key_id: str) -> str:
    """Where a key's commitments are."""
    return f"key:{key_id}"


@dataclass(frozen=True, slots=True)
class Transaction:
    """Movements that are posted together, and what caused them: a top-up, a run's hold, or one try of a call.

    Attributes:
        workspace_id: Whose ledger it is.
        kind: What happened.
        movements: Account and micro-USD; they add up to zero.
        at: When.
    """

    workspace_id: str
    kind: Kind
    movements: tuple[tuple[str, int], ...]
    at: datetime
    run_id: str | None = None
    call_id: str | None = None
    try_number: int | None = None
    top_up_id: str | None = None
    key_id: str | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        if total := sum(amount for _, amount in self.movements):
            raise ValueError(f"a {self.kind} does not balance: its movements add up to {total} micro-USD")

    def entries(self) -> list[Row]:
        """The rows to insert; a movement of nothing is none."""
        transaction_id = new_id("tx")
        return [
            (
                new_id("entry"),
                self.workspace_id,
                transaction_id,
                self.kind,
                account,
                amount,
                self.run_id,
                self.call_id,
                self.try_number,
                self.top_up_id,
                self.key_id,
                self.note,
                self.at,
            )
            for account, amount in self.movements
            if amount
        ]


_ENTRY = (
    "id",
    "workspace_id",
    "transaction_id",
    "kind",
    "account",
    "amount_microusd",
    "run_id",
    "call_id",
    "try_number",
    "top_up_id",
    "key_id",
    "note",
    "posted_at",
)


def post(connection: Connection, transactions: Iterable[Transaction]) -> None:
    """Append the transactions' entries; the caller changes the counters that they stand for in the same transaction."""
    rows = [entry for transaction in transactions for entry in transaction.entries()]
    insert_rows(connection, ledger_entries, _ENTRY, rows)
