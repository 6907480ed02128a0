"""`results`, `calls` and `export`: what a run left behind, task by task and call by call."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import typer

from evalrouter_cli import documents, formats, output, summary
from evalrouter_cli.options import Json, Limit, RunId
from evalrouter_cli.session import connect

SHOWN_ANSWER = 40
"""Characters of an answer that the table shows."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(results)
    app.command()(calls)
    app.command()(export)


def results(run_id: RunId, limit: Limit = None, json: Json = False) -> None:
    """List a run's task results.

    With --json they have inputs, outputs and targets in full.
    """
    with connect() as client:
        run = client.runs.get(run_id)
        found = run.results(limit).list()
    if json:
        output.document(documents.items((documents.task_result(result) for result in found), run=documents.run(run)))
        return
    for label in summary.labels(run):
        output.note(label)
    output.table(
        ["TASK", "ITEM", "REPEAT", "STATUS", "SCORE", "ANSWER", "TOKENS", "COST USD", "SECONDS"],
        [
            [
                str(result.index),
                result.item_id,
                str(result.repeat),
                result.status,
                formats.score(result.score),
                _answer(result.extracted if result.error is None else result.error.message),
                formats.count(result.usage.output_tokens),
                formats.usd(result.charge),
                formats.NOTHING if result.latency_seconds is None else f"{result.latency_seconds:.2f}",
            ]
            for result in found
        ],
        numeric=["TASK", "REPEAT", "SCORE", "TOKENS", "COST USD", "SECONDS"],
    )


def calls(run_id: RunId, limit: Limit = None, json: Json = False) -> None:
    """List a run's model calls with their charges.

    Every charge is explained by exactly one call.
    """
    with connect() as client:
        run = client.runs.get(run_id)
        found = run.calls(limit).list()
    if json:
        output.document(documents.items((documents.call(call) for call in found), run_id=run.id))
        return
    output.table(
        ["CALL", "FOR", "STATUS", "MODEL", "TRIES", "INPUT", "CACHED", "OUTPUT", "USAGE", "COST USD"],
        [
            [
                call.id,
                call.purpose,
                call.status,
                call.model_served or call.model_requested,
                str(len(call.tries)),
                formats.count(call.usage.input_tokens),
                formats.count(call.usage.cached_input_tokens),
                formats.count(call.usage.output_tokens),
                call.usage_source or formats.NOTHING,
                formats.usd(call.charge),
            ]
            for call in found
        ],
        numeric=["TRIES", "INPUT", "CACHED", "OUTPUT", "COST USD"],
    )
    judged = [call.charge for call in found if call.purpose == "judge"]
    if judged:
        of_judge, of_all = sum(judged, Decimal(0)), sum((call.charge for call in found), Decimal(0))
        output.say(f"of the judge: {formats.usd(of_judge)} of {formats.usd(of_all)} USD")


def export(
    run_id: RunId,
    format: Annotated[
        Literal["json", "jsonl", "csv", "parquet", "html"], typer.Option("--format", "-f", help="The file's form.")
    ] = "json",
    to: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there.")] = False,
    json: Json = False,
) -> None:
    """Write a run with its results to a file.

    The file gets a fresh name unless one is given, and none is replaced without --overwrite.
    """
    with connect() as client:
        path = client.runs.get(run_id).export(to, format, overwrite)
    if json:
        output.document({"run_id": run_id, "format": format, "path": str(path)})
    else:
        output.say(str(path))


def _answer(text: str | None) -> str:
    if text is None:
        return formats.NOTHING
    line = output.printable(text)
    return line if len(line) <= SHOWN_ANSWER else f"{line[: SHOWN_ANSWER - 3]}..."
