"""From any error to one line, a JSON-ready description and an exit code."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer

from evalrouter_cli import documents
from evalrouter_cli.exit_codes import ExitCode
from evalrouter_cli.formats import plain

if TYPE_CHECKING:
    from evalrouter.errors import EvalRouterError, StatusError


PYTHON_WORDS = {
    r"client\.(\w+)\.list\(\)": r"evalrouter \1 list",
    r"\boverwrite=True\b": "--overwrite",
    r"\bmax_cost=": "--max-cost ",
    r'Pass one as "Authorization: Bearer er_\.\.\."\.': "Set EVALROUTER_API_KEY to a key of this server.",
}
"""Patterns of Python in the SDK's messages, and what the command has in their place."""


class CommandError(Exception):
    """What the command itself refuses.

    Args:
        message: What was wrong, the value, and what to do.
        exit_code: The exit code that says the same to a script.
        code: A stable code for programs.
        details: Facts for programs.
    """

    def __init__(
        self,
        message: str,
        exit_code: ExitCode = ExitCode.INVALID,
        *,
        code: str = "invalid_usage",
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.code = code
        self.details = details or {}


@dataclass(frozen=True, slots=True)
class Refusal:
    """How the command ends where it did not do what was asked.

    Attributes:
        code: A stable code for programs.
        message: For a human reader.
        exit_code: The exit code that says the same.
        status: The HTTP status, where a server answered.
        request_id: The server's ID of the request.
        details: Facts for programs.
    """

    code: str
    message: str
    exit_code: ExitCode
    status: int | None = None
    request_id: str | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The JSON document of `--json`."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "exit_code": int(self.exit_code),
                "status": self.status,
                "request_id": self.request_id,
                "details": self.details,
            }
        }

    def line(self) -> str:
        """The one line on stderr."""
        message = " ".join(self.message.split())
        return f"error: {message}" if self.exit_code in (ExitCode.ERROR, ExitCode.INVALID) else message


def describe(error: Exception) -> Refusal:
    """Say what an error means to the user of the command."""
    if isinstance(error, CommandError):
        return Refusal(error.code, error.message, error.exit_code, details=error.details)
    if isinstance(error, typer.TyperException):
        return Refusal("invalid_usage", f"{error.format_message()}{_where_to_look(error)}", ExitCode.INVALID)
    from evalrouter.errors import EvalRouterError

    if isinstance(error, EvalRouterError):
        return _sdk_refusal(error)
    if isinstance(error, OSError):
        return Refusal("os_error", str(error), ExitCode.ERROR)
    return Refusal(
        "internal_error",
        f"{type(error).__name__}: {error} (this is a fault of the command; please report what you ran)",
        ExitCode.ERROR,
    )


def _where_to_look(error: typer.TyperException) -> str:
    path = getattr(getattr(error, "ctx", None), "command_path", None)
    return "" if path is None else f" (see: {path} --help)"


def _sdk_refusal(error: "EvalRouterError") -> Refusal:
    from evalrouter import errors

    message = in_the_commands_words(error.message)
    match error:
        case errors.StatusError(status=status):
            is_refusal = 400 <= status < 500 and status not in (408, 429)
            return Refusal(
                error.code,
                message if is_refusal else in_the_commands_words(str(error)),
                ExitCode.INVALID if is_refusal else ExitCode.ERROR,
                status,
                error.request_id,
                _details(error),
            )
        case errors.WaitTimeout():
            return Refusal("wait_timeout", message, ExitCode.NOT_ENDED, details={"run_id": error.run_id})
        case errors.AmbiguousNameError():
            candidates = {"candidates": list(error.candidates)}
            return Refusal("ambiguous_name", message, ExitCode.INVALID, details=candidates)
        case errors.ServerNotInstalledError():
            return Refusal("server_not_installed", message, ExitCode.INVALID)
        case errors.ConfigurationError():
            return Refusal("invalid_configuration", message, ExitCode.INVALID)
        case errors.ExportExistsError():
            return Refusal("export_exists", message, ExitCode.INVALID)
        case errors.InvalidArgumentError():
            return Refusal("invalid_argument", message, ExitCode.INVALID)
        case errors.RequestTimeoutError():
            return Refusal("timeout", message, ExitCode.ERROR)
        case errors.ServerConnectionError():
            return Refusal("connection_error", message, ExitCode.ERROR)
        case _:
            return Refusal("error", message, ExitCode.ERROR)


def in_the_commands_words(message: str) -> str:
    """A message of the SDK with what a user of the command types in place of what a Python program calls."""
    for pattern, words in PYTHON_WORDS.items():
        message = re.sub(pattern, words, message)
    return message


def _details(error: "StatusError") -> dict[str, Any]:
    from evalrouter.errors import MaxCostTooLowError

    if isinstance(error, MaxCostTooLowError) and error.quote is not None:
        return {
            "quote": documents.quote(error.quote),
            "shortfall_usd": documents.amount(error.shortfall),
            "largest_sample_count": error.largest_sample_count,
        }
    return {name: value for name, value in map(_in_usd, error.details.items()) if name != "quote"}


def _in_usd(detail: tuple[str, Any]) -> tuple[str, Any]:
    name, value = detail
    if name.endswith("_microusd") and isinstance(value, int):
        from decimal import Decimal

        return f"{name.removesuffix('_microusd')}_usd", plain(Decimal(value).scaleb(-6))
    return detail
