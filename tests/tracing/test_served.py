"""A served server that dies and starts again between ingest and seal."""

from pathlib import Path

import pytest

from evalrouter import EvalRouter
from evalrouter.tracing import TraceCapture
from tests.server.test_serve import serving


def test_a_restart_between_ingest_and_seal_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_dir = tmp_path / "data"
    with serving(data_dir) as (process, url, secret):
        with EvalRouter(base_url=url, api_key=secret) as client:
            client.traces.enable()
            connection = client.connections.create_trace("agents")
            monkeypatch.setenv("EVALROUTER_WORKSPACE_ID", client.whoami().workspace_id)
        monkeypatch.setenv("EVALROUTER_BASE_URL", url)
        monkeypatch.setenv("EVALROUTER_TRACE_CONNECTION_ID", connection.id)
        monkeypatch.setenv("EVALROUTER_TRACE_KEY", str(connection.secret))
        capture = TraceCapture(timeout=60, max_retries=0)
        with capture.agent("root") as root:
            for number in range(20):
                with capture.tool(f"tool {number}"):
                    pass
        assert capture.flush()
        process.kill()
        process.wait(30)
        sealed = capture.seal(root.trace_id, timeout=1)
        assert (sealed["state"], sealed["complete"], sealed["accepted_spans"]) != ("accepted", True, 21)
        assert not capture.close(timeout=1)
    with serving(data_dir, "--port", url.rpartition(":")[2]) as (_, again, _):
        assert again == url
        receipt = capture.seal(root.trace_id)
        assert (receipt["state"], receipt["complete"], receipt["accepted_spans"]) == ("accepted", True, 21)
        assert capture.close()
        with EvalRouter(base_url=url, api_key=secret) as client:
            assert client.traces.get(receipt["server_trace_id"]).complete
