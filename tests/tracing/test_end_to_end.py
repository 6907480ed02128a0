"""The whole way: `TraceCapture` to the embedded server, and the example of the product's description as printed."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider

from evalrouter import EvalRouter
from evalrouter.tracing import TraceCapture
from tests.shared_data import shared
from tests.upstreams import messages
from tests.upstreams.scripted import ScriptedUpstream

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "trace_anthropic.py"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EvalRouter]:
    """A client of an embedded server with Traces on, and the four variables of a connection in the environment."""
    for name in [name for name in os.environ if name.startswith("EVALROUTER_") and "_TEST_" not in name]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("EVALROUTER_DATA_DIR", str(tmp_path / "data"))
    with EvalRouter() as opened:
        opened.traces.enable()
        connection = opened.connections.create_trace("agents")
        endpoint = opened._transport.endpoint()
        monkeypatch.setenv("EVALROUTER_BASE_URL", endpoint.base_url)
        monkeypatch.setenv("EVALROUTER_WORKSPACE_ID", opened.whoami().workspace_id)
        monkeypatch.setenv("EVALROUTER_TRACE_CONNECTION_ID", connection.id)
        monkeypatch.setenv("EVALROUTER_TRACE_KEY", str(connection.secret))
        yield opened


def test_a_captured_trace_is_complete_on_the_server(client: EvalRouter) -> None:
    capture = TraceCapture(timeout=60)
    with capture.agent("Support assistant") as root:
        root.input({"message": "naïve 😀 \0", "numbers": {2: 1.5, 10: 2**70}, "password": "hunter2"})
        for number in range(30):
            with capture.model(f"m {number}") as span:
                span.usage(input_tokens=22, output_tokens=11)
                span.cost("0.0001")
                span.output([number, None, True])
    receipt = capture.seal(str(root.trace_id))
    assert (receipt["state"], receipt["complete"], receipt["accepted_spans"]) == ("accepted", True, 31)
    assert capture.close()
    trace = client.traces.get(receipt["server_trace_id"])
    assert (trace.name, trace.complete, trace.span_count) == ("Support assistant", True, 31)
    assert (trace.tokens.input, trace.tokens.output) == (660, 330)
    spans = list(client.traces.spans(trace.id))
    assert [span.depth for span in spans] == [0] + [1] * 30
    assert spans[0].input["password"] == "[redacted]"
    assert spans[30].output == [29, None, True]


def test_an_attached_trace_is_observed_and_unset_is_no_success(client: EvalRouter) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    capture = TraceCapture(timeout=60)
    attachment = capture.attach(provider, ("scope",))
    tracer = provider.get_tracer("scope")
    with tracer.start_as_current_span("a", attributes={"gen_ai.operation.name": "invoke_agent"}) as span:
        attributes: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 22}
        with tracer.start_as_current_span("unique-4711", attributes=attributes):
            pass
    receipt = capture.seal(attachment.trace_ids[0])
    assert receipt["complete"]
    trace = client.traces.get(receipt["server_trace_id"])
    assert trace.coverage == "observed"
    assert trace.status == "unset"
    assert trace.source_trace_id == format(span.get_span_context().trace_id, "032x")
    assert [held.status for held in client.traces.spans(trace.id)] == ["unset", "unset"]
    assert trace.tokens.input == 22


def test_a_connection_that_is_refused_fails(client: EvalRouter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALROUTER_TRACE_KEY", "er_another")
    capture = TraceCapture(timeout=60)
    with capture.agent("root") as root:
        pass
    assert capture.seal(str(root.trace_id))["state"] == "failed"
    client.traces.enable(False)
    assert not capture.close()


async def test_the_printed_example_runs(client: EvalRouter) -> None:
    usage = messages.usage(fresh=12, output=5)
    async with ScriptedUpstream([messages.answer("A fixed set of tasks.", usage)]) as upstream:
        environment = os.environ | {
            "ANTHROPIC_BASE_URL": upstream.base_url.removesuffix("/v1"),
            "ANTHROPIC_API_KEY": "sk-test",
            "ANTHROPIC_MODEL": "claude-test",
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(EXAMPLE), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        printed, errors = await asyncio.wait_for(process.communicate(), 100)
    assert process.returncode == 0, errors
    receipt = json.loads(printed)
    assert (receipt["state"], receipt["complete"], receipt["accepted_spans"]) == ("accepted", True, 2)
    trace = await asyncio.to_thread(client.traces.get, receipt["server_trace_id"])
    root, model = await asyncio.to_thread(lambda: list(client.traces.spans(trace.id)))
    assert (root.name, root.kind, model.name, model.kind) == ("Support assistant", "agent", "claude-test", "model")
    assert root.input == {"message": "Explain what an evaluation benchmark is."}
    assert root.output == model.output == {"answer": "A fixed set of tasks."}


def test_the_example_is_the_printed_one() -> None:
    (description,) = shared("seed").glob("*.txt")
    printed = description.read_text("utf-8").partition("Live agent capture\n")[2]
    lines = [line for line in EXAMPLE.read_text("utf-8").splitlines() if line]
    assert "\n".join(lines) in "\n".join(line for line in printed.splitlines() if line)
