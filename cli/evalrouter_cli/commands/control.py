"""`wait`, `resume`, `cancel` and `events`: what becomes of a run that was started."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrouter_cli import agent_options, documents, formats, output, summary, watching
from evalrouter_cli.agent_options import AgentOptions
from evalrouter_cli.options import Json, RunId, WaitLimit
from evalrouter_cli.session import connect

if TYPE_CHECKING:
    from evalrouter import RunEvent

CANCEL_PATIENCE_SECONDS = 60.0
"""How long `cancel` watches calls in flight finish."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(wait)
    app.command()(resume)
    app.command()(cancel)
    app.command()(events)


def wait(run_id: RunId, timeout: WaitLimit = None, json: Json = False) -> None:
    """Wait for a run and print its score.

    A paused run goes on.
    """
    with connect() as client:
        watching.finish(client, client.runs.get(run_id), timeout=timeout, json=json)


def resume(
    run_id: RunId,
    wait_for_it: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the end.")] = True,
    timeout: WaitLimit = None,
    allow_unverified: agent_options.AllowUnverified = False,
    permission: agent_options.Permission = None,
    env: agent_options.Env = None,
    config_file: agent_options.ConfigFile = None,
    json: Json = False,
) -> None:
    """Go on with a paused run and wait for it.

    What is done is not done again. An agent that was started with --env, --config-file, --permission or
    --allow-unverified wants the same again.
    """
    options = AgentOptions(None, False, allow_unverified, permission, env, config_file)
    with connect() as client:
        run = client.runs.get(run_id)
        run = run.resume(options.again(run))
        if wait_for_it:
            watching.finish(client, run, timeout=timeout, json=json, asks=permission == "ask")
        else:
            watching.leave(client, run, json=json)


def cancel(run_id: RunId, json: Json = False) -> None:
    """Cancel a run.

    No new call starts, calls in flight finish and are charged, and what was graded stays.
    """
    with connect() as client:
        run = watching.settle(client.runs.get(run_id).cancel(), CANCEL_PATIENCE_SECONDS)
    if json:
        output.document(documents.run(run))
    else:
        summary.show_run(run)


def events(
    run_id: RunId,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the run ends or pauses.")] = False,
    after: Annotated[int, typer.Option("--after", min=0, metavar="SEQ", help="Only events after this number.")] = 0,
    json: Json = False,
) -> None:
    """List a run's events."""
    with connect() as client:
        found = client.events.stream(run_id, after) if follow else client.events.list(run_id, after)
        if json:
            output.document(documents.items((documents.event(event) for event in found), run_id=run_id))
            return
        try:
            for event in found:
                output.say(_line(event))
        except KeyboardInterrupt:
            raise watching.stopped_watching(run_id) from None


def _line(event: "RunEvent") -> str:
    facts = " ".join(f"{name}={value}" for name, value in event.data.items() if value is not None)
    return output.printable(f"{event.seq:>6}  {formats.moment(event.at)}  {event.type:<14}  {facts}".rstrip())
