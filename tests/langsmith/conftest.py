from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from tests.langsmith.history import History
from tests.langsmith.holding import Holding
from tests.langsmith.importing import Setting
from tests.langsmith.langsmith_service import LangSmithService, langsmith_service
from tests.tracing.receiver import receiving


@pytest.fixture(params=["v2", "v1"])
def langsmith(request: pytest.FixtureRequest) -> Iterator[LangSmithService]:
    """LangSmith's double, with each of its APIs."""
    has_v2 = request.param == "v2"
    with langsmith_service(version="0.16.2" if has_v2 else "0.12.6", has_v2=has_v2) as service:
        service.project()
        yield service


@pytest.fixture
def destination() -> Iterator[Holding]:
    """A trace connection's server."""
    state = Holding()
    with receiving(state):
        yield state


@pytest.fixture
def setting(langsmith: LangSmithService, destination: Holding, tmp_path: Path) -> Setting:
    """Both, and a folder."""
    return Setting(langsmith, destination.url, tmp_path / "private", log=StringIO())


@pytest.fixture
def history(langsmith: LangSmithService) -> History:
    """What an application did."""
    return History(langsmith)
