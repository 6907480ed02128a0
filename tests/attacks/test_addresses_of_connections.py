"""A connection's address is shown to every reader of the workspace and called with a path behind it."""

import pytest

from tests.server.conftest import Workspace


@pytest.mark.parametrize(
    "base_url",
    [
        "http://user:hunter2@127.0.0.1/v1",
        "https://hunter2@example.com/v1",
        "http://[::1",
        "http://:80/v1",
        "http://example.com:99999/v1",
        "http://example.com/v1?key=hunter2",
        "http://example.com/v1#hunter2",
    ],
)
def test_an_address_that_cannot_be_called_or_holds_a_secret_is_refused(workspace: Workspace, base_url: str) -> None:
    answer = workspace.client.post(
        "/v1/connections",
        json={
            "name": "odd",
            "kind": "model",
            "base_url": base_url,
            "upstream_model": "m",
            "pricing": {"type": "free"},
        },
    )
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"] == "invalid_request"
    assert "hunter2" not in answer.text
