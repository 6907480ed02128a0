"""Errors: one hierarchy, picklable, each also a builtin."""

import inspect
import pickle
from decimal import Decimal

import pytest

from evalrouter import errors

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.EvalRouterError)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_survives_pickling(kind: type[errors.EvalRouterError]) -> None:
    if issubclass(kind, errors.StatusError):
        error: errors.EvalRouterError = kind("No.", status=418, code="teapot", request_id="req_1", details={"a": [1]})
    else:
        error = kind("No.")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == str(error)
    assert copy.args == error.args
    assert vars(copy) == vars(error)


def test_facts_survive_pickling() -> None:
    error = errors.status_error(402, "max_cost_too_low", "No.", {}, "req_1")
    assert isinstance(error, errors.MaxCostTooLowError)
    error.shortfall, error.largest_sample_count = Decimal("3.8"), 270
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.shortfall, copy.largest_sample_count) == (Decimal("3.8"), 270)
    late = pickle.loads(pickle.dumps(errors.WaitTimeout("No.", "run_1", 5.0)))
    assert (late.run_id, late.timeout) == ("run_1", 5.0)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.WaitTimeout, TimeoutError),
        (errors.RequestTimeoutError, TimeoutError),
        (errors.ServerConnectionError, ConnectionError),
        (errors.NotFoundError, LookupError),
        (errors.AmbiguousNameError, LookupError),
        (errors.InvalidArgumentError, ValueError),
        (errors.ConfigurationError, ValueError),
        (errors.AuthenticationError, PermissionError),
        (errors.ExportExistsError, FileExistsError),
        (errors.ServerNotInstalledError, ImportError),
    ],
)
def test_errors_are_the_builtin_that_fits(kind: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(kind, builtin)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "unauthenticated", errors.AuthenticationError),
        (402, "max_cost_too_low", errors.MaxCostTooLowError),
        (402, "insufficient_funds", errors.InsufficientFundsError),
        (402, "ceiling_exceeded", errors.CeilingExceededError),
        (402, "something_new", errors.BudgetError),
        (403, "forbidden", errors.PermissionDeniedError),
        (404, "not_found", errors.NotFoundError),
        (409, "idempotency_conflict", errors.IdempotencyConflictError),
        (409, "quote_expired", errors.QuoteError),
        (409, "in_use", errors.ConflictError),
        (422, "invalid_request", errors.InvalidRequestError),
        (429, "rate_limited", errors.RateLimitError),
        (503, "data_unavailable", errors.DataUnavailableError),
        (500, "internal_error", errors.ServerError),
        (418, "teapot", errors.StatusError),
    ],
)
def test_a_refusal_has_the_error_of_its_code(status: int, code: str, kind: type[errors.StatusError]) -> None:
    error = errors.status_error(status, code, "No.", {"a": 1}, "req_1")
    assert type(error) is kind
    assert (error.status, error.code, error.request_id, error.details) == (status, code, "req_1", {"a": 1})
    assert str(error) == f"No. [{code}, request req_1]"
