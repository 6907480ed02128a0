"""A run with its results as a file, streamed by the page: a JSON document, JSON lines, CSV, Parquet or an HTML page."""

import csv
import io
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from typing import Any

from evalrouter_server.contract import models as contract
from evalrouter_server.store.results import Measure

MEDIA_TYPES = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "html": "text/html; charset=utf-8",
}
"""By format."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the start of a formula, wide forms included."""

BLANKS = " \u00a0\u200b\u3000\ufeff"
"""What a spreadsheet may skip before it."""

MARK = "'"
"""Stands before what a spreadsheet would take for something else, in a cell of CSV; readers take it away."""

SEPARATOR = ";"
"""What many a country's spreadsheet takes for the end of a cell."""

_BEHIND_SEPARATOR = re.compile(f"({SEPARATOR}[{BLANKS}]*)(?=[{re.escape(''.join((MARK, *FORMULA_STARTS)))}])")

COLUMNS = (
    "run_id",
    "is_sample",
    "is_partial",
    "benchmark",
    "model",
    "task_id",
    "item_id",
    "index",
    "repeat",
    "group",
    "status",
    "score",
    "correct",
    "extracted",
    "rule",
    "details",
    "finish_reason",
    "output",
    "inputs",
    "target",
    "input_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
    "charge_microusd",
    "latency_seconds",
    "model_served",
    "error_code",
    "error_message",
    "ended_at",
)

type Results = AsyncIterable[list[contract.TaskResult]]
"""A run's results in the order of the plan, by the page."""


def export(
    form: contract.ExportFormatValue,
    run: contract.Run,
    results: Results,
    measures: Sequence[Measure],
    template: str | None = None,
) -> AsyncIterator[bytes]:
    """Write a run in a format.

    Args:
        form: `json`, `jsonl`, `csv`, `parquet` or `html`.
        run: The run.
        results: Its results.
        measures: The figures of its tasks, for the charts of `html`.
        template: The template of its prompts, by which `html` tells the question; None: it is not known.

    Returns:
        The file in pieces.

    Raises:
        Problem: `format_unavailable`: Parquet, and pyarrow is not installed.
    """
    if form == "html":
        from evalrouter_server.reports import run_report

        return run_report(run, measures, results, template)
    if form == "parquet":
        from evalrouter_server.parquet import check_available

        check_available()
    return {"json": _json, "jsonl": _json_lines, "csv": _csv, "parquet": _parquet}[form](run, results)


async def _json(run: contract.Run, results: Results) -> AsyncIterator[bytes]:
    yield b'{"run":' + run.model_dump_json().encode() + b',"results":['
    separator = b"\n"
    async for page in results:
        for result in page:
            yield separator + result.model_dump_json().encode()
            separator = b",\n"
    yield b"\n]}\n"


async def _json_lines(run: contract.Run, results: Results) -> AsyncIterator[bytes]:
    head = _head(run)
    async for page in results:
        rows = ({**head, **result.model_dump(mode="json")} for result in page)
        yield "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


async def _csv(run: contract.Run, results: Results) -> AsyncIterator[bytes]:
    head = _head(run)
    yield _csv_lines([COLUMNS])
    async for page in results:
        rows = ({**head, **_flat(result)} for result in page)
        yield _csv_lines([[cell(row[column]) for column in COLUMNS] for row in rows])


def _parquet(run: contract.Run, results: Results) -> AsyncIterator[bytes]:
    from evalrouter_server.parquet import parquet

    head = _head(run)

    async def pages() -> AsyncIterator[list[dict[str, Any]]]:
        async for page in results:
            yield [{**head, **_flat(result), "ended_at": result.ended_at} for result in page]

    return parquet(COLUMNS, run.model_dump_json(), pages())


def _head(run: contract.Run) -> dict[str, Any]:
    return {
        "run_id": run.id,
        "is_sample": run.is_sample,
        "is_partial": run.is_partial,
        "benchmark": f"{run.benchmark.slug}@{run.benchmark.version}",
        "model": None if run.model is None else run.model.slug,
    }


def _flat(result: contract.TaskResult) -> dict[str, Any]:
    row = result.model_dump(mode="json", exclude={"usage", "error"})
    return {
        **row,
        **result.usage.model_dump(),
        "inputs": json.dumps(row["inputs"], ensure_ascii=False),
        "target": json.dumps(row["target"], ensure_ascii=False),
        "details": None if row["details"] is None else json.dumps(row["details"], ensure_ascii=False),
        "error_code": result.error and result.error.code,
        "error_message": result.error and result.error.message,
    }


def cell(value: object) -> object:
    """A value as a CSV cell, from which the value can be had again.

    A text that a spreadsheet would take for a formula is led by an apostrophe; so is one that begins with an apostrophe
    itself, and so is the empty text, since an empty cell is None. A spreadsheet that separates cells by semicolons
    finds another cell behind each one, so there an apostrophe stands before the same characters. Taking away one
    apostrophe at the beginning and one behind each semicolon and the blanks that follow it gives the text.

    Args:
        value: A text, number, truth value or None (an empty cell).
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return value
    marked = _BEHIND_SEPARATOR.sub(rf"\1{MARK}", value)
    return f"{MARK}{marked}" if _needs_mark(value) else marked


def _needs_mark(text: str) -> bool:
    return not text or text.startswith(MARK) or text.lstrip(BLANKS + SEPARATOR).startswith(FORMULA_STARTS)


def _csv_lines(rows: list[Any]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()
