"""The one way in which the service refuses: a code, a status, a message for a human and details for a program."""

from collections.abc import Mapping
from typing import Any

STATUS_BY_CODE: Mapping[str, int] = {
    "unauthenticated": 401,
    "max_cost_too_low": 402,
    "insufficient_funds": 402,
    "ceiling_exceeded": 402,
    "budget_exhausted": 402,
    "forbidden": 403,
    "traces_not_enabled": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "idempotency_conflict": 409,
    "quote_expired": 409,
    "quote_changed": 409,
    "name_taken": 409,
    "version_taken": 409,
    "run_ended": 409,
    "in_use": 409,
    "no_agent": 409,
    "no_model": 409,
    "already_submitted": 409,
    "not_submitted": 409,
    "lease_ended": 409,
    "ceiling_below_committed": 409,
    "model_unavailable": 409,
    "agent_needed": 409,
    "hosting_unavailable": 409,
    "agent_unavailable": 409,
    "sandbox_unavailable": 409,
    "not_comparable": 409,
    "format_unavailable": 409,
    "batch_conflict": 409,
    "span_conflict": 409,
    "trace_too_large": 409,
    "request_too_large": 413,
    "invalid_request": 422,
    "invalid_rows": 422,
    "unpriced_model": 422,
    "rate_limited": 429,
    "internal_error": 500,
    "data_unavailable": 503,
}
"""Every code of the contract with its HTTP status."""


class Problem(Exception):
    """A refusal that the caller can read; routes answer it as the contract's `Problem`.

    Args:
        code: A key of `STATUS_BY_CODE`.
        message: What was wrong, the value, and what to do. Never a key, a prompt or a payload.
        details: Facts for a program, JSON-ready.
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    @property
    def status(self) -> int:
        """The HTTP status that goes with the code."""
        return STATUS_BY_CODE[self.code]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.code, self.message, self.details))


def _rebuild(code: str, message: str, details: dict[str, Any]) -> Problem:
    return Problem(code, message, **details)
