"""Evaluate a model on a benchmark in one call, with a hard budget in dollars.

from evalrouter import EvalRouter

client = EvalRouter()
run = client.runs.create(benchmark="gsm8k", model="gpt-5", max_cost=5, wait=True)
print(run.score)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalrouter import agents, errors, types
    from evalrouter._async.client import AsyncEvalRouter
    from evalrouter._async.run import AsyncRun
    from evalrouter._sync.client import EvalRouter
    from evalrouter._sync.run import Run
    from evalrouter.errors import (
        AmbiguousNameError,
        AuthenticationError,
        BudgetError,
        CeilingExceededError,
        ConfigurationError,
        ConflictError,
        DataUnavailableError,
        EvalRouterError,
        ExportExistsError,
        IdempotencyConflictError,
        InsufficientFundsError,
        InvalidArgumentError,
        InvalidRequestError,
        MaxCostTooLowError,
        NotFoundError,
        PermissionDeniedError,
        QuoteError,
        RateLimitError,
        RequestTimeoutError,
        RunPausedError,
        ServerAnswerError,
        ServerConnectionError,
        ServerError,
        ServerNotInstalledError,
        StatusError,
        TransportError,
        WaitTimeout,
    )
    from evalrouter.types import (
        A2aSettings,
        AgentRef,
        Benchmark,
        BenchmarkCheck,
        BenchmarkExample,
        BenchmarkRef,
        BenchmarkSource,
        Call,
        CallTry,
        Comparison,
        ConcurrencyPlan,
        Connection,
        Coverage,
        CoveragePlan,
        CreatedKey,
        Difference,
        Flip,
        FlipSide,
        GatewayKey,
        GivenAnswer,
        GroupScore,
        Identity,
        Key,
        LedgerDifference,
        LedgerEntry,
        Metric,
        Model,
        ModelRef,
        Plan,
        PlanLine,
        Price,
        PriceTier,
        Progress,
        Protocol,
        Quote,
        RowProblem,
        RunComparison,
        RunData,
        RunEvent,
        TaskError,
        TaskResult,
        TokenCounts,
        Trace,
        TraceSettings,
        TraceSpan,
        Usage,
        Wallet,
        WalletVerification,
    )
    from evalrouter.version import __version__

__all__ = [
    "A2aSettings",
    "AgentRef",
    "AmbiguousNameError",
    "AsyncEvalRouter",
    "AsyncRun",
    "AuthenticationError",
    "Benchmark",
    "BenchmarkCheck",
    "BenchmarkExample",
    "BenchmarkRef",
    "BenchmarkSource",
    "BudgetError",
    "Call",
    "CallTry",
    "CeilingExceededError",
    "Comparison",
    "ConcurrencyPlan",
    "ConfigurationError",
    "ConflictError",
    "Connection",
    "Coverage",
    "CoveragePlan",
    "CreatedKey",
    "DataUnavailableError",
    "Difference",
    "EvalRouter",
    "EvalRouterError",
    "ExportExistsError",
    "Flip",
    "FlipSide",
    "GatewayKey",
    "GivenAnswer",
    "GroupScore",
    "IdempotencyConflictError",
    "Identity",
    "InsufficientFundsError",
    "InvalidArgumentError",
    "InvalidRequestError",
    "Key",
    "LedgerDifference",
    "LedgerEntry",
    "MaxCostTooLowError",
    "Metric",
    "Model",
    "ModelRef",
    "NotFoundError",
    "PermissionDeniedError",
    "Plan",
    "PlanLine",
    "Price",
    "PriceTier",
    "Progress",
    "Protocol",
    "Quote",
    "QuoteError",
    "RateLimitError",
    "RequestTimeoutError",
    "RowProblem",
    "Run",
    "RunComparison",
    "RunData",
    "RunEvent",
    "RunPausedError",
    "ServerAnswerError",
    "ServerConnectionError",
    "ServerError",
    "ServerNotInstalledError",
    "StatusError",
    "TaskError",
    "TaskResult",
    "TokenCounts",
    "Trace",
    "TraceSettings",
    "TraceSpan",
    "TransportError",
    "Usage",
    "WaitTimeout",
    "Wallet",
    "WalletVerification",
    "__version__",
    "agents",
    "errors",
    "types",
]

_CLIENT_HOMES = {
    "AsyncEvalRouter": "evalrouter._async.client",
    "AsyncRun": "evalrouter._async.run",
    "EvalRouter": "evalrouter._sync.client",
    "Run": "evalrouter._sync.run",
    "__version__": "evalrouter.version",
}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used, so that importing the package costs next to nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'evalrouter' has no attribute {name!r}")
    if name in ("agents", "errors", "types"):
        return import_module(f"evalrouter.{name}")
    home = _CLIENT_HOMES.get(name) or ("evalrouter.errors" if _is_error(name) else "evalrouter.types")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _is_error(name: str) -> bool:
    return (name.endswith("Error") and name != "TaskError") or name == "WaitTimeout"
