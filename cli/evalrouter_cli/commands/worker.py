"""`evalrouter worker`: work on the runs of a server, in a process that takes this one's place."""

from typing import NoReturn

import typer

from evalrouter_cli import process, server


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(context_settings=process.PASS_EVERYTHING_ON, add_help_option=False)(worker)


def worker(context: typer.Context) -> NoReturn:
    """Work on the runs of a server with a PostgreSQL database."""
    server.become(["worker", *context.args])
