"""`traces`: what agents did, listed and shown as trees."""

import sys
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evalrouter_cli import documents, formats, output
from evalrouter_cli.errors import CommandError
from evalrouter_cli.options import Json, Limit, new_group
from evalrouter_cli.session import connect

if TYPE_CHECKING:
    from evalrouter import EvalRouter, Trace, TraceSpan

app = new_group("List agents' traces, show them as trees, switch them on.")

TraceId = Annotated[str, typer.Argument(metavar="TRACE", help="The trace's ID, a UUID.", show_default=False)]

NamePart = Annotated[
    str | None, typer.Option("--name", metavar="TEXT", help="Only traces whose root's name holds this.")
]
Status = Annotated[
    Literal["ok", "error", "unset"] | None, typer.Option("--status", help="Only traces with this status.")
]
ConnectionName = Annotated[
    str | None, typer.Option("--connection", metavar="NAME", help="Only traces of this trace connection.")
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Only traces that started then or later (ISO 8601).")
]
Before = Annotated[
    str | None, typer.Option("--before", metavar="TIME", help="Only traces that started before (ISO 8601).")
]

STATUS_WORDS = {"ok": "ok", "error": "ERROR", "unset": "not stated"}
"""What a status reads as; `unset` says that nobody said, which is no success."""


@app.command("list")
def list_traces(
    name: NamePart = None,
    status: Status = None,
    connection: ConnectionName = None,
    since: Since = None,
    before: Before = None,
    limit: Limit = 50,
    json: Json = False,
) -> None:
    """List traces, the last to arrive first."""
    started_from, started_before = moment("--since", since), moment("--before", before)
    with connect() as client:
        found = find(client, name, status, connection, started_from, started_before, limit)
    if json:
        output.document(documents.items(documents.trace(trace) for trace in found))
        return
    output.table(
        ["TRACE", "NAME", "STATUS", "SPANS", "TOKENS IN", "TOKENS OUT", "STARTED", "SECONDS", "SEALED"],
        [
            [
                trace.id,
                trace.name or formats.NOTHING,
                status_text(trace.status),
                formats.count(trace.span_count),
                _count(trace.tokens.input),
                _count(trace.tokens.output),
                formats.moment(trace.started_at),
                _seconds(trace.duration_seconds),
                seal_text(trace),
            ]
            for trace in found
        ],
        numeric=["SPANS", "TOKENS IN", "TOKENS OUT", "SECONDS"],
    )


@app.command("show")
def show_trace(trace_id: TraceId, json: Json = False) -> None:
    """Show a trace as a tree; --json has everything that its spans hold."""
    with connect() as client:
        trace = client.traces.get(trace_id)
        spans = client.traces.spans(trace_id).list()
    if json:
        output.document({**documents.trace(trace), "spans": [documents.span(span) for span in spans]})
        return
    output.details(
        [
            ("trace", trace.id),
            ("name", output.printable(trace.name or formats.NOTHING)),
            ("status", status_text(trace.status)),
            ("started", formats.moment(trace.started_at)),
            ("spans", f"{formats.count(trace.span_count)}, {trace.error_span_count} with an error"),
            ("tokens", f"{_count(trace.tokens.input)} in, {_count(trace.tokens.output)} out, as the source reports"),
            ("coverage", f"{trace.coverage}, by {', '.join(trace.origins)}"),
            ("sealed", seal_text(trace)),
        ]
    )
    output.say()
    _show_tree(spans)


@app.command("delete")
def delete_trace(trace_id: TraceId, json: Json = False) -> None:
    """Delete a trace with its spans and their content, for good."""
    with connect() as client:
        client.traces.delete(trace_id)
    if json:
        output.document({"id": trace_id, "deleted": True})
    else:
        output.say(f"deleted {trace_id}")


@app.command("enable")
def enable_traces(json: Json = False) -> None:
    """Turn the workspace's Traces switch on."""
    _turn(True, json)


@app.command("disable")
def disable_traces(json: Json = False) -> None:
    """Turn the workspace's Traces switch off: refuses traces, and hides what is there."""
    _turn(False, json)


def status_text(status: str) -> str:
    """A status in words; one that nobody stated, or that is not known here, never reads as success."""
    return STATUS_WORDS.get(status, status)


def seal_text(trace: "Trace") -> str:
    """Whether a trace is sealed, and whether all of it is there."""
    if trace.sealed_at is None:
        return "no"
    return "complete" if trace.complete else f"incomplete: {trace.late_span_count} spans came late"


def _show_tree(spans: Iterable["TraceSpan"]) -> None:
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    root = Tree("", hide_root=True)
    branches = [root]
    for span in spans:
        del branches[span.depth + 1 :]
        branches.append(branches[-1].add(Text(_line(span))))
    console = Console(
        file=sys.stdout, no_color=not output.is_styled(sys.stdout), highlight=False, soft_wrap=True, emoji=False
    )
    console.print(root)


def _line(span: "TraceSpan") -> str:
    told = [span.kind, output.printable(span.name or formats.NOTHING), status_text(span.status)]
    if span.duration_seconds is not None:
        told.append(f"{_seconds(span.duration_seconds)} s")
    if span.tokens.input is not None or span.tokens.output is not None:
        told.append(f"{_count(span.tokens.input)} in, {_count(span.tokens.output)} out")
    if span.parent_missing:
        told.append("its parent is not here")
    if span.late:
        told.append("late")
    return " · ".join(told)


def _turn(enabled: bool, json: bool) -> None:
    with connect() as client:
        now = client.traces.enable(enabled)
    if json:
        output.document({"traces_enabled": now})
    else:
        output.say(f"traces are {'on' if now else 'off'}")


def find(
    client: "EvalRouter",
    name: str | None,
    status: str | None,
    connection: str | None,
    started_from: datetime | None,
    started_before: datetime | None,
    limit: int | None,
) -> list["Trace"]:
    """The traces that a search means, the last to arrive first."""
    return client.traces.list(
        name=name,
        status=status,
        connection_id=None if connection is None else client.connections.get(connection).id,
        started_from=started_from,
        started_before=started_before,
        limit=limit,
    ).list()


def moment(option: str, text: str | None) -> datetime | None:
    """The time that an option names.

    Raises:
        CommandError: It names none, or one without an offset.
    """
    if text is None:
        return None
    try:
        named = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"{option} {text!r} is no time: give it as in 2026-01-31T12:00:00+00:00") from None
    if named.tzinfo is None:
        raise CommandError(f"{option} {text!r} has no offset: add one, such as Z for UTC")
    return named


def _seconds(duration: float | None) -> str:
    return formats.NOTHING if duration is None else f"{duration:.3f}"


def _count(number: int | None) -> str:
    return formats.NOTHING if number is None else formats.count(number)
