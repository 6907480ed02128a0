"""The way out of a sandbox without a network: a loopback port inside, joined to the one Unix socket that is shown."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

_PIECE = 65536
_MOST_CONNECTIONS = 256


@contextlib.asynccontextmanager
async def bridge(socket: str) -> AsyncIterator[str]:
    """Joins a loopback port to a Unix socket while the context is open.

    Args:
        socket: The socket's path.

    Yields:
        The port's address, `http://127.0.0.1:PORT`.
    """
    connections: set[asyncio.Task[None]] = set()

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        task.add_done_callback(connections.discard)
        with contextlib.suppress(OSError), contextlib.closing(writer):
            if len(connections) > _MOST_CONNECTIONS:
                return
            far_reader, far_writer = await asyncio.open_unix_connection(socket)
            with contextlib.closing(far_writer):
                await asyncio.gather(_pass(reader, far_writer), _pass(far_reader, writer))

    server = await asyncio.start_server(join, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in list(connections):
            task.cancel()
        if connections:
            await asyncio.wait(connections, timeout=1)


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Passes on what is read until its end."""
    with contextlib.suppress(OSError):
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.write_eof()
