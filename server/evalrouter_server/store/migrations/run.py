"""Alembic on a connection that is already in a transaction."""

from collections.abc import Callable
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
            raise _unknown(", ".join(current)) from error

    _run(connection, directory, revisions)


def downgrade(connection: Connection, target: str) -> None:
    """Take back the revisions after a target. What only they hold is dropped with them.

    Args:
        connection: In a transaction, which the caller commits.
        target: The revision to go back to, such as `0006`.

    Raises:
        RuntimeError: The database is of a newer version, or is not past the target.
        ValueError: There is no such revision, or one after it rewrote a table and cannot be taken back.
    """
    directory = scripts()
    found = MigrationContext.configure(connection).get_current_revision()
    known = [script.revision for script in directory.walk_revisions()]
    if target not in known:
        raise ValueError(f"there is no schema {target}: name one of {', '.join(sorted(known))}")
    if found not in known:
        raise _unknown(str(found))
    later = known[: known.index(target)]
    if found not in later:
        raise RuntimeError(f"the database has the schema {found}, which is not newer than {target}")
    for revision in later[later.index(found) :]:
        if not hasattr(directory.get_revision(revision).module, "downgrade"):
            raise ValueError(f"the schema {revision} rewrote a table and cannot be taken back: restore a backup")
    _run(connection, directory, lambda current, _context: directory._downgrade_revs(target, current))


def _unknown(found: str) -> RuntimeError:
    return RuntimeError(
        f"this version does not know the database's schema {found}: install the newer version that made it"
    )


def _run(connection: Connection, directory: ScriptDirectory, revisions: Callable[[Any, MigrationContext], Any]) -> None:
    from alembic.config import Config

    with EnvironmentContext(Config(), directory, fn=revisions) as environment:
        environment.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
        environment.run_migrations()
