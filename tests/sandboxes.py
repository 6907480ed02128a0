"""The sandbox for tests, and what proves that nothing of it is left.

A `conftest.py` imports the fixtures that it wants. Where this machine has no sandbox the tests skip; with
EVALROUTER_REQUIRE_SANDBOX set they fail.
"""

import asyncio
import os
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from evalrouter_server.sandbox import Command, Outcome, Sandbox

MARKER = "EVALROUTER_TEST_SANDBOX"


class MarkedSandbox(Sandbox):
    """A sandbox whose processes can be told from all others.

    Attributes:
        mark: The value of MARKER in their environment.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mark = secrets.token_hex(8)

    async def run(self, command: Command) -> Outcome:
        """Run a command under the mark."""
        return await super().run(replace(command, environment={**command.environment, MARKER: self.mark}))

    def left_running(self) -> list[int]:
        """The processes that carry the mark."""
        return [process for process in _processes() if f"{MARKER}={self.mark}".encode() in _environment(process)]


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _environment(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return b""


def need_sandbox() -> None:
    """Skip the test where there is no sandbox, or fail it where one is required."""
    reason = asyncio.run(Sandbox().missing())
    if reason is not None:
        if os.environ.get("EVALROUTER_REQUIRE_SANDBOX"):
            pytest.fail(f"no sandbox: {reason}")
        pytest.skip(f"no sandbox: {reason}")


@pytest.fixture(scope="session")
def has_sandbox() -> None:
    """Skips or fails where there is no sandbox."""
    need_sandbox()


@pytest.fixture
def sandbox(has_sandbox: None) -> Iterator[MarkedSandbox]:
    """A sandbox of which nothing may be left after the test."""
    made = MarkedSandbox()
    yield made
    assert made.left_running() == []
