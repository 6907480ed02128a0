import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from evalrouter.tracing import TraceCapture
from tests.tracing.receiver import Receiver, receiving

type Make = Callable[..., TraceCapture]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A trace connection's server."""
    with receiving() as state:
        yield state


@pytest.fixture
def environment(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """The four variables name that server."""
    monkeypatch.setenv("EVALROUTER_BASE_URL", receiver.url)
    monkeypatch.setenv("EVALROUTER_WORKSPACE_ID", "ws_1")
    monkeypatch.setenv("EVALROUTER_TRACE_CONNECTION_ID", "conn_1")
    monkeypatch.setenv("EVALROUTER_TRACE_KEY", "er_trace_key")
    monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
    return receiver


@pytest.fixture
def make(environment: Receiver) -> Iterator[Make]:
    """Makes instances that try once, and reads them no longer than the test."""

    def made(**options: Any) -> TraceCapture:
        return TraceCapture(**({"timeout": 5.0, "max_retries": 0} | options))

    yield made
    gc.collect()


@pytest.fixture
def capture(make: Make) -> TraceCapture:
    """An instance."""
    return make()
