"""A run's results as a Parquet file, a row group a page; needs pyarrow, the extra `parquet`."""

import asyncio
import io
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from evalrouter_server.problems import Problem

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE = frozenset(
    {
        "index",
        "repeat",
        "input_tokens",
        "cached_input_tokens",
        "cache_write_tokens",
        "output_tokens",
        "reasoning_tokens",
        "charge_microusd",
    }
)
FRACTIONAL = frozenset({"score", "latency_seconds"})
TRUTH = frozenset({"is_sample", "is_partial", "correct"})
"""Columns by the kind of their values; `ended_at` is a time in UTC, all others are text."""


def check_available() -> None:
    """Refuse Parquet where it cannot be written.

    Raises:
        Problem: `format_unavailable`.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise Problem(
            "format_unavailable",
            "This server cannot write Parquet: install pyarrow beside it (the extra `parquet` of evalrouter-server), or"
            " export as csv, jsonl or json.",
        ) from None


async def parquet(
    columns: Sequence[str], document: str, pages: AsyncIterable[list[dict[str, Any]]]
) -> AsyncIterator[bytes]:
    """Write rows as a Parquet file.

    Args:
        columns: The names of the columns.
        document: The run as JSON, kept in the file's metadata as `evalrouter.run`.
        pages: The rows, by the page.

    Returns:
        The file in pieces.
    """
    from pyarrow.parquet import ParquetWriter

    sink = _Drain()
    schema = _schema(tuple(columns)).with_metadata({"evalrouter.run": document})
    writer = ParquetWriter(sink, schema, compression="zstd")
    async for page in pages:
        await asyncio.to_thread(writer.write_table, _table(page, schema))
        yield sink.drain()
    writer.close()
    yield sink.drain()


def _table(rows: list[dict[str, Any]], schema: "pa.Schema") -> "pa.Table":
    import pyarrow as pa

    return pa.Table.from_pylist(rows, schema=schema)


@cache
def _schema(columns: tuple[str, ...]) -> "pa.Schema":
    import pyarrow as pa

    def kind(column: str) -> "pa.DataType":
        if column in WHOLE:
            return pa.int64()
        if column in FRACTIONAL:
            return pa.float64()
        if column in TRUTH:
            return pa.bool_()
        return pa.timestamp("us", tz="UTC") if column == "ended_at" else pa.string()

    return pa.schema([(column, kind(column)) for column in columns])


class _Drain(io.RawIOBase):
    """A file that keeps nothing but what was written since it was last drained."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer = bytearray()
        self._position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def write(self, data: Any) -> int:
        self._buffer += data
        self._position += len(data)
        return len(data)

    def drain(self) -> bytes:
        """What was written since."""
        drained = bytes(self._buffer)
        self._buffer.clear()
        return drained
