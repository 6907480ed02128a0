import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalrouter import EvalRouter
from tests.e2e.provider import Provider

OTHERS = ("EVALROUTER_", "OPENAI_", "ANTHROPIC_")


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh data folder of the embedded server, for this process and those that it starts."""
    for name in [name for name in os.environ if name.startswith(OTHERS) and not name.startswith("EVALROUTER_TEST_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "data"
    monkeypatch.setenv("EVALROUTER_DATA_DIR", str(folder))
    monkeypatch.setenv("COLUMNS", "80")
    return folder


@pytest.fixture
def client(data_dir: Path) -> Iterator[EvalRouter]:
    """A client of an embedded server in this process."""
    with EvalRouter() as opened:
        yield opened


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A paid provider's double that answers at once."""
    with Provider() as started:
        yield started
