"""CPU of recording a span beside raw OpenTelemetry, LangSmith's RunTree and Langfuse, in one run.

10,000 spans in trees of depth 10, with 200 bytes in and 200 out of each. What is counted is the CPU of the thread that
does the work; what is recorded is given away between the trees that are timed. Langfuse is in no extra of ours: it is
measured where it is installed, as in an environment that was made for this.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

SPANS = 10_000
DEPTH = 10
ROUNDS = 5
TREES_A_TURN = 50
CONTENT = (
    "Benchmarks measure how well a model does on work that is fixed ahead: the same questions, the same rules and "
    "the same way of scoring for all, so that two results may stand beside each other and mean it."
).ljust(200, ".")

MOST_OF_NO_OP = 1.5
LEAST_OF_RUN_TREE = 5.0
MOST_ATTACHED_MICROSECONDS = 10.0

type Contender = tuple[Callable[[int], None], Callable[[], object]]
"""What records a tree of a depth, and what gives the recorded away."""


class Accepting:
    """A server in this process that takes everything."""

    def send_batch(self, trace_id: str, batch: Any, deadline: Any) -> Any:
        """Takes a batch."""
        from evalrouter.tracing.delivery import Outcome

        return Outcome("accepted", "server")

    def send_seal(self, trace_id: str, lines: Sequence[str], deadline: Any) -> Any:
        """Takes a seal."""
        from evalrouter.tracing.delivery import Outcome

        return Outcome("accepted", "server", complete=True)


def capturing() -> Contender:
    """`TraceCapture` with content."""
    from evalrouter.tracing import TraceCapture

    capture = TraceCapture(delivery=Accepting())

    def tree(depth: int) -> None:
        with capture.chain("step") as span:
            span.input(CONTENT)
            if depth > 1:
                tree(depth - 1)
            span.output(CONTENT)

    return tree, lambda: [capture.seal(trace.trace_id) for trace in capture.traces.all()]


def opentelemetry(kind: str) -> Contender:
    """The SDK: with a processor that does nothing, a `batch` to memory, or an attachment (`attach`)."""
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    provider = TracerProvider(shutdown_on_exit=False)
    tracer = provider.get_tracer("scope")
    give_away: Callable[[], object] = bool
    if kind == "batch":
        exporter = InMemorySpanExporter()
        provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=SPANS, schedule_delay_millis=60_000))

        def give_away() -> None:
            provider.force_flush()
            exporter.clear()

    else:
        provider.add_span_processor(SpanProcessor())
    if kind == "attach":
        from evalrouter.tracing import TraceCapture

        capture = TraceCapture(delivery=Accepting())
        attachment = capture.attach(provider, ("scope",))
        give_away = lambda: [capture.seal(trace_id) for trace_id in attachment.trace_ids]  # noqa: E731

    def tree(depth: int) -> None:
        with tracer.start_as_current_span("step") as span:
            span.set_attribute("gen_ai.operation.name", "chat")
            span.set_attribute("gen_ai.usage.input_tokens", 22)
            span.set_attribute("gen_ai.usage.output_tokens", 11)
            span.set_attribute("input", CONTENT)
            if depth > 1:
                tree(depth - 1)
            span.set_attribute("output", CONTENT)

    return tree, give_away


def plain_no_op() -> Contender:
    """The SDK with a processor that does nothing, and only the content as attributes."""
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SpanProcessor())
    tracer = provider.get_tracer("scope")

    def tree(depth: int) -> None:
        with tracer.start_as_current_span("step") as span:
            span.set_attribute("input", CONTENT)
            if depth > 1:
                tree(depth - 1)
            span.set_attribute("output", CONTENT)

    return tree, bool


def run_tree() -> Contender:
    """LangSmith's RunTree, whose own thread sends to a session that takes everything; only the caller is measured."""
    from langsmith import Client, RunTree
    from requests import Response, Session

    class Taking(Session):
        def request(self, *args: Any, **kwargs: Any) -> Response:
            answer = Response()
            answer.status_code, answer._content = 202, b"{}"
            return answer

    client = Client(api_url="http://127.0.0.1:9", api_key="x", session=Taking(), info={})

    def tree(depth: int, parent: RunTree | None = None) -> None:
        inputs = {"input": CONTENT}
        if parent is None:
            run = RunTree(name="step", run_type="chain", inputs=inputs, ls_client=client)
        else:
            run = parent.create_child(name="step", run_type="chain", inputs=inputs)
        run.post()
        if depth > 1:
            tree(depth - 1, run)
        run.end(outputs={"output": CONTENT})
        run.patch()

    return tree, client.flush


def langfuse() -> Contender:
    """Langfuse's context manager, whose spans are exported to memory by a thread of its own."""
    from langfuse import Langfuse
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    client = Langfuse(public_key="pk-lf-x", secret_key="sk-lf-x", tracer_provider=provider, span_exporter=exporter)

    def tree(depth: int) -> None:
        with client.start_as_current_observation(name="step", as_type="span", input=CONTENT) as span:
            if depth > 1:
                tree(depth - 1)
            span.update(output=CONTENT)

    def give_away() -> None:
        client.flush()
        exporter.clear()

    return tree, give_away


CONTENDERS: dict[str, Callable[[], Contender]] = {
    "OpenTelemetry, no-op": plain_no_op,
    "OpenTelemetry, batch to memory": lambda: opentelemetry("batch"),
    "TraceCapture": capturing,
    "LangSmith RunTree": run_tree,
    **({"Langfuse context manager": langfuse} if find_spec("langfuse") else {}),
    "instrumented, no-op": lambda: opentelemetry("no-op"),
    "instrumented, attached": lambda: opentelemetry("attach"),
}


def microseconds(contender: Contender) -> float:
    """CPU microseconds of the calling thread for a span."""
    tree, give_away = contender
    spent = 0
    for _ in range(SPANS // DEPTH // TREES_A_TURN):
        before = time.thread_time_ns()
        for _ in range(TREES_A_TURN):
            tree(DEPTH)
        spent += time.thread_time_ns() - before
        give_away()
    return spent / SPANS / 1000


@contextmanager
def destination() -> Iterator[None]:
    """A trace connection to nowhere in the environment."""
    os.environ.update(
        EVALROUTER_BASE_URL="http://127.0.0.1:9",
        EVALROUTER_WORKSPACE_ID="ws_1",
        EVALROUTER_TRACE_CONNECTION_ID="conn_1",
        EVALROUTER_TRACE_KEY="er_x",
    )
    yield


def medians() -> dict[str, float]:
    """The median of the rounds of each contender, measured in turns so that all share the machine's mood."""
    contenders = {name: make() for name, make in CONTENDERS.items()}
    rounds = [{name: microseconds(contender) for name, contender in contenders.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(measured[name] for measured in rounds) for name in CONTENDERS}


def main() -> int:
    """Print the medians; the exit code is 1 where a limit is passed."""
    with destination():
        measured = medians()
    no_op, ours = measured["OpenTelemetry, no-op"], measured["TraceCapture"]
    for name, cost in measured.items():
        print(f"{name:<32}{cost:7.1f} µs CPU a span   {cost / no_op:5.2f} of OpenTelemetry's no-op")
    attached = measured["instrumented, attached"] - measured["instrumented, no-op"]
    run_trees = measured["LangSmith RunTree"] / ours
    print(f"TraceCapture is {run_trees:.1f} times cheaper than RunTree; an attachment adds {attached:.1f} µs a span")
    return int(ours > MOST_OF_NO_OP * no_op or run_trees < LEAST_OF_RUN_TREE or attached > MOST_ATTACHED_MICROSECONDS)


if __name__ == "__main__":
    sys.exit(main())
