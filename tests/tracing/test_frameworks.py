"""Agent frameworks, instrumented by their own means, against an upstream that counts: attached, and over OTLP."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from evalrouter import EvalRouter, TraceSpan
from tests.e2e.provider import Provider
from tests.upstreams.tool_calls import INPUT_TOKENS, OUTPUT_TOKENS, use_tool_then_answer

PROGRAMS = Path(__file__).parent / "frameworks"
ROOT = PROGRAMS.parents[2]
REQUIREMENTS = PROGRAMS / "requirements.txt"

TREES = {
    "strands": ["agent", "  chain", "    model", "    tool", "  chain", "    model"],
    "pydantic_ai": ["agent", "  model", "  tool", "  model"],
    "langchain": ["chain", "  chain", "    model", "  chain", "    tool", "  chain", "    model"],
    "openai_agents": [
        *("agent", "  chain", "    agent"),
        *("      chain", "        model", "        tool", "      chain", "        model"),
    ],
}


@dataclass(frozen=True)
class Connections:
    """A server with a trace connection for each way."""

    client: EvalRouter
    variables: dict[str, str]


@pytest.fixture
def connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connections]:
    for name in [name for name in os.environ if name.startswith("EVALROUTER_") and "_TEST_" not in name]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("EVALROUTER_DATA_DIR", str(tmp_path / "data"))
    with EvalRouter() as client:
        attached, exported = (client.connections.create_trace(name) for name in ("attached", "exported"))
        base_url = client._transport.endpoint().base_url
        yield Connections(
            client,
            {
                "EVALROUTER_BASE_URL": base_url,
                "EVALROUTER_WORKSPACE_ID": client.whoami().workspace_id,
                "EVALROUTER_TRACE_CONNECTION_ID": attached.id,
                "EVALROUTER_TRACE_KEY": str(attached.secret),
                "OTLP_ENDPOINT": f"{base_url}/v1/trace-connections/{exported.id}/otlp/v1/traces",
                "OTLP_KEY": str(exported.secret),
            },
        )


@pytest.fixture
def upstream() -> Iterator[Provider]:
    tools = {"weather_in": {"city": "Paris"}}
    with Provider(use_tool_then_answer(tools, lambda _: "It is sunny.")) as provider:
        yield provider


@pytest.fixture(scope="session")
def frameworks() -> Path:
    """The interpreter of an environment with the frameworks, made from the lock."""
    digest = sha256(f"{sys.version_info[:2]}{REQUIREMENTS.read_text('utf-8')}".encode()).hexdigest()[:16]
    folder = ROOT / ".peers" / f"frameworks-{digest}"
    folder.parent.mkdir(exist_ok=True)
    python, mark = folder / "bin" / "python", folder / "complete"
    with FileLock(folder.with_suffix(".lock")):
        if not mark.exists():
            uv: list[str | Path] = [sys.executable, "-m", "uv"]
            subprocess.run([*uv, "venv", "--clear", "-q", "--python", sys.executable, folder], check=True)
            install = [*uv, "pip", "install", "-q", "--require-hashes", "--python", python, "-r", REQUIREMENTS]
            subprocess.run(install, check=True)
            sdk = [*uv, "pip", "install", "-q", "--no-deps", "--python", python, "-e", ROOT]
            subprocess.run(sdk, check=True)
            mark.touch()
    return python


@pytest.mark.skipif(sys.platform == "win32", reason="the environment's layout is that of POSIX")
@pytest.mark.soak
@pytest.mark.parametrize("framework", TREES)
def test_a_framework_attached_and_over_otlp(
    framework: str, frameworks: Path, connections: Connections, upstream: Provider
) -> None:
    check(framework, frameworks, connections, upstream, ["attach", "otlp"])


def test_strands_attached(connections: Connections, upstream: Provider) -> None:
    check("strands", Path(sys.executable), connections, upstream, ["attach"])


def check(framework: str, python: Path, connections: Connections, upstream: Provider, ways: list[str]) -> None:
    """Run a framework's program, and hold its traces against what the upstream counted."""
    told = run_program(framework, python, connections, upstream)
    (receipt,) = told["receipts"]
    assert told["unsupported"] == 0
    assert (receipt["state"], receipt["complete"]) == ("accepted", True)
    calls = len(upstream.requests)
    assert calls == 2
    traces = connections.client.traces.list().list()
    assert sorted(trace.origins for trace in traces) == [(way,) for way in ways]
    assert {trace.source_trace_id for trace in traces} == {receipt["trace_id"]}
    for trace in traces:
        spans = connections.client.traces.spans(trace.id).list()
        assert [f"{'  ' * span.depth}{span.kind}" for span in spans] == TREES[framework], trace.origins
        assert (trace.tokens.input, trace.tokens.output) == (calls * INPUT_TOKENS, calls * OUTPUT_TOKENS)
        assert not any(span.parent_missing for span in spans)
        if trace.origins == ("attach",):
            assert not any(map(content_of, spans))
            assert trace.id == receipt["server_trace_id"]
        elif framework != "strands":  # which keeps content in events, and those are not taken
            assert "Paris" in json.dumps([content_of(span) for span in spans])


def content_of(span: TraceSpan) -> list[Any]:
    return [each for each in (span.input, span.output, span.error) if each is not None]


def run_program(framework: str, python: Path, connections: Connections, upstream: Provider) -> dict[str, Any]:
    """What a framework's program printed."""
    environment = {
        "PATH": os.environ["PATH"],
        "OPENAI_BASE_URL": upstream.base_url,
        "OPENAI_API_KEY": "sk-double",
        "OPENAI_AGENTS_DISABLE_TRACING": "0",
        **connections.variables,
    }
    command = [python, PROGRAMS / f"with_{framework}.py"]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
    assert finished.returncode == 0, finished.stderr
    said: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return said
