"""Lets time pass for the leases of a server's data folder."""

import sqlite3
from contextlib import closing
from pathlib import Path


def let_leases_run_out(data_dir: Path) -> None:
    """Puts the end of every lease that is held into the past, as if it had not been renewed for long.

    Args:
        data_dir: The folder of an embedded server, running or not.
    """
    with closing(sqlite3.connect(data_dir / "evalrouter.db", timeout=30)) as database, database:
        database.execute("UPDATE leases SET expires_at = created_at WHERE status IN ('open', 'submitted')")
