"""The workspace's wallet and API keys."""

from collections.abc import Sequence

from evalrouter._async.pages import AsyncPages
from evalrouter._async.transport import AsyncTransport
from evalrouter.convert import account as requests
from evalrouter.errors import InvalidArgumentError
from evalrouter.money import Usd, parse_usd
from evalrouter.names import checked_id
from evalrouter.types import CreatedKey, Key, LedgerEntry, Wallet, WalletVerification

SCOPES = ("read", "run", "admin")


class AsyncLedger:
    """The workspace's money, as a double-entry ledger."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self) -> Wallet:
        """Reads balance, holds and what is available.

        Raises:
            EvalRouterError: It could not be read.
        """
        return await self._transport.send(requests.read_wallet())

    async def top_up(self, amount: Usd, note: str | None = None) -> Wallet:
        """Adds to the wallet's allowance.

        Args:
            amount: USD.
            note: A note for the ledger.

        Returns:
            The wallet afterwards.

        Raises:
            InvalidArgumentError: The amount is not valid.
            PermissionDeniedError: The key lacks the scope `admin`.
        """
        return await self._transport.send(requests.top_up(parse_usd(amount, "amount"), note))

    def entries(self, limit: int | None = None) -> AsyncPages[LedgerEntry, LedgerEntry]:
        """The ledger's entries, newest first.

        Args:
            limit: How many in all; None for all.
        """
        return AsyncPages(self._transport, requests.entries_page, lambda entry: entry, limit)

    async def verify(self) -> WalletVerification:
        """Has the server derive every counter from the entries and the calls anew.

        Raises:
            EvalRouterError: It could not be done.
        """
        return await self._transport.send(requests.verify())


class AsyncKeys:
    """API keys and their spend ceilings."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, name: str, *, scopes: Sequence[str] | None = None, ceiling: Usd | None = None) -> CreatedKey:
        """Makes an API key; its secret is shown this once.

        Args:
            name: A name for it.
            scopes: `read` sees, `run` spends, `admin` manages connections, keys and the wallet; None for read and run.
            ceiling: The most that everything it starts may charge, in USD; None for no ceiling.

        Raises:
            InvalidArgumentError: A scope or the ceiling is not valid.
            PermissionDeniedError: The key of this client lacks the scope `admin`.
        """
        if scopes is not None and (isinstance(scopes, str) or not scopes or not set(scopes) <= set(SCOPES)):
            raise InvalidArgumentError(f"scopes={scopes!r} is not valid: pass a list of {', '.join(SCOPES)}.")
        limit = None if ceiling is None else parse_usd(ceiling, "ceiling")
        return await self._transport.send(requests.new_key(name, scopes, limit))

    async def get(self, key_id: str) -> Key:
        """Reads a key, without its secret.

        Args:
            key_id: Its exact ID.

        Raises:
            InvalidArgumentError: It is no ID.
            NotFoundError: There is none.
        """
        return await self._transport.send(requests.read_key(checked_id(key_id, "key")))

    def list(self, limit: int | None = None) -> AsyncPages[Key, Key]:
        """All keys, newest first.

        Args:
            limit: How many in all; None for all.
        """
        return AsyncPages(self._transport, requests.keys_page, lambda key: key, limit)

    async def update(self, key_id: str, *, ceiling: Usd | None) -> Key:
        """Changes a key's spend ceiling.

        Args:
            key_id: Its exact ID.
            ceiling: The most that everything it starts may charge, in USD; None lifts the ceiling.

        Raises:
            InvalidArgumentError: The ID or the ceiling is not valid.
            NotFoundError: There is no such key.
            ConflictError: The ceiling is below what the key has already committed.
        """
        limit = None if ceiling is None else parse_usd(ceiling, "ceiling")
        return await self._transport.send(requests.change_ceiling(checked_id(key_id, "key"), limit))

    async def revoke(self, key_id: str) -> None:
        """Ends a key; runs that it started go on.

        Args:
            key_id: Its exact ID.

        Raises:
            InvalidArgumentError: It is no ID.
            NotFoundError: There is none.
            ConflictError: It is the last key that may manage keys.
        """
        await self._transport.send(requests.revoke(checked_id(key_id, "key")))
