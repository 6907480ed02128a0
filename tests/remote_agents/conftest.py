from collections.abc import Iterator

import pytest

from evalrouter import EvalRouter
from tests.e2e.conftest import provider
from tests.remote_agents.agent import Agent
from tests.server.conftest import Workspace, other_workspace, service, workspace

__all__ = ["other_workspace", "provider", "service", "workspace"]


@pytest.fixture
def agent() -> Iterator[Agent]:
    with Agent() as started:
        yield started


@pytest.fixture
def client(workspace: Workspace) -> Iterator[EvalRouter]:
    with EvalRouter(base_url=workspace.service.endpoint.base_url, api_key=workspace.secret) as opened:
        yield opened
