"""The product as a caller sees it, a workspace at a time: its HTTP interface, and its books as the tables have them."""

import asyncio
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.bootstrap import make_workspace
from evalrouter_server.store import keys
from evalrouter_server.store.database import Database
from sqlalchemy import Connection

from tests.e2e.provider import INPUT_USD_PER_MTOK, MODEL, OUTPUT_USD_PER_MTOK
from tests.proof.books import Books
from tests.proof.forked import PATIENCE_SECONDS, Forked, start


class Product:
    """A server on a database, which dies and starts again, and a look at its tables. Use it as a context manager.

    Args:
        database_url: A migrated database.
        data_dir: The server's data folder.

    Attributes:
        starts: How often a server was started.
    """

    def __init__(self, database_url: str, data_dir: Path) -> None:
        self._url = database_url
        self._data_dir = data_dir
        self._server: Forked
        self.http = httpx.Client(timeout=PATIENCE_SECONDS, trust_env=False)
        self.starts = 0

    def __enter__(self) -> Self:
        self._runner = asyncio.Runner()
        self._database = self._runner.run(Database.open(self._url))
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.kill()
        self._runner.run(self._database.close())
        self._runner.close()
        self.http.close()

    def crash(self) -> None:
        """Kill the server and start another on the same database."""
        self._server.kill()
        self._start()

    def restart(self) -> None:
        """Stop the server in good order and start another on the same database."""
        self._server.stop()
        self._start()

    def kill(self) -> None:
        """Kill the server; `crash` starts another."""
        self._server.kill()

    def _start(self) -> None:
        self._server = start(self._url, self._data_dir, hurried=True)
        self.starts += 1

    def workspace(self, allowance: int) -> tuple[str, str]:
        """A new workspace with this allowance in micro-USD: its ID and its owner's key."""
        return self._runner.run(open_workspace(self._database, allowance))

    def books(self, workspace_id: str) -> Books:
        """A workspace's books at this moment."""
        return self._runner.run(self._database.read(lambda connection: Books.read(connection, workspace_id)))

    def request(self, method: str, path: str, secret: str, body: Any = None, **headers: str) -> httpx.Response:
        """Ask the server, in the name of a key; headers' names have `_` for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.request(
            method, self._server.base_url + path, json=body, headers={"Authorization": f"Bearer {secret}", **named}
        )


async def open_workspace(database: Database, allowance: int) -> tuple[str, str]:
    """A new workspace with this allowance in micro-USD: its ID and its owner's key."""

    def make(connection: Connection) -> tuple[str, str]:
        workspace_id = new_id("ws")
        make_workspace(connection, workspace_id, "proof", allowance)
        return workspace_id, keys.create(connection, workspace_id, "owner", keys.SCOPES).secret

    return await database.write(make)


def connection_of(base_url: str) -> dict[str, Any]:
    """What connects a provider's double at the prices that the books are checked by."""
    return {
        "name": "double",
        "kind": "model",
        "base_url": base_url,
        "upstream_model": MODEL,
        "pricing": {
            "type": "per_token",
            "input_usd_per_mtok": str(INPUT_USD_PER_MTOK),
            "output_usd_per_mtok": str(OUTPUT_USD_PER_MTOK),
        },
    }
