"""Records what an agent does, by wrapping it or by listening to its own OpenTelemetry instrumentation.

Recording needs the extra `tracing`, which brings the OpenTelemetry SDK; the modules that redact, pack and send do not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalrouter.tracing.attachment import Attachment
    from evalrouter.tracing.capture import TraceCapture
    from evalrouter.tracing.spans import CapturedSpan

__all__ = ["Attachment", "CapturedSpan", "TraceCapture"]

_HOMES = {"Attachment": "attachment", "CapturedSpan": "spans", "TraceCapture": "capture"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import opentelemetry.sdk.trace  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "evalrouter.tracing needs the OpenTelemetry SDK: install the extra, such as with pip install "
            "'evalrouter-sdk[tracing]' from where you have this package."
        ) from error
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
