"""A tracing provider of our own that reads no setting of the application's and changes none.

The import of `concurrent.futures.thread` comes first: imported later, its lock can stop a fork for ever where the
OpenTelemetry SDK (1.44 and newer) has registered its own hook.
"""

import concurrent.futures.thread  # noqa: F401
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Span, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Tracer, set_span_in_context

from evalrouter.errors import ConfigurationError

NO_CONTEXT = Context()
_LIMITS = SpanLimits(
    max_span_attributes=1,
    max_events=1,
    max_links=1,
    max_event_attributes=1,
    max_link_attributes=1,
    max_span_attribute_length=1,
)
"""Spans carry identity and times only; content never enters them."""


class _Always(Sampler):
    """Records everything, by one answer for all: the SDK's own makes one for each span."""

    _ANSWER = SamplingResult(Decision.RECORD_AND_SAMPLE)

    def should_sample(self, *args: Any, **kwargs: Any) -> SamplingResult:
        """Yes."""
        return self._ANSWER

    def get_description(self) -> str:
        """Its name."""
        return "Always"


def isolated_provider() -> TracerProvider:
    """A provider with every setting given, so that no environment variable and no global takes part.

    Raises:
        ConfigurationError: OTEL_SDK_DISABLED turns the SDK off in this process.
    """
    provider = TracerProvider(sampler=_Always(), resource=Resource({}), shutdown_on_exit=False, span_limits=_LIMITS)
    if not isinstance(tracer_of(provider).start_span("probe", context=NO_CONTEXT), Span):
        raise ConfigurationError(
            "OTEL_SDK_DISABLED=true turns OpenTelemetry off in this process, and TraceCapture with it: unset it, or "
            "make no TraceCapture here."
        )
    return provider


def tracer_of(provider: TracerProvider) -> Tracer:
    """The tracer that wrapped work uses."""
    return provider.get_tracer("evalrouter.tracing")


def context_of(span: Span) -> Context:
    """The context in which a span's children start: that span and nothing else."""
    return set_span_in_context(span, NO_CONTEXT)
