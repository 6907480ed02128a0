"""Arguments and options that several commands share, and the kind of group that they live in."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout instead.")]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run's ID.", show_default=False)]
Limit = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="Show at most N.")]
WaitLimit = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        min=0,
        metavar="SECONDS",
        help="Stop watching after so long (exit 6). A server's run goes on; a run inside this command pauses.",
    ),
]


def new_group(summary: str) -> typer.Typer:
    """A group of commands, with plain help that reads the same in a pipe."""
    return typer.Typer(help=summary, rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
