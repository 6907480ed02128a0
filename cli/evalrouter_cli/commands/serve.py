"""`evalrouter serve`: run the server for others, in a process that takes this one's place."""

import importlib.util
import os
import subprocess
import sys
from typing import NoReturn

import typer

from evalrouter_cli.errors import CommandError
from evalrouter_cli.exit_codes import ExitCode

PASS_EVERYTHING_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(context_settings=PASS_EVERYTHING_ON, add_help_option=False)(serve)


def serve(context: typer.Context) -> NoReturn:
    """Run the server for others."""
    if importlib.util.find_spec("evalrouter_server") is None:
        raise CommandError(
            "the server is not installed beside this command; from a checkout, install it with:"
            " python -m pip install ./server",
            ExitCode.ERROR,
            code="server_not_installed",
        )
    command = [sys.executable, "-m", "evalrouter_server", "serve", *context.args]
    if os.name == "posix":
        os.execv(command[0], command)  # noqa: S606
    raise typer.Exit(subprocess.call(command))  # noqa: S603
