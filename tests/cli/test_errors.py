"""Every kind of error becomes one line, one document and the exit code that the documentation lists."""

import pytest
from evalrouter_cli.errors import CommandError, describe
from evalrouter_cli.exit_codes import ExitCode

from evalrouter import errors


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (errors.status_error(401, "unauthenticated", "no"), "unauthenticated", ExitCode.INVALID),
        (errors.status_error(402, "insufficient_funds", "no"), "insufficient_funds", ExitCode.INVALID),
        (errors.status_error(404, "not_found", "no"), "not_found", ExitCode.INVALID),
        (errors.status_error(409, "quote_expired", "no"), "quote_expired", ExitCode.INVALID),
        (errors.status_error(422, "unpriced_model", "no"), "unpriced_model", ExitCode.INVALID),
        (errors.status_error(429, "rate_limited", "no"), "rate_limited", ExitCode.ERROR),
        (errors.status_error(500, "internal_error", "no"), "internal_error", ExitCode.ERROR),
        (errors.status_error(503, "data_unavailable", "no"), "data_unavailable", ExitCode.ERROR),
        (errors.AmbiguousNameError("two", ["a", "b"]), "ambiguous_name", ExitCode.INVALID),
        (errors.InvalidArgumentError("no"), "invalid_argument", ExitCode.INVALID),
        (errors.ServerNotInstalledError("no"), "server_not_installed", ExitCode.INVALID),
        (errors.ConfigurationError("no"), "invalid_configuration", ExitCode.INVALID),
        (errors.ExportExistsError("no"), "export_exists", ExitCode.INVALID),
        (errors.WaitTimeout("late", "run_x", 1.0), "wait_timeout", ExitCode.NOT_ENDED),
        (errors.ServerConnectionError("no"), "connection_error", ExitCode.ERROR),
        (errors.RequestTimeoutError("no"), "timeout", ExitCode.ERROR),
        (errors.ServerAnswerError("no"), "error", ExitCode.ERROR),
        (CommandError("declined", ExitCode.DECLINED, code="declined"), "declined", ExitCode.DECLINED),
        (PermissionError(13, "Permission denied", "/x"), "os_error", ExitCode.ERROR),
        (KeyError("x"), "internal_error", ExitCode.ERROR),
    ],
)
def test_each_error_has_its_code_and_exit_code(error: Exception, code: str, exit_code: ExitCode) -> None:
    refusal = describe(error)
    assert (refusal.code, refusal.exit_code) == (code, exit_code)
    assert refusal.document()["error"]["exit_code"] == exit_code


def test_amounts_in_details_are_decimal_strings() -> None:
    error = errors.status_error(402, "insufficient_funds", "no", {"needed_microusd": 1, "holding_runs": ["run_x"]})
    assert describe(error).document()["error"]["details"] == {"needed_usd": "0.000001", "holding_runs": ["run_x"]}


def test_a_message_of_several_lines_becomes_one() -> None:
    assert describe(errors.InvalidArgumentError("a\n  b")).line() == "error: a b"


def test_stopping_is_not_called_an_error() -> None:
    assert describe(CommandError("paused; go on", ExitCode.NOT_ENDED)).line() == "paused; go on"
