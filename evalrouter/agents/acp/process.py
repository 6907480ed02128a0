"""A process under a keeper: its pipes, and the one way in which it ends."""

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import SubprocessStreamProtocol
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from evalrouter.agents.acp import keeper

PIPE_BYTES = 256 * 1024
"""How much of a process's output waits to be read before the process does."""

_KEEPER_SECONDS = keeper.GRACE_SECONDS + 15.0


class _Protocol(SubprocessStreamProtocol):
    """The streams of a process, and its end, which does not wait until nobody holds its pipes."""

    def __init__(self) -> None:
        super().__init__(PIPE_BYTES, asyncio.get_running_loop())
        self.ended = asyncio.Event()

    def process_exited(self) -> None:
        """Notes the end."""
        super().process_exited()
        self.ended.set()


class KeptProcess:
    """A command that ends for good when it is told to, when it ends by itself, and when this process is gone.

    Attributes:
        stdin: Its standard input.
        stdout: Its standard output.
    """

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        protocol: _Protocol,
        lifeline: int,
        marker: str | None,
    ) -> None:
        if protocol.stdin is None or protocol.stdout is None:
            raise ValueError("the process has no pipes")
        self.stdin = protocol.stdin
        self.stdout = protocol.stdout
        self._transport = transport
        self._ended = protocol.ended
        self._lifeline: int | None = lifeline
        self._marker = marker

    @classmethod
    async def start(
        cls,
        arguments: Sequence[str],
        *,
        folder: int,
        environment: Mapping[str, str],
        stderr: Path | None = None,
        stderr_bytes: int = 0,
        marker: str,
        ends_marked: bool = False,
    ) -> Self:
        """Starts a command.

        Args:
            arguments: The command; its first word is the program.
            folder: A descriptor of the folder that it starts in.
            environment: All its variables but the marker.
            stderr: A file for its standard error; None joins it with standard output.
            stderr_bytes: The most that is kept of its standard error.
            marker: The value of the marker variable, which it gets.
            ends_marked: Whether everything that carries the marker ends with it.

        Raises:
            OSError: No process could be started.
        """
        ends, lifeline = os.pipe()
        told = {
            "lifeline": ends,
            "folder": folder,
            "stderr_path": str(stderr) if stderr else None,
            "stderr_bytes": stderr_bytes,
            "marker": marker,
            "ends_marked": ends_marked,
            "arguments": list(arguments),
        }
        loop = asyncio.get_running_loop()
        try:
            transport, protocol = await loop.subprocess_exec(
                _Protocol,
                sys.executable,
                "-I",
                "-S",
                keeper.__file__,
                json.dumps(told),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=dict(environment),
                pass_fds=(ends, folder),
                start_new_session=True,
            )
        except BaseException:
            os.close(lifeline)
            raise
        finally:
            os.close(ends)
        return cls(transport, protocol, lifeline, marker if ends_marked else None)

    @property
    def exit_status(self) -> int | None:
        """Its exit status, 128 and the signal's number for a signal; None while anything of it may live.

        Negative where the keeper was killed.
        """
        return self._transport.get_returncode()

    async def wait(self, seconds: float | None = None) -> bool:
        """Waits for its end, whoever holds its pipes.

        Args:
            seconds: How long; None without limit.

        Returns:
            Whether it has ended.
        """
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), seconds)
        return self._ended.is_set()

    def release(self) -> None:
        """Lets go of it, which ends it: its process group first, then whatever else came of it. Does not wait."""
        lifeline, self._lifeline = self._lifeline, None
        if lifeline is not None:
            os.close(lifeline)

    async def end(self) -> None:
        """Ends it, and returns when nothing of it is alive."""
        self.release()
        await self.wait(_KEEPER_SECONDS)
        self._transport.close()  # kills the keeper if it is still there
        was_killed = self.exit_status is None or self.exit_status < 0
        if was_killed and self._marker:
            keeper.end_marked(self._marker)
