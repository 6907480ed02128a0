"""From a refusal on the wire to the SDK's error."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import httpx
from evalrouter_api import models as wire

from evalrouter import errors
from evalrouter.money import from_microusd


def status_error(response: httpx.Response) -> errors.StatusError:
    """The error of an answer that is not a success; its body must have been read."""
    try:
        problem = wire.Problem.from_dict(response.json())
        code, message, request_id = str(problem.code), str(problem.message), str(problem.request_id)
        details: Mapping[str, Any] = problem.details.to_dict()
    except (ValueError, KeyError, TypeError, AttributeError):
        code, details = "unexpected_status", {}
        message = (
            f"{response.request.url.host} answered {response.status_code} without a problem that this SDK understands. "
            "Check that base_url is an EvalRouter server."
        )
        request_id = response.headers.get("x-request-id") or response.headers.get("request-id") or ""
    error = errors.status_error(response.status_code, code, message, details, request_id or None)
    return _with_facts(error, details)


def _with_facts(error: errors.StatusError, details: Mapping[str, Any]) -> errors.StatusError:
    match error:
        case errors.MaxCostTooLowError():
            from evalrouter.convert.quotes import quote

            try:
                error.quote = quote(wire.Quote.from_dict(details["quote"]))
            except (ValueError, KeyError, TypeError, AttributeError):
                error.quote = None
            error.shortfall = _usd(details, "shortfall_microusd")
            error.largest_sample_count = details.get("largest_sample_count")
        case errors.InsufficientFundsError():
            error.needed, error.available = _usd(details, "needed_microusd"), _usd(details, "available_microusd")
            error.holding_runs = tuple(str(run) for run in details.get("holding_runs") or ())
        case errors.CeilingExceededError():
            error.needed, error.remaining = _usd(details, "needed_microusd"), _usd(details, "remaining_microusd")
        case errors.NotFoundError():
            error.suggestions = tuple(str(name) for name in details.get("suggestions") or ())
    return error


def _usd(details: Mapping[str, Any], name: str) -> Decimal | None:
    amount = details.get(name)
    return from_microusd(amount) if isinstance(amount, int) else None
