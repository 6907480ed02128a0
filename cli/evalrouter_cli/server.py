"""Commands of the server's own process, which takes this one's place."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

import typer

from evalrouter_cli.errors import CommandError
from evalrouter_cli.exit_codes import ExitCode

PASS_EVERYTHING_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""The settings of a command whose options are the server's."""


def become(arguments: Sequence[str]) -> NoReturn:
    """Run `python -m evalrouter_server` with these arguments in place of this process.

    Raises:
        CommandError: The server is not installed here.
    """
    if importlib.util.find_spec("evalrouter_server") is None:
        raise CommandError(
            "the server is not installed beside this command; from a checkout, install it with:"
            " python -m pip install ./server",
            ExitCode.ERROR,
            code="server_not_installed",
        )
    command = [sys.executable, "-m", "evalrouter_server", *arguments]
    if os.name == "posix":
        os.execv(command[0], command)  # noqa: S606
    raise typer.Exit(subprocess.call(command))  # noqa: S603
