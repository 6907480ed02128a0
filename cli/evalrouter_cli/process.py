"""Commands of another module: its process takes this one's place, so that signals and exit codes are its own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

import typer

PASS_EVERYTHING_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""The settings of a command whose options are the other module's."""


def become(module: str, arguments: Sequence[str]) -> NoReturn:
    """Run `python -m MODULE` with these arguments in place of this process."""
    command = [sys.executable, "-m", module, *arguments]
    if os.name == "posix":
        os.execv(command[0], command)  # noqa: S606
    raise typer.Exit(subprocess.call(command))  # noqa: S603
