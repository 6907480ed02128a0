"""The SDK's capture and the real server agree on digests, seals and replays."""

import pytest

from evalrouter.tracing import TraceCapture
from tests.server.conftest import Workspace
from tests.traces.sender import Sender


@pytest.mark.parametrize("content", [True, False])
def test_a_captured_trace_is_sealed_complete_and_read_back(
    workspace: Workspace, sender: Sender, monkeypatch: pytest.MonkeyPatch, content: bool
) -> None:
    for name, value in {
        "EVALROUTER_BASE_URL": workspace.service.endpoint.base_url,
        "EVALROUTER_WORKSPACE_ID": workspace.id,
        "EVALROUTER_TRACE_CONNECTION_ID": sender.id,
        "EVALROUTER_TRACE_KEY": sender.secret,
    }.items():
        monkeypatch.setenv(name, value)
    capture = TraceCapture(capture_content=content)
    with capture.agent("Support assistant") as root:
        root.input({"message": "Grüße \U0001f600", "score": 0.1})
        with capture.model("some-model") as model:
            model.output({"answer": "forty-two"})
    receipt = capture.seal(root.trace_id)
    assert (receipt["state"], receipt["complete"]) == ("accepted", True)
    assert capture.close() is True
    (trace,) = workspace.client.get("/v1/traces").json()["items"]
    assert (trace["id"], trace["complete"], trace["span_count"]) == (receipt["server_trace_id"], True, 2)
    page = workspace.client.get(f"/v1/traces/{trace['id']}/spans")
    assert [(span["kind"], span["depth"]) for span in page.json()["items"]] == [("agent", 0), ("model", 1)]
    assert ("forty-two" in page.text) is content
