"""`run` and `quote`: what a run would cost at most, and the run itself."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalrouter_cli import agent_options, documents, formats, output, progress, specs, summary, watching
from evalrouter_cli.agent_options import AgentOptions
from evalrouter_cli.errors import CommandError
from evalrouter_cli.exit_codes import ExitCode
from evalrouter_cli.options import Json, WaitLimit
from evalrouter_cli.session import connect

if TYPE_CHECKING:
    from evalrouter import EvalRouter, Quote, Run

FETCHING = "preparing; the first use of a benchmark fetches its data"

QuoteId = Annotated[str | None, typer.Option("--quote", metavar="QUOTE", help="Start this quote, as it was quoted.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the quote; start and charge nothing.")]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the end and print the score.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before starting.")]
New = Annotated[bool, typer.Option("--new", help="Start a new run even where an equal one was started before.")]
IdempotencyKey = Annotated[
    str | None,
    typer.Option(
        "--idempotency-key", metavar="KEY", help="Names the run that is meant: the same key gets the same run."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(run)
    app.command()(quote)


def run(
    benchmark: specs.Benchmark = None,
    model: specs.Model = None,
    agent: agent_options.AgentName = None,
    hosted: agent_options.Hosted = False,
    allow_unverified: agent_options.AllowUnverified = False,
    permission: agent_options.Permission = None,
    env: agent_options.Env = None,
    config_file: agent_options.ConfigFile = None,
    max_cost: specs.MaxCost = None,
    dry_run: DryRun = False,
    wait: Wait = True,
    timeout: WaitLimit = None,
    yes: Yes = False,
    new: New = False,
    sample: specs.Sample = None,
    seed: specs.Seed = None,
    by_group: specs.ByGroup = False,
    concurrency: specs.Concurrency = None,
    repeats: specs.Repeats = None,
    name: specs.Name = None,
    metadata: specs.Metadata = None,
    quote_id: QuoteId = None,
    idempotency_key: IdempotencyKey = None,
    json: Json = False,
) -> None:
    """Evaluate a model, or an agent with it, on a benchmark.

    Repeating the command gets the run that it started before, whatever became of it; --new starts another.
    """
    arguments = specs.spec_arguments(
        benchmark=benchmark,
        model=model,
        max_cost=max_cost,
        sample=sample,
        seed=seed,
        by_group=by_group,
        concurrency=concurrency,
        repeats=repeats,
        name=name,
        metadata=metadata,
    )
    chosen = AgentOptions(agent, hosted, allow_unverified, permission, env, config_file)
    arguments |= chosen.argument()
    arguments |= key_argument(new, idempotency_key)
    if quote_id is not None:
        if arguments:
            raise CommandError("--quote starts a quote as it is and takes no other word about what to run")
    else:
        specs.require_names(arguments)
    with connect() as client:
        if dry_run:
            print_quote(_quote(client, quote_id, arguments), json=json)
            return
        if max_cost is None and not yes and output.may_ask():
            ask(_quote(client, quote_id, arguments))
        started = _create(client, quote_id, arguments)
        if wait:
            watching.finish(client, started, timeout=timeout, json=json, asks=permission == "ask")
        else:
            watching.leave(client, started, json=json)


def quote(
    benchmark: specs.Benchmark = None,
    model: specs.Model = None,
    max_cost: specs.MaxCost = None,
    sample: specs.Sample = None,
    seed: specs.Seed = None,
    by_group: specs.ByGroup = False,
    concurrency: specs.Concurrency = None,
    repeats: specs.Repeats = None,
    name: specs.Name = None,
    metadata: specs.Metadata = None,
    new: New = False,
    idempotency_key: IdempotencyKey = None,
    json: Json = False,
) -> None:
    """Quote what a run would charge at most.

    Nothing is started or charged. The exit code is 2 where the quote is above --max-cost.
    """
    arguments = specs.spec_arguments(
        benchmark=benchmark,
        model=model,
        max_cost=max_cost,
        sample=sample,
        seed=seed,
        by_group=by_group,
        concurrency=concurrency,
        repeats=repeats,
        name=name,
        metadata=metadata,
    )
    specs.require_names(arguments)
    arguments |= key_argument(new, idempotency_key)
    with connect() as client:
        print_quote(_quote(client, None, arguments), json=json)


def key_argument(new: bool, idempotency_key: str | None) -> dict[str, str]:
    """What names the run that is meant, where the caller says it.

    Raises:
        CommandError: Both were given.
    """
    if new and idempotency_key is not None:
        raise CommandError("--new starts another run, --idempotency-key names one: give one of them")
    if new:
        import uuid  # with hashlib; only this needs it

        idempotency_key = uuid.uuid4().hex
    return {} if idempotency_key is None else {"idempotency_key": idempotency_key}


def _quote(client: "EvalRouter", quote_id: str | None, arguments: dict[str, Any]) -> "Quote":
    if quote_id is not None:
        return client.quotes.get(quote_id)
    with progress.explained(FETCHING):
        return client.quotes.create(**arguments)


def _create(client: "EvalRouter", quote_id: str | None, arguments: dict[str, Any]) -> "Run":
    try:
        with progress.explained(FETCHING):
            started: Run = client.runs.create(**(arguments if quote_id is None else {"quote_id": quote_id}))
    except KeyboardInterrupt:
        raise CommandError(
            "interrupted while the run was being started; whether it was: evalrouter runs list",
            ExitCode.INTERRUPTED,
            code="interrupted",
        ) from None
    return started


def print_quote(quoted: "Quote", *, json: bool) -> None:
    """Print a quote.

    Raises:
        typer.Exit: It is above `--max-cost`.
    """
    if json:
        output.document(documents.quote(quoted))
    else:
        summary.show_quote(quoted)
    if not quoted.within_max_cost:
        raise typer.Exit(ExitCode.INVALID)


def ask(quoted: "Quote") -> None:
    """Ask whether to start what was quoted.

    Raises:
        CommandError: The answer is no.
    """
    plan = quoted.plan
    external = "" if plan.model is not None else "; what the agent itself spends is outside the meter"
    output.note(
        f"{plan.benchmark} on {output.printable(summary.short_subject(plan))},"
        f" {formats.count(plan.call_count)} calls: at most {formats.usd(quoted.maximum_charge)} USD{external}"
    )
    try:
        agreed = typer.confirm("Start it?", default=False, err=True)
    except typer.Abort:
        agreed = False
    if not agreed:
        raise CommandError("declined; nothing was started", ExitCode.DECLINED, code="declined")
