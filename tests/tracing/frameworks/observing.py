"""What each framework's program has in common: a provider that is attached to and exports over OTLP, and the report."""

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from evalrouter.tracing import TraceCapture

QUESTION = "What is the weather in Paris?"
MODEL = "double-1"


def weather_in(city: str) -> str:
    """The weather in a city."""
    return f"It is sunny in {city}."


def observe(scope: str, work: Callable[[TracerProvider], object]) -> None:
    """Has an agent work under a provider that both ways take from, and print what became of the trace.

    Args:
        scope: The scope of the framework's own instrumentation.
        work: Instruments the framework by its own means with the provider, and runs the agent.
    """
    provider = TracerProvider()
    if find_spec("opentelemetry.exporter") is not None:
        _export(provider)
    capture = TraceCapture(capture_content=True, timeout=60)
    attachment = capture.attach(provider, (scope,))
    work(provider)
    provider.force_flush()
    receipts = [capture.seal(trace_id) for trace_id in attachment.trace_ids]
    json.dump({"receipts": receipts, "unsupported": attachment.unsupported_spans}, sys.stdout)
    if not capture.close():
        raise SystemExit(1)


def _export(provider: TracerProvider) -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    headers = {"Authorization": f"Bearer {os.environ['OTLP_KEY']}"}
    exporter = OTLPSpanExporter(endpoint=os.environ["OTLP_ENDPOINT"], headers=headers)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
