"""A failure of the server itself: a problem with the request's ID, the traceback in the log, nothing of it outside."""

import logging
from pathlib import Path
from typing import Any

import httpx
import pytest
from evalrouter_server.app import create_app
from evalrouter_server.credentials import embedded_owner
from evalrouter_server.http_errors import invalid_request
from evalrouter_server.services import Services
from evalrouter_server.settings import Settings
from evalrouter_server.store import keys
from sqlalchemy import Connection

RUN_ID_PATTERN = "^run_[0-9a-hjkmnp-tv-z]{26}$"


async def test_an_unhandled_error_is_a_problem_and_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(connection: Connection, workspace_id: str, key_id: str) -> None:
        raise ZeroDivisionError("the insides")

    async with Services.running(Settings(data_dir=tmp_path, embedded=True)) as services:
        owner = await embedded_owner(services)
        monkeypatch.setattr(keys, "get", broken)
        transport = httpx.ASGITransport(create_app(services), raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {owner.secret}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
            with caplog.at_level(logging.ERROR):
                answer = await client.get("/v1/keys/key_" + "0" * 26)
    assert answer.status_code == 500
    problem = answer.json()
    assert problem["code"] == "internal_error"
    assert problem["request_id"] == answer.headers["EvalRouter-Request-Id"]
    assert "insides" not in answer.text
    assert problem["request_id"] in caplog.text
    assert "ZeroDivisionError: the insides" in caplog.text
    assert owner.secret not in caplog.text


async def test_a_client_that_goes_away_is_no_failure(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async with Services.running(Settings(data_dir=tmp_path, embedded=True)) as services:
        owner = await embedded_owner(services)
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/runs",
            "raw_path": b"/v1/runs",
            "query_string": b"",
            "headers": [(b"authorization", f"Bearer {owner.secret}".encode()), (b"content-length", b"100")],
        }
        await create_app(services)(scope, receive, send)
    assert sent == []
    assert caplog.text == ""


def test_a_malformed_id_is_told_without_a_pattern() -> None:
    failed = {"loc": ("path", "run_id"), "msg": "String should match pattern", "ctx": {"pattern": RUN_ID_PATTERN}}
    told = invalid_request([failed]).message
    assert told == "The request is not valid: path.run_id: An ID is run_ and 26 lowercase letters and digits."
