"""`evalrouter langsmith`: the SDK's import of LangSmith traces, in a process that takes this one's place."""

from typing import NoReturn

import typer

from evalrouter_cli import process


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(context_settings=process.PASS_EVERYTHING_ON, add_help_option=False)(langsmith)


def langsmith(context: typer.Context) -> NoReturn:
    """Import completed traces from LangSmith."""
    process.become("evalrouter.langsmith", context.args)
