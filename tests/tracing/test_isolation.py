"""The application's own tracing, environment, threads and forks are left alone, and leave this alone."""

import os
import subprocess
import sys
import threading
from typing import Any

import pytest
from opentelemetry import trace as api
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from evalrouter.errors import ConfigurationError
from evalrouter.tracing import TraceCapture
from evalrouter.tracing.destination import VARIABLES
from tests.tracing.conftest import Make
from tests.tracing.receiver import Receiver


@pytest.mark.parametrize("name", VARIABLES.values())
@pytest.mark.parametrize("value", [None, "", " "])
def test_a_missing_variable_is_named(
    name: str, value: str | None, environment: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(name) if value is None else monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=f"needs {name}, which is not set"):
        TraceCapture()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EVALROUTER_BASE_URL", "ftp://x"),
        ("EVALROUTER_TRACE_CONNECTION_ID", "../keys"),
        ("EVALROUTER_TRACE_KEY", "er_\nx"),
        ("EVALROUTER_WORKSPACE_ID", "a b"),
    ],
)
def test_a_wrong_variable_is_refused(
    name: str, value: str, environment: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError):
        TraceCapture()


def test_a_disabled_sdk_is_an_error_and_not_silence(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with pytest.raises(ConfigurationError, match="OTEL_SDK_DISABLED"):
        make()


def test_settings_of_opentelemetry_change_nothing(
    make: Make, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    monkeypatch.setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "0")
    monkeypatch.setenv("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "1")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "secret=unique-4711")
    capture = make()
    with capture.agent("root") as root:
        root.attribute("a", "long enough")
    assert capture.close()
    (span,) = receiver.spans.values()
    assert span["attributes"] == {"a": "long enough"}
    assert b"unique-4711" not in receiver.requests[0].raw


def test_the_applications_tracing_and_this_do_not_see_each_other(capture: TraceCapture, receiver: Receiver) -> None:
    before = api.get_tracer_provider()
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("application")
    with (
        tracer.start_as_current_span("outer") as outer,
        capture.agent("root") as root,
        tracer.start_as_current_span("inner"),
        capture.tool("t"),
    ):
        assert api.get_current_span() is not outer
    assert api.get_tracer_provider() is before
    assert {span.name for span in exporter.get_finished_spans()} == {"outer", "inner"}
    inner = next(span for span in exporter.get_finished_spans() if span.name == "inner")
    assert inner.parent == outer.get_span_context()
    assert capture.close()
    spans = {span["name"]: span for span in receiver.spans.values()}
    assert spans["root"]["parent_span_id"] is None
    assert spans["t"]["parent_span_id"] == spans["root"]["span_id"]
    assert root.trace_id != format(outer.get_span_context().trace_id, "032x")
    with tracer.start_as_current_span("goes on"):
        pass
    assert len(exporter.get_finished_spans()) == 3


def test_there_is_no_thread_before_within_or_after(capture: TraceCapture) -> None:
    before = set(threading.enumerate())
    with capture.agent("root"):
        pass
    assert {thread.name for thread in threading.enumerate()} - {thread.name for thread in before} == set()
    assert capture.close()
    left = [thread for thread in set(threading.enumerate()) - before if "process_request" not in thread.name]
    assert left == []


def test_the_thread_pools_lock_is_made_before_the_provider() -> None:
    program = "import sys, evalrouter.tracing.provider; sys.exit('concurrent.futures.thread' not in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def in_child(work: Any) -> None:
    """Runs `work` in a forked child, which must return True in time."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_a_forked_child_sends_its_own_and_nothing_of_the_parents(capture: TraceCapture, receiver: Receiver) -> None:
    with capture.agent("done before"):
        pass
    with capture.agent("parent") as root:

        def work() -> bool:
            root.output("from the child")
            with capture.agent("child") as own, capture.tool("t"):
                pass
            root.end()
            return own.trace_id not in (None, root.trace_id) and capture.close()

        in_child(work)
        assert {span["name"] for span in receiver.spans.values()} == {"child", "t"}
    assert capture.close()
    assert {span["name"] for span in receiver.spans.values()} == {"child", "t", "parent", "done before"}
    parent = next(span for span in receiver.spans.values() if span["name"] == "parent")
    assert "output" not in parent


def test_a_fork_while_the_lock_is_held_does_not_stop_the_child(capture: TraceCapture) -> None:
    held, go = threading.Event(), threading.Event()

    def hold() -> None:
        with capture.traces.lock:
            held.set()
            go.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)

    def work() -> bool:
        with capture.agent("child"):
            pass
        return capture.close()

    in_child(work)
    go.set()
    thread.join()


def test_kill_between_flush_and_seal_leaves_what_was_acknowledged(environment: Receiver) -> None:
    program = (
        "import os, signal\n"
        "from evalrouter.tracing import TraceCapture\n"
        "capture = TraceCapture()\n"
        "with capture.agent('root') as root:\n"
        "    with capture.tool('t'): pass\n"
        "assert capture.flush()\n"
        "with capture.carry(lambda: capture.tool('lost'))(): pass\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, timeout=60)
    assert done.returncode == -9
    assert {span["name"] for span in environment.spans.values()} == {"root", "t"}
    assert environment.of("/seals") == []


def test_a_failure_inside_the_library_reaches_no_application(
    capture: TraceCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def start_span(self, *_: Any) -> None:
            raise RuntimeError("broken")

    with capture.agent("root") as root:
        monkeypatch.setattr(capture, "tracer", Broken())
        with capture.tool("t") as span:
            span.output("x")
        monkeypatch.undo()
    assert span.trace_id is None
    with capture.agent("next"):
        pass
    receipt = capture.receipt(str(root.trace_id))
    assert (receipt["state"], receipt["dropped_spans"], receipt["active_spans"]) == ("dropped", 1, 0)
    assert capture.failed_exports == 1
