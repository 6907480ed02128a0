"""Commands of the server's own process, which takes this one's place."""

import importlib.util
from collections.abc import Sequence
from typing import NoReturn

from evalrouter_cli import process
from evalrouter_cli.errors import CommandError
from evalrouter_cli.exit_codes import ExitCode


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
    process.become("evalrouter_server", arguments)
