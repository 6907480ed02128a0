"""`runs`: list runs, show one."""

from typing import Annotated, Literal

import typer

from evalrouter_cli import documents, formats, output, summary
from evalrouter_cli.options import Json, Limit, RunId, new_group
from evalrouter_cli.session import connect

app = new_group("List runs, show one.")

Status = Annotated[
    Literal["queued", "running", "paused", "cancelling", "completed", "partial", "cancelled", "failed"] | None,
    typer.Option("--status", help="Only runs with this status."),
]


@app.command("list")
def list_runs(status: Status = None, limit: Limit = 50, json: Json = False) -> None:
    """List runs, newest first."""
    with connect() as client:
        found = client.runs.list(status, limit).list()
    if json:
        output.document(documents.items(documents.run(run) for run in found))
        return
    output.table(
        ["RUN", "STATUS", "BENCHMARK", "MODEL", "SCORE", "GRADED", "COST USD", "CREATED"],
        [
            [
                run.id,
                run.status,
                str(run.benchmark),
                output.printable(summary.short_subject(run)),
                summary.short_score(run),
                f"{run.coverage.graded}/{run.coverage.selected}",
                formats.usd(run.cost),
                formats.moment(run.created_at),
            ]
            for run in found
        ],
        numeric=["GRADED", "COST USD"],
    )


@app.command("show")
def show_run(run_id: RunId, json: Json = False) -> None:
    """Show a run's score, coverage and cost."""
    with connect() as client:
        run = client.runs.get(run_id)
    if json:
        output.document(documents.run(run))
    else:
        summary.show_run(run)
