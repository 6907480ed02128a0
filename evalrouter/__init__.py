"""Evaluate a model on a benchmark in one call, with a hard budget in dollars.

from evalrouter import EvalRouter

client = EvalRouter()
run = client.runs.create(benchmark="gsm8k", model="gpt-5", max_cost=5, wait=True)
print(run.score)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalrouter import errors, types
    from evalrouter._async.client import AsyncEvalRouter
    from evalrouter._async.run import AsyncRun
    from evalrouter._sync.client import EvalRouter
    from evalrouter._sync.run import Run
    from evalrouter.errors import (
        AmbiguousNameError,
        EvalRouterError,
        MaxCostTooLowError,
        NotFoundError,
        WaitTimeout,
    )
    from evalrouter.types import Progress, Quote, RunEvent, TaskResult
    from evalrouter.version import __version__

__all__ = [
    "AmbiguousNameError",
    "AsyncEvalRouter",
    "AsyncRun",
    "EvalRouter",
    "EvalRouterError",
    "MaxCostTooLowError",
    "NotFoundError",
    "Progress",
    "Quote",
    "Run",
    "RunEvent",
    "TaskResult",
    "WaitTimeout",
    "__version__",
    "errors",
    "types",
]

_HOME = {
    "AmbiguousNameError": "evalrouter.errors",
    "AsyncEvalRouter": "evalrouter._async.client",
    "AsyncRun": "evalrouter._async.run",
    "EvalRouter": "evalrouter._sync.client",
    "EvalRouterError": "evalrouter.errors",
    "MaxCostTooLowError": "evalrouter.errors",
    "NotFoundError": "evalrouter.errors",
    "Progress": "evalrouter.types",
    "Quote": "evalrouter.types",
    "Run": "evalrouter._sync.run",
    "RunEvent": "evalrouter.types",
    "TaskResult": "evalrouter.types",
    "WaitTimeout": "evalrouter.errors",
    "__version__": "evalrouter.version",
}
_MODULES = frozenset({"errors", "types"})


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used, so that importing the package costs next to nothing."""
    if name in _MODULES:
        return import_module(f"evalrouter.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'evalrouter' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
