"""Running an installer: in its own process group, with a time limit, and an error that says what it said."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from evalrouter.errors import EvalRouterError

SECONDS_TO_INSTALL = 1800.0
"""The most that one installer may take."""

_LINES_SHOWN = 12


class AgentInstallError(EvalRouterError):
    """An agent could not be installed; the message says why and what to do."""


def run_tool(argv: Sequence[str], folder: Path, what: str, seconds: float = SECONDS_TO_INSTALL) -> str:
    """Runs a command to its end; nothing that it started in its process group outlives it.

    Args:
        argv: The command.
        folder: Where it runs.
        what: What it does, for the error.
        seconds: The most time.

    Returns:
        What it wrote to standard output.

    Raises:
        AgentInstallError: It failed, or took too long.
    """
    own_group = os.name == "posix"
    with subprocess.Popen(  # noqa: S603 - the words are ours and checked names
        argv,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=own_group,
        text=True,
        errors="replace",
    ) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise AgentInstallError(f"{what} took more than {seconds:.0f} seconds and was stopped.") from None
            raise
    if process.returncode != 0:
        said = "\n".join((errors.strip() or output.strip()).splitlines()[-_LINES_SHOWN:])
        raise AgentInstallError(f"{what} failed (exit {process.returncode}):\n{said}")
    return output


def _end(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
