"""The app and its boundary: whatever happens ends as one line and an exit code, never as a traceback."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from evalrouter_cli import __version__, output
from evalrouter_cli.commands import (
    agents,
    benchmarks,
    compare,
    connections,
    control,
    keys,
    langsmith,
    models,
    reading,
    run,
    runs,
    serve,
    trace_evaluation,
    traces,
    wallet,
    whoami,
    worker,
)
from evalrouter_cli.errors import Refusal, describe
from evalrouter_cli.exit_codes import ExitCode

DISTRIBUTION = "evalrouter"

app = typer.Typer(
    name="evalrouter",
    help="Evaluate a model on a benchmark with a hard budget in dollars.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        output.say(f"{DISTRIBUTION} {__version__}")
        raise typer.Exit


@app.callback()
def start(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Evaluate a model on a benchmark with a hard budget in dollars."""


run.register(app)
control.register(app)
reading.register(app)
compare.register(app)
app.add_typer(runs.app, name="runs")
app.add_typer(benchmarks.app, name="benchmarks")
app.add_typer(models.app, name="models")
app.add_typer(connections.app, name="connections")
app.add_typer(agents.app, name="agents")
trace_evaluation.register(traces.app)
app.add_typer(traces.app, name="traces")
langsmith.register(app)
app.add_typer(wallet.app, name="wallet")
app.add_typer(keys.app, name="keys")
whoami.register(app)
serve.register(app)
worker.register(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: The command's arguments; those of the process without it.

    Returns:
        The exit code, as `ExitCode` and the documentation list them.
    """
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    output.prepare_streams()
    try:
        code = app(args=given, prog_name=DISTRIBUTION, standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        output.discard_further_output()
        return ExitCode.ERROR
    except (KeyboardInterrupt, typer.Abort):
        code = ExitCode.INTERRUPTED
    except Exception as error:  # the boundary: nothing may reach the user as a traceback
        return _report(describe(error), given)
    if code == ExitCode.INTERRUPTED:  # what the framework makes of Ctrl-C, too
        return _report(Refusal("interrupted", "interrupted", ExitCode.INTERRUPTED), given)
    return code if isinstance(code, int) else ExitCode.OK


def _report(refusal: Refusal, arguments: Sequence[str]) -> int:
    if "--json" in arguments:
        try:
            output.document(refusal.document())
            sys.stdout.flush()
        except OSError:
            output.discard_further_output()
    output.note(output.printable(refusal.line()))
    return refusal.exit_code
