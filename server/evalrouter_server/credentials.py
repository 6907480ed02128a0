"""The owner's key: made at the first start; an embedded service keeps it in a file that only its user may read."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import Connection

from evalrouter_server.ledger.bootstrap import bootstrap
from evalrouter_server.services import Services
from evalrouter_server.store import keys

FILE_NAME = "credentials.json"


@dataclass(frozen=True, slots=True)
class Owner:
    """The first workspace's owner.

    Attributes:
        workspace_id: The workspace.
        secret: The API key.
    """

    workspace_id: str
    secret: str


async def first_owner(services: Services) -> Owner | None:
    """Make the first workspace and its owner key.

    Returns:
        The owner, whose secret is kept nowhere; None where the workspace was there already.
    """
    allowance = services.settings.starting_allowance_microusd
    first = await services.database.write(lambda conn: bootstrap(conn, allowance=allowance))
    return None if first.owner is None else Owner(first.workspace_id, first.owner.secret)


async def embedded_owner(services: Services) -> Owner:
    """The owner of an embedded service: from the data folder's file, else made now and kept there.

    Where the file was lost, the workspace stays and gets another key.
    """
    path = services.settings.data_dir / FILE_NAME
    kept = _read(path)
    if kept is not None:
        secret = kept.secret
        key = await services.database.read(lambda conn: keys.authenticate(conn, secret))
        if key is not None and key.workspace_id == kept.workspace_id:
            return kept
    allowance = services.settings.starting_allowance_microusd

    def make(conn: Connection) -> Owner:
        first = bootstrap(conn, allowance=allowance, traces_enabled=True)
        owner = first.owner or keys.create(conn, first.workspace_id, "owner", keys.SCOPES)
        return Owner(first.workspace_id, owner.secret)

    owner = await services.database.write(make)
    _keep(path, owner)
    return owner


def _read(path: Path) -> Owner | None:
    try:
        return Owner(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def _keep(path: Path, owner: Owner) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(owner), file)
    draft.replace(path)
