"""A server that speaks the contract, for each test its own."""

from collections.abc import Iterator

import pytest

from tests.sdk import documents
from tests.sdk.contract_server import Answer, ContractServer, serving


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "BASE_URL", "WORKSPACE_ID", "DATA_DIR"):
        monkeypatch.delenv(f"EVALROUTER_{name}", raising=False)


@pytest.fixture
def server() -> Iterator[ContractServer]:
    """A server that knows one benchmark, one model and one run."""
    with serving() as state:
        state.on("GET", "/v1/benchmarks", Answer(documents.page(documents.benchmark(), suggestions=[])))
        state.on("GET", "/v1/models", Answer(documents.page(documents.model(), suggestions=[])))
        state.on("GET", f"/v1/runs/{documents.RUN_ID}", Answer(documents.run()))
        yield state
