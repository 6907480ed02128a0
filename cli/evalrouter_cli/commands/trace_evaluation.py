"""`traces evaluate` and `traces save`: captured answers graded as a run, and traces as rows of a benchmark."""

from pathlib import Path
from typing import Annotated, Any

import typer

from evalrouter_cli import output, specs, watching
from evalrouter_cli.commands import run, traces
from evalrouter_cli.errors import CommandError
from evalrouter_cli.options import Json, Limit, WaitLimit
from evalrouter_cli.session import connect

TraceIds = Annotated[
    list[str] | None,
    typer.Argument(metavar="TRACE...", help="IDs of traces; leave them out to search.", show_default=False),
]
Target = Annotated[
    list[str] | None,
    typer.Option("--target", metavar="TEXT", help="An answer that is accepted; may be repeated."),
]
InputPointer = Annotated[
    str, typer.Option("--input", metavar="POINTER", help="Where the question stands in a root's input, as in /message.")
]
OutputPointer = Annotated[
    str, typer.Option("--output", metavar="POINTER", help="Where the answer stands in a root's output, as in /answer.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the group `traces`."""
    app.command("evaluate")(evaluate_traces)
    app.command("save")(save_traces)


def evaluate_traces(
    trace_ids: TraceIds = None,
    name: traces.NamePart = None,
    status: traces.Status = None,
    connection: traces.ConnectionName = None,
    since: traces.Since = None,
    before: traces.Before = None,
    limit: Limit = None,
    grader: Annotated[
        Path | None, typer.Option("--grader", metavar="FILE", help="A grader as in a benchmark's manifest, in YAML.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="MODEL", help="Ask this model; with --rubric.")
    ] = None,
    rubric: Annotated[str | None, typer.Option("--rubric", metavar="TEXT", help="What makes an answer good.")] = None,
    regex: Annotated[
        str | None, typer.Option("--regex", metavar="PATTERN", help="Compare the group `answer` with --target.")
    ] = None,
    json_field: Annotated[
        str | None, typer.Option("--json-field", metavar="POINTER", help="Compare this field with --target.")
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Compare the whole answer with --target.")] = False,
    max_seconds: Annotated[
        float | None, typer.Option("--max-seconds", help="The most seconds a trace may take.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="The most input and output tokens together.")
    ] = None,
    max_usd: Annotated[
        str | None, typer.Option("--max-usd", metavar="USD", help="The most that a trace may say it cost.")
    ] = None,
    target: Target = None,
    input: InputPointer = "",
    output_pointer: OutputPointer = "",
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", metavar="SLUG", help="The slug of the set; by default one is made.")
    ] = None,
    max_cost: specs.MaxCost = None,
    dry_run: run.DryRun = False,
    wait: run.Wait = True,
    timeout: WaitLimit = None,
    yes: run.Yes = False,
    new: run.New = False,
    run_name: Annotated[str | None, typer.Option("--run-name", metavar="TEXT", help="A name for the run.")] = None,
    idempotency_key: run.IdempotencyKey = None,
    json: Json = False,
) -> None:
    """Grade what was captured, as a run like any other. Only a judge is asked, within --max-cost.

    A trace whose answer is not stored fails with the reason; it is never counted as wrong.
    """
    limits = {"max_seconds": max_seconds, "max_tokens": max_tokens, "max_cost_usd": max_usd}
    arguments: dict[str, Any] = {
        "grader": _grader(grader, judge, rubric, regex, json_field, exact, limits),
        "target": target or None,
        "input": input,
        "output": output_pointer,
        "benchmark": benchmark,
        "max_cost": max_cost,
        "name": run_name,
        **run.key_argument(new, idempotency_key),
    }
    searched = (name, status, connection, since, before, limit)
    if bool(trace_ids) == any(each is not None for each in searched):
        raise CommandError("which traces? name them by ID, or search with --name, --status, --since and so on")
    started_from, started_before = traces.moment("--since", since), traces.moment("--before", before)
    with connect() as client:
        wanted = trace_ids or traces.find(client, name, status, connection, started_from, started_before, limit)
        if not wanted:
            raise CommandError("no trace is meant: `evalrouter traces list` takes the same search")
        if dry_run:
            run.print_quote(client.traces.evaluate(wanted, dry_run=True, **arguments), json=json)
            return
        if max_cost is None and not yes and output.may_ask():
            quoted = client.traces.evaluate(wanted, dry_run=True, **arguments)
            if quoted.maximum_charge:
                run.ask(quoted)
        started = client.traces.evaluate(wanted, **arguments)
        if wait:
            watching.finish(client, started, timeout=timeout, json=json)
        else:
            watching.leave(client, started, json=json)


def save_traces(
    trace_ids: Annotated[list[str], typer.Argument(metavar="TRACE...", help="IDs of traces.", show_default=False)],
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The file of JSON lines that takes the rows.")],
    target: Target = None,
    input: InputPointer = "",
    output_pointer: OutputPointer = "",
    json: Json = False,
) -> None:
    """Append traces to a file of JSON lines, from which `benchmarks create` makes a version."""
    accepted: Any = target[0] if target and len(target) == 1 else target or None
    with connect() as client:
        added = [
            client.traces.save_as_row(each, to, target=accepted, input=input, output=output_pointer)
            for each in trace_ids
        ]
    if json:
        output.document({"path": str(to), "added": sum(added), "already_there": len(added) - sum(added)})
    else:
        there = f", {len(added) - sum(added)} were there" if not all(added) else ""
        output.say(f"added {sum(added)} to {to}{there}")


def _grader(
    file: Path | None,
    judge: str | None,
    rubric: str | None,
    regex: str | None,
    json_field: str | None,
    exact: bool,
    limits: dict[str, Any],
) -> dict[str, Any]:
    """The one grader that was asked for.

    Raises:
        CommandError: None was, or several were.
    """
    if (judge is None) != (rubric is None):
        raise CommandError("--judge names the model that is asked and --rubric what it is asked: give both")
    limits = {name: value for name, value in limits.items() if value is not None}
    found: list[dict[str, Any]] = [
        *([_read_grader(file)] if file is not None else []),
        *([{"kind": "judge", "model": judge, "rubric": rubric}] if judge is not None else []),
        *([{"kind": "regex", "pattern": regex}] if regex is not None else []),
        *([{"kind": "json_field", "pointer": json_field, "compare": "text"}] if json_field is not None else []),
        *([{"kind": "exact", "extraction": "whole"}] if exact else []),
        *([{"kind": "limit", **limits}] if limits else []),
    ]
    if len(found) != 1:
        raise CommandError(
            "how are they graded? give one of --grader, --judge with --rubric, --regex, --json-field, --exact, or"
            " limits such as --max-seconds"
        )
    return found[0]


def _read_grader(file: Path) -> dict[str, Any]:
    import yaml

    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise CommandError(f"--grader {file} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(read, dict):
        raise CommandError(f"--grader {file} holds no grader, which is a mapping with a kind")
    return read
