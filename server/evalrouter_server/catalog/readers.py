"""Readers: the records of a file, one at a time where the format allows it, so that a file need not fit in memory.

JSON and YAML documents are read whole; JSON lines, CSV and TSV line by line, Parquet and Arrow in batches. Any but the
last two may be gzipped.
"""

import csv
import gzip
import io
import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, get_args

import yaml

from evalrouter_server.catalog.origins import FileFormat
from evalrouter_server.catalog.rows import Row

_SUFFIXES = {"yml": "yaml", "txt": "text"}
_ROWS_A_BATCH = 1024


def format_of(name: str) -> FileFormat:
    """The format that a file's name tells, whether it is gzipped or not.

    Raises:
        ValueError: The name tells none.
    """
    suffix = PurePosixPath(name.removesuffix(".gz")).suffix.removeprefix(".").lower()
    suffix = _SUFFIXES.get(suffix, suffix)
    for known in get_args(FileFormat.__value__):
        if suffix == known:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"{name} has none of the known endings: {', '.join(get_args(FileFormat.__value__))}")


def read_records(
    path: Path, *, name: str, file_format: FileFormat | None = None, records_under: str | None = None
) -> Iterator[Row]:
    """The records of a file.

    Args:
        path: Where it lies.
        name: Its name at its source, whose ending tells its format and whether it is gzipped.
        file_format: Its format; None: the name tells it.
        records_under: Where in a JSON or YAML document the list of records is, by names with dots; None: it is one.

    Yields:
        Each record by field; a text is one record with the field `text`; values of CSV and TSV are texts.

    Raises:
        ValueError: The file is not of that form, or a library that reads it is missing.
    """
    kind = file_format or format_of(name)
    try:
        if kind in ("parquet", "arrow"):
            yield from _columnar(path, kind)
            return
        with gzip.open(path) if name.endswith(".gz") else path.open("rb") as file:
            yield from _textual(file, kind, records_under)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{name} is no gzip file: {error}") from error
    except (json.JSONDecodeError, yaml.YAMLError, csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{name} is no {kind} file: {error}") from error


def _textual(file: gzip.GzipFile | io.BufferedReader, kind: FileFormat, records_under: str | None) -> Iterator[Row]:
    if kind == "jsonl":
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield _record(json.loads(line.decode("utf-8")), f"line {number}")
    elif kind in ("csv", "tsv"):
        csv.field_size_limit(sys.maxsize)
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        rows = csv.DictReader(text, delimiter="\t" if kind == "tsv" else ",", strict=True)
        for row in rows:
            if None in row or None in row.values():
                raise ValueError(f"line {rows.line_num} has not as many fields as the heading")
            yield row
    elif kind == "text":
        yield {"text": file.read().decode("utf-8")}
    else:
        document = json.load(file) if kind == "json" else yaml.safe_load(file)
        for name in records_under.split(".") if records_under else ():
            document = document.get(name) if isinstance(document, dict) else None
        if not isinstance(document, list):
            raise ValueError(f"there is no list of records{f' under {records_under}' if records_under else ''}")
        for number, record in enumerate(document, start=1):
            yield _record(record, f"record {number}")


def _record(record: Any, place: str) -> Row:
    if not isinstance(record, dict):
        raise ValueError(f"{place} is no object with fields")
    return record


def _columnar(path: Path, kind: FileFormat) -> Iterator[Row]:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ValueError(f"reading {kind} files needs pyarrow: install evalrouter-server[parquet]") from error
    try:
        if kind == "parquet":
            with parquet.ParquetFile(path) as table:
                for batch in table.iter_batches(batch_size=_ROWS_A_BATCH):
                    yield from batch.to_pylist()
        else:
            with arrow.memory_map(str(path)) as file, arrow.ipc.open_stream(file) as stream:
                for batch in stream:
                    yield from batch.to_pylist()
    except arrow.ArrowException as error:
        raise ValueError(f"it is no {kind} file: {error}") from error
