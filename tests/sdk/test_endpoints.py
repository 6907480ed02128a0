"""Which server a client talks to."""

import importlib.util
from pathlib import Path

import pytest

from evalrouter import AsyncEvalRouter, EvalRouter
from evalrouter.embedded import EmbeddedEndpoint
from evalrouter.endpoints import FixedEndpoint, data_folder, find_endpoints
from evalrouter.errors import ConfigurationError, ServerNotInstalledError


def test_the_environment_names_a_server() -> None:
    environment = {
        "EVALROUTER_API_KEY": "er_1",
        "EVALROUTER_BASE_URL": "https://eval.example/",
        "EVALROUTER_WORKSPACE_ID": "ws_1",
    }
    found = find_endpoints(None, None, None, environment).current()
    assert (found.base_url, found.api_key, found.workspace_id) == ("https://eval.example", "er_1", "ws_1")
    found = find_endpoints("er_2", "http://localhost:1", "ws_2", environment).current()
    assert (found.base_url, found.api_key, found.workspace_id) == ("http://localhost:1", "er_2", "ws_2")


def test_a_key_without_an_address_is_an_error_and_never_the_embedded_server() -> None:
    for client in (EvalRouter, AsyncEvalRouter):
        with pytest.raises(ConfigurationError, match="EVALROUTER_BASE_URL"):
            client(api_key="er_1")


def test_an_address_without_a_key_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="EVALROUTER_API_KEY"):
        EvalRouter(base_url="http://localhost:1")


@pytest.mark.parametrize("wrong", ["localhost:8380", "ftp://x", "http://", "http://x?y=1", "http://user:secret@x"])
def test_what_is_no_address_is_refused_without_its_password(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url") as caught:
        EvalRouter(api_key="er_1", base_url=wrong)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("wrong", ["er_1\n", "er 1", "er_ä"])
def test_what_is_no_key_is_refused_without_showing_it(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match="characters") as caught:
        EvalRouter(api_key=wrong, base_url="http://localhost:1")
    assert wrong not in str(caught.value)


def test_neither_is_the_embedded_server(tmp_path: Path) -> None:
    found = find_endpoints(None, None, None, {"EVALROUTER_DATA_DIR": str(tmp_path)})
    assert isinstance(found, EmbeddedEndpoint)
    assert found.data_dir == tmp_path
    assert data_folder({}).name == "evalrouter"


def test_without_a_server_the_error_says_both_ways_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalrouter.embedded.find_spec", lambda name: None)
    with pytest.raises(ServerNotInstalledError, match="EVALROUTER_BASE_URL") as caught:
        EvalRouter()
    assert "make setup" in str(caught.value)
    assert "dist/evalrouter_server" in str(caught.value)
    assert importlib.util.find_spec("evalrouter_server") is not None


@pytest.mark.parametrize(
    "wrong", [{"timeout": 0}, {"timeout": float("inf")}, {"max_retries": -1}, {"max_retries": 1.5}]
)
def test_wrong_numbers_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        EvalRouter(api_key="er_1", base_url="http://localhost:1", **wrong)  # type: ignore[arg-type]


def test_a_named_server_is_never_replaced() -> None:
    found = find_endpoints("er_1", "http://localhost:1", None, {})
    assert isinstance(found, FixedEndpoint)
    assert found.replace(found.current()) == found.current()
