"""The sandbox of this machine: whether there is one, and commands that run in it side by side."""

import asyncio
import os
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from evalrouter_server.problems import Problem
from evalrouter_server.sandbox import process
from evalrouter_server.sandbox.bubblewrap import PYTHON
from evalrouter_server.sandbox.command import Command, Ended, Limits, Outcome
from evalrouter_server.sandbox.process import SandboxFailed

INSTALL = "install bubblewrap 0.8 or newer (`apt install bubblewrap`)"

_PROBE = Command((PYTHON, "-I", "-S", "-c", "print('inside')"), limits=Limits(wall_seconds=30, cpu_seconds=30))


class Sandbox:
    """Runs commands in bubblewrap, as many side by side as there are processors where nothing else is said.

    Args:
        bubblewrap: The path of `bwrap`; None: wherever PATH has it.
        side_by_side: How many commands run at a time; None: as many as there are processors.
    """

    def __init__(self, bubblewrap: str | None = None, *, side_by_side: int | None = None) -> None:
        self._named = bubblewrap
        self._found: str | None = None
        self._probing = asyncio.Lock()
        self._threads = ThreadPoolExecutor(side_by_side or len(os.sched_getaffinity(0)), thread_name_prefix="sandbox")

    def close(self) -> None:
        """Take no further command; those that run go on to their end."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def require(self) -> None:
        """Make sure that there is a sandbox: probed until it works, then known.

        Raises:
            Problem: `sandbox_unavailable`, with the reason and what to install.
        """
        reason = await self.missing()
        if reason is not None:
            raise Problem(
                "sandbox_unavailable",
                "This benchmark runs code that a model or its author wrote, which is done in a sandbox only, and there"
                f" is none on the server's machine: {reason}. Nothing was run. On Linux, {INSTALL} and allow user"
                " namespaces.",
                reason=reason,
            )

    async def missing(self) -> str | None:
        """Why there is no sandbox on this machine; None where there is one."""
        async with self._probing:
            if self._found is not None:
                return None
            if sys.platform != "linux":
                return "bubblewrap needs Linux"
            found = self._named or shutil.which("bwrap")
            if found is None:
                return "bubblewrap is not installed"
            try:
                outcome = await self._run(found, _PROBE)
            except SandboxFailed as error:
                return f"bubblewrap does not work here, {error.reason}"
            if outcome.ended is not Ended.BY_ITSELF or outcome.stdout != b"inside\n":
                said = outcome.stderr.decode("utf-8", "replace").strip()[-300:]
                return f"Python does not start in bubblewrap ({outcome.ended}, {outcome.exit_status}): {said}"
            self._found = found
            return None

    async def run(self, command: Command) -> Outcome:
        """Run a command; it waits while as many run as there are processors. A caller that is cancelled ends it.

        Args:
            command: The command.

        Returns:
            What came of it; reaching a limit is an outcome.

        Raises:
            SandboxFailed: There is no sandbox here, or it failed itself.
        """
        reason = await self.missing()
        if reason is not None or self._found is None:
            raise SandboxFailed(f"{reason}; {INSTALL}")
        return await self._run(self._found, command)

    async def _run(self, bubblewrap: str, command: Command) -> Outcome:
        cancelled = threading.Event()

        def work() -> Outcome | None:
            return process.run(bubblewrap, command, is_root=os.geteuid() == 0, cancelled=cancelled)

        running = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            outcome = await asyncio.shield(running)
        except asyncio.CancelledError:
            cancelled.set()
            await asyncio.wait([running])
            raise
        if outcome is None:
            raise SandboxFailed("it was ended early")
        return outcome
