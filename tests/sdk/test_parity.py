"""The two clients have the same calls."""

import inspect
from collections.abc import Iterator
from importlib import import_module

import pytest

from evalrouter import _async

PAIRS = [
    (module, name)
    for module in ("account", "catalog", "client", "events", "pages", "quotes", "run", "runs", "transport")
    for name, value in vars(import_module(f"{_async.__name__}.{module}")).items()
    if inspect.isclass(value) and value.__module__ == f"{_async.__name__}.{module}" and name.startswith("Async")
]


def members(kind: type) -> Iterator[tuple[str, object]]:
    for name, value in vars(kind).items():
        if not name.startswith("_"):
            yield {"aclose": "close"}.get(name, name), value


@pytest.mark.parametrize(("module", "name"), PAIRS)
def test_same_members_with_the_same_arguments(module: str, name: str) -> None:
    source = getattr(import_module(f"evalrouter._async.{module}"), name)
    twin = getattr(import_module(f"evalrouter._sync.{module}"), name.removeprefix("Async"))
    ours, theirs = dict(members(source)), dict(members(twin))
    assert ours.keys() == theirs.keys()
    for member, value in ours.items():
        if inspect.isfunction(value):
            there = theirs[member]
            assert inspect.isfunction(there)
            assert not inspect.iscoroutinefunction(there)
            given, wanted = (inspect.signature(function).parameters for function in (value, there))
            assert list(given) == list(wanted), member
            assert [(each.kind, each.default) for each in given.values()] == [
                (each.kind, each.default) for each in wanted.values()
            ], member


def test_there_are_pairs() -> None:
    assert ("runs", "AsyncRuns") in PAIRS
    assert ("client", "AsyncEvalRouter") in PAIRS
