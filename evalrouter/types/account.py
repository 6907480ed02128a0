"""The workspace: identity, wallet and API keys."""

from datetime import datetime
from decimal import Decimal

from attrs import field, frozen


@frozen
class Identity:
    """Whom the server takes the caller for.

    Attributes:
        workspace_id: The key's workspace.
        workspace_name: Its name.
        key_id: The key.
        key_name: Its name.
        scopes: What it may do.
        server_version: The server's version.
        embedded: Whether the server lives inside a user's process and pauses with it.
    """

    workspace_id: str
    workspace_name: str
    key_id: str
    key_name: str
    scopes: tuple[str, ...]
    server_version: str
    embedded: bool


@frozen
class Wallet:
    """The workspace's money in USD.

    Attributes:
        balance: What is left of all that was put in.
        held: Held for runs that have not ended.
        available: Balance less holds.
    """

    balance: Decimal
    held: Decimal
    available: Decimal


@frozen
class LedgerEntry:
    """One posting of the double-entry ledger.

    Attributes:
        id: Exact ID.
        posted_at: When.
        kind: `top_up`, `hold`, `charge` or `release`.
        account: The account that it changes.
        amount: USD, signed.
        run_id: The run that it is about, if any.
        call_id: The call that it is about, if any.
        note: A note, if any.
    """

    id: str
    posted_at: datetime
    kind: str
    account: str
    amount: Decimal
    run_id: str | None
    call_id: str | None
    note: str | None


@frozen
class LedgerDifference:
    """A counter that the entries do not explain.

    Attributes:
        what: Which counter.
        reference: Of what.
        expected: USD by the entries.
        found: USD in the counter.
    """

    what: str
    reference: str
    expected: Decimal
    found: Decimal


@frozen
class WalletVerification:
    """What re-adding the ledger found.

    Attributes:
        ok: Whether nothing differs.
        entries: Entries that were added up.
        calls: Calls that were checked.
        runs: Runs that were checked.
        differences: What differs.
    """

    ok: bool
    entries: int
    calls: int
    runs: int
    differences: tuple[LedgerDifference, ...]


@frozen
class Key:
    """An API key, without its secret.

    Attributes:
        id: Exact ID.
        name: Name.
        prefix: The first characters of the secret.
        scopes: `read`, `run`, `admin`.
        ceiling: The most that everything it starts may charge, in USD; None where there is no ceiling.
        committed: Charged and held for what it started, in USD.
        remaining: What is left under the ceiling, in USD.
        created_at: When it was made.
        revoked_at: When it was revoked, if it was.
    """

    id: str
    name: str
    prefix: str
    scopes: tuple[str, ...]
    ceiling: Decimal | None
    committed: Decimal
    remaining: Decimal | None
    created_at: datetime
    revoked_at: datetime | None


@frozen
class CreatedKey:
    """A new API key with its secret, which is shown once.

    Attributes:
        key: The key.
        secret: The API key itself.
    """

    key: Key
    secret: str = field(repr=False)
