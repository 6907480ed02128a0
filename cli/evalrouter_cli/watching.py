"""Waiting for a run with its progress shown, and what stopping means meanwhile."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import typer

from evalrouter_cli import documents, output, progress, summary
from evalrouter_cli.errors import CommandError, describe
from evalrouter_cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from evalrouter import EvalRouter, Run

EXIT_CODES = {
    "completed": ExitCode.OK,
    "partial": ExitCode.INCOMPLETE,
    "cancelled": ExitCode.INCOMPLETE,
    "failed": ExitCode.ERROR,
}
"""What the end of a run that was waited for means to a script."""

ENDING_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""What asks a process to end, besides Ctrl-C."""


def finish(client: "EvalRouter", run: "Run", *, timeout: float | None, json: bool, asks: bool = False) -> None:
    """Wait for a run, print what it came to, and exit with the code that says so.

    Args:
        client: The client that the run came from.
        run: The run; a paused one goes on.
        timeout: Seconds after which to stop watching.
        json: Whether to print the run's document.
        asks: Whether the run's agent asks at the terminal, where nothing may move then.

    Raises:
        CommandError: Stopped by Ctrl-C, SIGTERM, SIGHUP or the time limit; the run has not ended.
        typer.Exit: The run did not complete.
    """
    from evalrouter.errors import WaitTimeout

    try:
        if not run.has_ended:
            model = "" if run.model is None else f" on {output.printable(run.model.slug)}"
            by = "" if run.agent is None else f" by {output.printable(run.agent.name)}"
            output.note(f"{run.id}: {run.benchmark}{model}{by}")
        if run.agent is None:
            shown = progress.shown(run)
        else:
            from evalrouter_cli import agent_progress  # not before a run has an agent: the command starts sooner

            shown = agent_progress.shown(client, run, asks=asks)
        with _terminated_like_interrupted(), shown as update:
            ended = run.wait(timeout, update)
    except (KeyboardInterrupt, WaitTimeout):
        raise _stopped(client, run, json=json) from None
    show(ended, json=json)
    code = EXIT_CODES.get(ended.status, ExitCode.ERROR)
    if code is not ExitCode.OK:
        raise typer.Exit(code)


def leave(client: "EvalRouter", run: "Run", *, json: bool) -> None:
    """Print a run that is not waited for, and say what becomes of it."""
    show(run, json=json)
    if client.owns_engine and not run.has_ended:
        output.note(f"its server ends with this command, which pauses the run; {_go_on(run)}")


def settle(run: "Run", seconds: float) -> "Run":
    """The run once it has ended, or as it is when the time is up."""
    from evalrouter.errors import WaitTimeout

    try:
        return run.wait(seconds)
    except WaitTimeout:
        return run


def show(run: "Run", *, json: bool) -> None:
    """Print a run as a document or for a human reader."""
    if json:
        output.document(documents.run(run))
    else:
        summary.show_run(run)


def stopped_watching(run_id: str) -> CommandError:
    """What stopping comes to where another process, or a server, does the work."""
    return CommandError(
        f"still running; watch with: evalrouter wait {run_id}",
        ExitCode.NOT_ENDED,
        code="stopped_watching",
        details={"run_id": run_id},
    )


def _stopped(client: "EvalRouter", run: "Run", *, json: bool) -> CommandError:
    if run.agent is not None and run.is_delivered_here:
        return _stop_agents(client, run, json=json)
    if not client.owns_engine:
        return stopped_watching(run.id)
    try:
        output.note("pausing: calls in flight finish (Ctrl-C again does not wait for them)")
        client.close()
    except KeyboardInterrupt:
        _leave_at_once(_paused(run, f"stopped at once; {_go_on(run)}"), json=json)
    return _paused(run, f"paused; {_go_on(run)}")


def _stop_agents(client: "EvalRouter", run: "Run", *, json: bool) -> CommandError:
    """Stop the agents of this process: their tasks go back, and the run pauses unless another process works on it."""
    from evalrouter.agents.host import host

    try:
        output.note("stopping the agents: their tasks go back (Ctrl-C again does not wait for them)")
        host().stop(run.id)
        client.close()
    except KeyboardInterrupt:
        _leave_at_once(_paused(run, f"stopped at once; {_go_on(run)}"), json=json)
    return _paused(run, f"paused; {_go_on(run)}")


def _paused(run: "Run", message: str) -> CommandError:
    return CommandError(message, ExitCode.NOT_ENDED, code="paused", details={"run_id": run.id})


def _leave_at_once(error: CommandError, *, json: bool) -> NoReturn:
    """End the process without waiting for its threads, which may wait for calls in flight."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if json:
        output.document(describe(error).document())
        sys.stdout.flush()
    output.note(error.message)
    os._exit(error.exit_code)


def _go_on(run: "Run") -> str:
    return f"go on with: evalrouter resume {run.id}"


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that a service manager's stop or a closed terminal pauses in order.

    One that is ignored, as `nohup` has it, stays ignored.
    """
    ending = [number for number in ENDING_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, signal.default_int_handler) for number in ending}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
