"""`evalrouter serve`: run the server for others, in a process that takes this one's place."""

from typing import NoReturn

import typer

from evalrouter_cli import process, server


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(context_settings=process.PASS_EVERYTHING_ON, add_help_option=False)(serve)


def serve(context: typer.Context) -> NoReturn:
    """Run the server for others."""
    server.become(["serve", *context.args])
