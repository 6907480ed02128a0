import os
import signal
from collections.abc import Iterator
from multiprocessing import forkserver, resource_tracker

import pytest

from tests.databases import database_kind, database_url, templates

__all__ = ["database_kind", "database_url", "templates"]


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    """The process that servers are forked from waits for whoever inherited its lifeline; it is ended with the tests."""
    yield
    server, tracker = forkserver._forkserver, resource_tracker._resource_tracker
    for owner, name in ((server, "_forkserver_pid"), (tracker, "_pid")):
        if (pid := getattr(owner, name)) is not None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            setattr(owner, name, None)
    vars(tracker)["_fd"] = None
