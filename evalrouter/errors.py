"""The SDK's errors: one hierarchy, each also the builtin that fits, each picklable, none with a key in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalrouter.types import Quote


class EvalRouterError(Exception):
    """Anything that this SDK raises on purpose.

    Args:
        message: What was wrong, the value, and what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.message, self.__dict__))


def _rebuild(kind: type[EvalRouterError], message: str, state: dict[str, Any]) -> EvalRouterError:
    error = kind.__new__(kind, message)
    error.args = (message,)
    error.__dict__.update(state)
    return error


class ConfigurationError(EvalRouterError, ValueError):
    """The client's settings do not fit together."""


class ServerNotInstalledError(ConfigurationError, ImportError):
    """There is neither a server's address nor a server to start."""


class InvalidArgumentError(EvalRouterError, ValueError):
    """An argument was refused before any request."""


class ExportExistsError(EvalRouterError, FileExistsError):
    """The export's file exists and `overwrite=True` was not given."""


class AmbiguousNameError(EvalRouterError, LookupError):
    """A name fits several things.

    Args:
        message: What was wrong.
        candidates: What it fits: a description with the exact ID of each.
    """

    def __init__(self, message: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class WaitTimeout(EvalRouterError, TimeoutError):
    """Waiting took longer than was allowed; the run goes on.

    Args:
        message: What was waited for.
        run_id: The run, which can be waited for again.
        timeout: Seconds that were allowed.
    """

    def __init__(self, message: str, run_id: str = "", timeout: float = 0.0) -> None:
        super().__init__(message)
        self.run_id = run_id
        self.timeout = timeout


class RunPausedError(EvalRouterError):
    """A run that was waited for paused again and again without getting on; the message has the server's reason."""


class TransportError(EvalRouterError):
    """No usable answer came back."""


class ServerConnectionError(TransportError, ConnectionError):
    """The server could not be reached, or the connection was lost."""


class RequestTimeoutError(TransportError, TimeoutError):
    """No answer within the client's `timeout`, retries included."""


class ServerAnswerError(TransportError, ValueError):
    """The server's answer does not fit the contract: another program, or another version, answers there."""


class StatusError(EvalRouterError):
    """The server refused.

    Args:
        message: What was wrong and what to do.
        status: HTTP status.
        code: Stable code; branch on this.
        request_id: Quote this when you ask for help.
        details: Facts for a program.

    Attributes:
        retry_after: Seconds that the server asks to wait before the next try, if it says.
    """

    retry_after: float | None = None

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.request_id = request_id
        self.details = dict(details or {})

    def __str__(self) -> str:
        return f"{self.message} [{self.code}, request {self.request_id}]" if self.request_id else self.message


class AuthenticationError(StatusError, PermissionError):
    """The API key is missing, unknown, revoked or of another workspace (401)."""


class PermissionDeniedError(StatusError, PermissionError):
    """The API key lacks the scope (403)."""


class NotFoundError(StatusError, LookupError):
    """Nothing has this ID or name (404).

    Args:
        message: What was not found.
        suggestions: The nearest names.
        request_id: Quote this when you ask for help.
        details: Facts for a program.
    """

    def __init__(
        self,
        message: str,
        *,
        suggestions: Sequence[str] = (),
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
        status: int = 404,
        code: str = "not_found",
    ) -> None:
        super().__init__(message, status=status, code=code, request_id=request_id, details=details)
        self.suggestions = tuple(suggestions)


class ConflictError(StatusError):
    """The request does not fit the present state (409)."""


class IdempotencyConflictError(ConflictError):
    """The same idempotency key was used with another request."""


class QuoteError(ConflictError):
    """The quote can no longer be started: it expired or what it froze has changed."""


class InvalidRequestError(StatusError, ValueError):
    """The server found the request invalid, or the model has no price (422)."""


class BudgetError(StatusError):
    """The money does not suffice; nothing was started or charged (402)."""


class MaxCostTooLowError(BudgetError):
    """The quote's maximum charge is above `max_cost`.

    Attributes:
        quote: The quote, which can be read and explained.
        shortfall: What `max_cost` lacks, in USD.
        largest_sample_count: The largest sample that fits, if any does.
    """

    quote: Quote | None = None
    shortfall: Decimal | None = None
    largest_sample_count: int | None = None


class InsufficientFundsError(BudgetError):
    """The wallet cannot cover the run's cap.

    Attributes:
        needed: USD.
        available: USD.
        holding_runs: IDs of the runs that hold the money.
    """

    needed: Decimal | None = None
    available: Decimal | None = None
    holding_runs: tuple[str, ...] = ()


class CeilingExceededError(BudgetError):
    """The API key's spend ceiling cannot cover the run's cap.

    Attributes:
        needed: USD.
        remaining: USD.
    """

    needed: Decimal | None = None
    remaining: Decimal | None = None


class RateLimitError(StatusError):
    """The server asks to slow down (429); `retry_after` says for how long."""


class ServerError(StatusError):
    """The server failed (5xx)."""


class DataUnavailableError(ServerError):
    """The benchmark's data or the local model cannot be fetched now; `details` names each source that was tried."""


_BY_CODE: Mapping[str, type[StatusError]] = {
    "idempotency_conflict": IdempotencyConflictError,
    "quote_expired": QuoteError,
    "quote_changed": QuoteError,
    "max_cost_too_low": MaxCostTooLowError,
    "insufficient_funds": InsufficientFundsError,
    "ceiling_exceeded": CeilingExceededError,
    "data_unavailable": DataUnavailableError,
}
_BY_STATUS: Mapping[int, type[StatusError]] = {
    401: AuthenticationError,
    402: BudgetError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: InvalidRequestError,
    429: RateLimitError,
}


def status_error(
    status: int, code: str, message: str, details: Mapping[str, Any] | None = None, request_id: str | None = None
) -> StatusError:
    """The error for a refusal, by its code where that says more than its status."""
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status) or (ServerError if status >= 500 else StatusError)
    return kind(message, status=status, code=code, request_id=request_id, details=details)
