"""Commands that an agent has the client run for it: in the task's folder, under a keeper each, with bounded output."""

import asyncio
import itertools
import os
import signal
from collections.abc import Mapping
from typing import Any

from evalrouter.agents.acp.folder import Folder
from evalrouter.agents.acp.process import KeptProcess

MOST_TERMINALS = 16
"""How many terminals an agent may have at a time."""

OUTPUT_BYTES = 1024 * 1024
"""The most of a command's output that is kept; the end of it."""


class TerminalRefusedError(ValueError):
    """A terminal that there is not, or one too many."""


class Terminal:
    """One command.

    Args:
        process: Its process.
        limit: The most bytes of its output that are kept.
    """

    def __init__(self, process: KeptProcess, limit: int) -> None:
        self._process = process
        self._limit = limit
        self._output = bytearray()
        self._is_cut = False
        process.stdin.close()
        self._reading = asyncio.create_task(self._read())

    def output(self) -> dict[str, Any]:
        """What it wrote so far, in the protocol's form."""
        text = bytes(self._output).decode(errors="ignore" if self._is_cut else "replace")
        said: dict[str, Any] = {"output": text, "truncated": self._is_cut}
        if self._process.exit_status is not None:
            said["exitStatus"] = self._exit()
        return said

    async def wait(self) -> dict[str, Any]:
        """Waits for its end.

        Returns:
            How it ended, in the protocol's form.
        """
        await self._process.wait()
        await self._reading
        return self._exit()

    async def end(self) -> None:
        """Ends it and all that came of it."""
        await self._process.end()
        self._reading.cancel()

    def _exit(self) -> dict[str, Any]:
        status = self._process.exit_status or 0
        known = {number.value: number.name for number in signal.Signals}
        return {"signal": known[status - 128]} if status - 128 in known else {"exitCode": status}

    async def _read(self) -> None:
        while piece := await self._process.stdout.read(64 * 1024):
            self._output += piece
            if len(self._output) > self._limit:
                del self._output[: len(self._output) - self._limit]
                self._is_cut = True


class Terminals:
    """The terminals of one agent.

    Args:
        folder: What their working folders are confined to.
        environment: The agent's own variables, which they get.
        marker: The agent's marker, which they get too.
    """

    def __init__(self, folder: Folder, environment: Mapping[str, str], marker: str) -> None:
        self._marker = marker
        self._folder = folder
        self._environment = environment
        self._terminals: dict[str, Terminal] = {}
        self._numbers = itertools.count(1)
        self._is_closed = False

    async def create(self, params: Mapping[str, Any]) -> str:
        """Starts a command.

        Args:
            params: Of `terminal/create`. A command without arguments that has a space is a line for the shell.

        Returns:
            The terminal's ID.

        Raises:
            TerminalRefusedError: There are too many.
            OutsideFolderError: Its working folder is outside the task's.
            OSError: It could not be started.
        """
        if self._is_closed or len(self._terminals) >= MOST_TERMINALS:
            raise TerminalRefusedError(f"there are {MOST_TERMINALS} terminals already: release one first")
        command = str(params.get("command", ""))
        arguments = [command, *map(str, params.get("args") or ())]
        if len(arguments) == 1 and " " in command.strip():
            arguments = ["/bin/sh", "-c", command]
        asked = {str(each["name"]): str(each["value"]) for each in params.get("env") or ()}
        limit = params.get("outputByteLimit")
        limit = min(limit, OUTPUT_BYTES) if isinstance(limit, int) and limit >= 0 else OUTPUT_BYTES
        folder = self._folder.open_folder(str(params.get("cwd") or "."))
        try:
            process = await KeptProcess.start(
                arguments, folder=folder, environment={**self._environment, **asked}, marker=self._marker
            )
        finally:
            os.close(folder)
        if self._is_closed:
            await process.end()
            raise TerminalRefusedError("the task is over")
        terminal_id = f"terminal-{next(self._numbers)}"
        self._terminals[terminal_id] = Terminal(process, limit)
        return terminal_id

    def get(self, params: Mapping[str, Any]) -> Terminal:
        """The terminal that a request names.

        Raises:
            TerminalRefusedError: There is none.
        """
        terminal = self._terminals.get(str(params.get("terminalId")))
        if terminal is None:
            raise TerminalRefusedError(f"there is no terminal {str(params.get('terminalId'))[:100]!r}")
        return terminal

    async def release(self, params: Mapping[str, Any]) -> None:
        """Ends a terminal and forgets it.

        Raises:
            TerminalRefusedError: There is none.
        """
        terminal = self.get(params)
        del self._terminals[str(params["terminalId"])]
        await terminal.end()

    async def close(self) -> None:
        """Ends all of them."""
        self._is_closed = True
        terminals, self._terminals = list(self._terminals.values()), {}
        await asyncio.gather(*(terminal.end() for terminal in terminals))
