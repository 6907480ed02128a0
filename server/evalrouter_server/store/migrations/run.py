"""Alembic on a connection that is already in a transaction."""

from pathlib import Path
from typing import Any

from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from evalrouter_server.store.migrations import HEAD
from evalrouter_server.store.tables import metadata


def scripts() -> ScriptDirectory:
    """The revisions that this package has."""
    folder = Path(__file__).parent
    return ScriptDirectory(str(folder), version_locations=[str(folder / "versions")])


def upgrade(connection: Connection) -> None:
    """Run the revisions that the database lacks.

    Raises:
        RuntimeError: A newer version of this package has made the database.
    """
    directory = scripts()

    def revisions(current: Any, _context: MigrationContext) -> Any:
        try:
            return directory._upgrade_revs(HEAD, current)
        except CommandError as error:
            found = ", ".join(current)
            raise RuntimeError(
                f"this version does not know the database's schema {found}: install the newer version that made it"
            ) from error

    from alembic.config import Config

    with EnvironmentContext(Config(), directory, fn=revisions) as environment:
        environment.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
        environment.run_migrations()
