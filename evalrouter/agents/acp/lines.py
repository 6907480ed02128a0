"""Messages over an agent's pipes, one JSON object a line: what is no message is left out, and nothing piles up."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

LINE_BYTES = 16 * 1024 * 1024
"""The longest line that is read; a longer one is skipped."""

BAD_LINES = 1000
"""How many lines that are no messages an agent may write, such as a log that it prints."""

OPEN_REQUESTS = 64
"""How many requests of an agent are worked on at a time; the next ones wait in its pipe."""

_READ_BYTES = 64 * 1024


class NotAcpError(Exception):
    """What an agent writes is not the Agent Client Protocol."""


class LineTransport:
    """What the connection of `agent-client-protocol` sends and receives messages by.

    Args:
        stdout: What the agent writes.
        stdin: What it reads.
        on_update: Takes the parameters of each `session/update`, in order and before any later message.
    """

    def __init__(
        self, stdout: asyncio.StreamReader, stdin: asyncio.StreamWriter, on_update: Callable[[dict[str, Any]], None]
    ) -> None:
        self._stdout = stdout
        self._stdin = stdin
        self._on_update = on_update
        self._buffer = bytearray()
        self._searched = 0
        self._skipping = False
        self._open = asyncio.Semaphore(OPEN_REQUESTS)
        self._writing = asyncio.Lock()
        self.failure: NotAcpError | None = None
        self.bad_lines = 0
        self.last_bad_line = ""

    async def send(self, message: dict[str, Any]) -> None:
        """Sends a message.

        Args:
            message: The message.

        Raises:
            ConnectionError: The agent does not read any more; an answer to it is dropped instead.
        """
        is_answer = "method" not in message
        try:
            async with self._writing:
                self._stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
                await self._stdin.drain()
        except (ConnectionError, RuntimeError) as error:
            if not is_answer:
                raise ConnectionError("the agent does not read any more") from error
        finally:
            if is_answer:
                self._open.release()

    async def receive(self) -> dict[str, Any] | None:
        """The next message, or None when there is none any more."""
        while True:
            line = await self._line()
            if line is None:
                return None
            message = _message(line)
            if message is None:
                self._count_bad(line)
                if self.failure:
                    return None
            elif message.get("method") == "session/update":
                if isinstance(message.get("params"), dict):
                    self._on_update(message["params"])
            else:
                if "method" in message and "id" in message:
                    await self._open.acquire()
                return message

    async def close(self) -> None:
        """Closes what the agent reads."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._stdin.close()

    async def _line(self) -> bytes | None:
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._searched = 0
                if not self._skipping:
                    return line
                self._skipping = False
                continue
            self._searched = len(self._buffer)
            if len(self._buffer) > LINE_BYTES:
                if not self._skipping:
                    self._count_bad(bytes(self._buffer[:200]))
                self._skipping = True
            if self._skipping:
                self._buffer.clear()
                self._searched = 0
            piece = await self._stdout.read(_READ_BYTES)
            if not piece:
                return None
            self._buffer += piece

    def _count_bad(self, line: bytes) -> None:
        if not line.strip():
            return
        self.bad_lines += 1
        self.last_bad_line = line[:200].decode(errors="replace")
        if self.bad_lines > BAD_LINES:
            self.failure = NotAcpError(f"it wrote more than {BAD_LINES} lines that are no messages of the protocol")


def _message(line: bytes) -> dict[str, Any] | None:
    """The message of a line, or None where it has none that the connection can take."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict):
        return None
    number = message.get("id")
    if isinstance(number, bool) or not isinstance(number, int | str | None):
        return None
    if "method" in message:
        return message if isinstance(message["method"], str) else None
    if not isinstance(message.get("error", {}), dict | None):
        message["error"] = {"message": str(message["error"])[:1000]}
    return message if number is not None else None
