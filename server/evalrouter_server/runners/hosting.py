"""Hosted agents: what this machine needs for them, their installation outside the sandbox, one task inside it.

The SDK is started as a process and never imported: its `evalrouter.agents.hosted` installs an agent and says what of
the machine the agent needs, and in the sandbox it works on one task as it does on a user's machine.
"""

import asyncio
import contextlib
import json
import math
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evalrouter_server.problems import Problem
from evalrouter_server.sandbox import Command, Limits, Mount, Outcome, Sandbox
from evalrouter_server.sandbox.bubblewrap import PYTHON
from evalrouter_server.sandbox.sandbox import INSTALL

MOST_AT_ONCE = 64
"""Hosted tasks side by side, of all runs together."""

SECONDS_TO_INSTALL = 1800.0
SOCKET = "/gateway"
"""The way to the server, as it is seen inside."""

MEMORY_BYTES = 2 * 1024**3
DISK_BYTES = 1024**3

_MODULE = "evalrouter.agents.hosted"
_SECRET_NAME = re.compile("key|token|secret|password|credential|^EVALROUTER_SERVER_", re.IGNORECASE)
_SECONDS_BESIDE_TASK = 60.0
_LONGEST_REASON = 500


class HostingFailed(Exception):
    """A hosted agent could not be got ready.

    Args:
        reason: What happened, for people.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Prepared:
    """An agent that is installed.

    Attributes:
        mounts: What is shown of the machine, read-only.
        environment: The host's variables.
    """

    mounts: tuple[Mount, ...]
    environment: Mapping[str, str] = field(repr=False)


class Hosting:
    """Installs agents and runs them in sandboxes.

    Args:
        open_door: Opens the socket that leads to the gateway, when it is first needed; gives its path.
    """

    def __init__(self, open_door: Callable[[], Awaitable[Path]]) -> None:
        self._open_door = open_door
        self._door: Path | None = None
        self._opening = asyncio.Lock()
        self._installing = asyncio.Lock()
        self._sandbox = Sandbox(side_by_side=MOST_AT_ONCE)

    def close(self) -> None:
        """Start nothing further."""
        self._sandbox.close()

    async def require(self) -> None:
        """Make sure that this machine can host agents.

        Raises:
            Problem: `hosting_unavailable` or `sandbox_unavailable`, with what to install.
        """
        if find_spec("evalrouter") is None:
            raise Problem(
                "hosting_unavailable",
                "Hosted agents are started by the SDK, which is not installed beside the server: install evalrouter-sdk"
                " into the server's environment, or leave hosted out. Nothing was run.",
            )
        reason = await self._sandbox.missing()
        if reason is not None:
            raise Problem(
                "sandbox_unavailable",
                "A hosted agent runs in a sandbox only, and there is none on the server's machine: "
                f"{reason}. Nothing was run. On Linux, {INSTALL} and allow user namespaces; or leave hosted out.",
                reason=reason,
            )

    async def prepare(self, agent: Mapping[str, Any]) -> Prepared:
        """Install an agent where it is not there yet, outside the sandbox, and see what it needs inside.

        Args:
            agent: The contract's `AgentRef`.

        Raises:
            HostingFailed: It cannot be installed.
        """
        arguments = ["-P", "-m", _MODULE, "prepare", agent_name(agent)]
        arguments += ["--allow-unverified"] if is_unverified(agent) else []
        async with self._installing:
            said = await _output_of(arguments, _environment())
        try:
            needs = json.loads(said)
            mounts = tuple(Mount(Path(source), target) for source, target in needs["shown"].items())
            return Prepared(mounts, needs["environment"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HostingFailed(f"the SDK's answer was not understood: {error}") from error

    async def run(self, prepared: Prepared, job: Mapping[str, Any], *, seconds: float) -> Outcome:
        """Work on one task in a sandbox of its own; a caller that is cancelled ends it.

        Args:
            prepared: The agent.
            job: What the host is told, on standard input; see `evalrouter.agents.hosted.deliver`.
            seconds: The most time for the task.

        Raises:
            SandboxFailed: There is no sandbox here, or it failed itself.
        """
        async with self._opening:
            if self._door is None:
                self._door = await self._open_door()
        command = Command(
            (PYTHON, "-s", "-S", "-P", "-B", "-X", "utf8", "-m", _MODULE, "deliver"),
            mounts=(*prepared.mounts, Mount(self._door, SOCKET)),
            environment=prepared.environment,
            stdin=json.dumps({**job, "socket": SOCKET}).encode(),
            limits=limits_of(seconds),
        )
        return await self._sandbox.run(command)


def limits_of(seconds: float) -> Limits:
    """What bounds a hosted task.

    Args:
        seconds: The most time for it.
    """
    return Limits(
        wall_seconds=seconds + _SECONDS_BESIDE_TASK,
        cpu_seconds=math.ceil(seconds + _SECONDS_BESIDE_TASK),
        memory_bytes=MEMORY_BYTES,
        bounds_address_space=False,
        processes=512,
        file_bytes=512 * 1024**2,
        disk_bytes=DISK_BYTES,
        files=100_000,
        open_files=4096,
    )


def agent_name(agent: Mapping[str, Any]) -> str:
    """What the SDK knows an agent by: its ID and version.

    Args:
        agent: The contract's `AgentRef`.
    """
    version = agent["version"]
    return str(agent["name"]) if version in (None, "unknown") else f"{agent['name']}@{version}"


def is_unverified(agent: Mapping[str, Any]) -> bool:
    """Whether whoever started the run allowed files that nothing was published to compare with.

    Args:
        agent: The contract's `AgentRef`.
    """
    return bool(agent["integrity"] == "unverified-upstream")


def _environment() -> dict[str, str]:
    """The server's variables without its secrets: an installer finds its tools, folders and index by them."""
    return {name: value for name, value in os.environ.items() if not _SECRET_NAME.search(name)}


async def _output_of(arguments: list[str], environment: Mapping[str, str]) -> bytes:
    """What the SDK writes; whoever stops waiting ends it with all that it started.

    Raises:
        HostingFailed: It failed, or took too long.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environment),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(SECONDS_TO_INSTALL):
            output, errors = await process.communicate()
    except TimeoutError:
        raise HostingFailed(f"the installation took more than {SECONDS_TO_INSTALL:g} seconds") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.returncode != 0:
        lines = errors.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        raise HostingFailed(lines[-1][:_LONGEST_REASON])
    return output
