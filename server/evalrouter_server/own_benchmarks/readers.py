"""Rows out of a file, one at a time: JSON lines, CSV and Parquet. What is wrong with a row does not end the reading."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, BinaryIO

from evalrouter_server.own_benchmarks.definition import Format
from evalrouter_server.problems import Problem

LARGEST_LINE_BYTES = 1024 * 1024
LARGEST_CELL_BYTES = 256 * 1024
PARQUET_BATCH_ROWS = 64
LARGEST_PARQUET_BYTES = 1024 * 1024 * 1024
"""What a Parquet file may hold uncompressed."""

_MARKS = {
    b"\xef\xbb\xbf": "UTF-8",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row as the file has it.

    Attributes:
        number: Its number, from 1.
        values: What it holds, by column.
    """

    number: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Something that is wrong with a row, or with the whole file.

    Attributes:
        row: The row's number, from 1, a header not counted; None for the whole file.
        code: A stable code.
        message: What is wrong and what to do.
        column: The column that it is about.
    """

    row: int | None
    code: str
    message: str
    column: str | None = None


def read_rows(file: BinaryIO, format: Format, columns: Sequence[str]) -> Iterator[RawRow | RowProblem]:
    """Read a file's rows, each or what is wrong with it.

    Args:
        file: The file, at its start.
        format: What it holds.
        columns: The columns that are wanted.

    Raises:
        Problem: `data_unavailable`: this server cannot read the format.
    """
    start = file.read(4)
    file.seek(0)
    wrong = _wrong_start(start, format)
    if wrong is not None:
        yield wrong
        return
    readers = {"jsonl": _json_lines, "csv": _csv, "parquet": _parquet}
    empty = True
    for row in readers[format](file, columns):
        empty = False
        yield row
    if empty:
        yield RowProblem(None, "empty_file", "the file has no rows: a benchmark needs at least one")


def _wrong_start(start: bytes, format: Format) -> RowProblem | None:
    if not start:
        return RowProblem(None, "empty_file", "the file is empty: a benchmark needs at least one row")
    if (start == b"PAR1") != (format == "parquet"):
        message = "the file is a Parquet file" if start == b"PAR1" else "the file is not a Parquet file"
        return RowProblem(None, "wrong_format", f"{message}, not {format}: name it rightly, or state source.format")
    mark = next((name for bytes_, name in _MARKS.items() if start.startswith(bytes_)), None)
    if mark is not None:
        return RowProblem(
            None,
            "byte_order_mark",
            f"the file begins with a byte order mark ({mark}): save it as UTF-8 without one",
        )
    return None


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    problem: RowProblem | None


def _lines(file: BinaryIO) -> Iterator[_Line]:
    """The lines with their ends; of a line that cannot be had only what is wrong with it."""
    number = 0
    while data := file.readline(LARGEST_LINE_BYTES + 1):
        number += 1
        problem = None
        if len(data) > LARGEST_LINE_BYTES:
            while data and not data.endswith(b"\n"):
                data = file.readline(LARGEST_LINE_BYTES)
            message = f"line {number} has more than {LARGEST_LINE_BYTES:,} bytes: shorten it"
            yield _Line(number, "", RowProblem(None, "row_too_large", message))
            continue
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"line {number} is not UTF-8 at its byte {error.start + 1}: save the file as UTF-8"
            text, problem = data.decode("utf-8", "replace"), RowProblem(None, "not_utf8", message)
        yield _Line(number, text, problem)


def _json_lines(file: BinaryIO, columns: Sequence[str]) -> Iterator[RawRow | RowProblem]:
    row = 0
    for line in _lines(file):
        if line.problem is None and not line.text.strip():
            continue
        row += 1
        if line.problem is not None:
            yield RowProblem(row, line.problem.code, line.problem.message)
            continue
        yield _json_row(row, line)


def _json_row(row: int, line: _Line) -> RawRow | RowProblem:
    try:
        values = json.loads(line.text, parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_unique)
    except _NotFinite as error:
        return RowProblem(row, "not_finite", f"line {line.number} holds {error}, which is no number of JSON")
    except _Twice as error:
        return RowProblem(row, "duplicate_column", f"line {line.number} holds {str(error)!r} twice", str(error))
    except RecursionError:
        return RowProblem(
            row, "nested_value", f"line {line.number} is nested too deeply: columns hold texts and numbers"
        )
    except ValueError as error:
        return RowProblem(row, "malformed_row", f"line {line.number} is not JSON ({error}): write one object a line")
    if not isinstance(values, dict):
        kind = "a list" if isinstance(values, list) else "no object"
        return RowProblem(row, "malformed_row", f"line {line.number} is {kind}: write one JSON object a line")
    return RawRow(row, values)


class _NotFinite(ValueError):
    pass


class _Twice(ValueError):
    pass


def _refuse(constant: str) -> None:
    raise _NotFinite(constant)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return values


class _CsvLines:
    """Feeds the CSV reader and remembers what was wrong with a line of the row that it is reading."""

    def __init__(self, file: BinaryIO) -> None:
        self._lines = _lines(file)
        self.number = 0
        self.problem: RowProblem | None = None

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.number = line.number
            self.problem = self.problem or line.problem
            yield line.text or "\n"

    def take_problem(self) -> RowProblem | None:
        """What was wrong since the last row."""
        problem, self.problem = self.problem, None
        return problem


def _csv(file: BinaryIO, columns: Sequence[str]) -> Iterator[RawRow | RowProblem]:
    csv.field_size_limit(LARGEST_LINE_BYTES)
    lines = _CsvLines(file)
    reader = csv.reader(iter(lines), strict=True)
    header: list[str] | None = None
    row = 0
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            lines.take_problem()
            row += header is not None
            message = f"the CSV is malformed by line {lines.number} ({error}): check its quotes"
            yield RowProblem(row or None, "malformed_row", message)
            if header is None:
                return
            continue
        problem = lines.take_problem()
        if cells is None:
            return
        if header is None:
            wrong = problem or _wrong_header(cells, columns)
            if wrong is not None:
                yield wrong
                return
            header = cells
            continue
        if not cells and problem is None:
            continue
        row += 1
        if problem is not None:
            yield RowProblem(row, problem.code, problem.message)
        elif len(cells) != len(header):
            yield RowProblem(
                row,
                "ragged_row",
                f"the row that ends at line {lines.number} has {len(cells)} cells, the header has {len(header)}",
            )
        else:
            yield RawRow(row, dict(zip(header, cells, strict=True)))


def _wrong_header(names: list[str], columns: Sequence[str]) -> RowProblem | None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return RowProblem(None, "duplicate_column", f"the header names {twice!r} more than once", twice)
    return _missing_column(names, columns)


def _missing_column(names: Sequence[str], columns: Sequence[str]) -> RowProblem | None:
    missing = next((column for column in columns if column not in names), None)
    if missing is None:
        return None
    shown = ", ".join(repr(name[:60]) for name in names[:20])
    return RowProblem(None, "missing_column", f"there is no column {missing!r}; the file has {shown}", missing)


def _parquet(file: BinaryIO, columns: Sequence[str]) -> Iterator[RawRow | RowProblem]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise Problem(
            "data_unavailable",
            "This server cannot read Parquet: install evalrouter-server with its extra `parquet`, or bring the rows as"
            " JSON lines or CSV.",
        ) from None
    try:
        opened = parquet.ParquetFile(file, memory_map=False, pre_buffer=False)
        missing = _missing_column(opened.schema_arrow.names, columns)
        if missing is not None:
            yield missing
            return
        groups = (opened.metadata.row_group(number) for number in range(opened.metadata.num_row_groups))
        if sum(group.total_byte_size for group in groups) > LARGEST_PARQUET_BYTES:
            message = f"the file holds more than {LARGEST_PARQUET_BYTES:,} bytes uncompressed: split the benchmark"
            yield RowProblem(None, "file_too_large", message)
            return
        row = 0
        for batch in opened.iter_batches(PARQUET_BATCH_ROWS, columns=list(dict.fromkeys(columns)), use_threads=False):
            for values in batch.to_pylist():
                row += 1
                yield RawRow(row, values)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        yield RowProblem(None, "malformed_file", f"the Parquet file cannot be read: {str(error)[:200]}")
