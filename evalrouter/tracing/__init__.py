"""Records what an agent does, by wrapping it or by listening to its own OpenTelemetry instrumentation.

It needs the extra `tracing`, which brings the OpenTelemetry SDK.
"""

try:
    import opentelemetry.sdk.trace  # noqa: F401
except ImportError as error:
    raise ImportError(
        "evalrouter.tracing needs the OpenTelemetry SDK: install the extra, such as with pip install "
        "'evalrouter-sdk[tracing]' from where you have this package."
    ) from error

from evalrouter.tracing.attachment import Attachment
from evalrouter.tracing.capture import TraceCapture
from evalrouter.tracing.spans import CapturedSpan

__all__ = ["Attachment", "CapturedSpan", "TraceCapture"]
