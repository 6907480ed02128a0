"""A run with its results as a file, streamed row by row: one JSON document, JSON lines, or CSV."""

import csv
import io
import json
from collections.abc import AsyncIterable, AsyncIterator
from typing import Any

from evalrouter_server.contract import models as contract

MEDIA_TYPES = {"json": "application/json", "jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
"""By format."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the start of a formula, wide forms included."""

CSV_COLUMNS = (
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


def export(form: contract.ExportFormatValue, run: contract.Run, results: Results) -> AsyncIterator[bytes]:
    """Write a run in a format.

    Args:
        form: `json`, `jsonl` or `csv`.
        run: The run.
        results: Its results.

    Returns:
        The file in pieces.
    """
    return {"json": _json, "jsonl": _json_lines, "csv": _csv}[form](run, results)


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
    yield _csv_lines([CSV_COLUMNS])
    async for page in results:
        rows = ({**head, **_flat(result)} for result in page)
        yield _csv_lines([[cell(row[column]) for column in CSV_COLUMNS] for row in rows])


def _head(run: contract.Run) -> dict[str, Any]:
    return {
        "run_id": run.id,
        "is_sample": run.is_sample,
        "is_partial": run.is_partial,
        "benchmark": f"{run.benchmark.slug}@{run.benchmark.version}",
        "model": run.model.slug,
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
    """A value as a CSV cell: a text that a spreadsheet would take for a formula is led by an apostrophe.

    Args:
        value: A text, number, truth value or None (an empty cell).
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA_STARTS):
        return f"'{value}"
    return value


def _csv_lines(rows: list[Any]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()
