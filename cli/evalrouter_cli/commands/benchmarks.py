"""`benchmarks`: what can be measured."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalrouter_cli import documents, formats, output, process, server, summary
from evalrouter_cli.errors import CommandError
from evalrouter_cli.options import Json, Limit, new_group
from evalrouter_cli.session import connect

if TYPE_CHECKING:
    from evalrouter import Benchmark, BenchmarkCheck, BenchmarkExample

app = new_group("List benchmarks, show one, make your own.")

PROBLEMS_SHOWN = 20


@app.command("list")
def list_benchmarks(limit: Limit = None, json: Json = False) -> None:
    """List benchmarks and their versions; a bare slug means the default version."""
    with connect() as client:
        found = client.benchmarks.list(limit).list()
    if json:
        output.document(documents.items(documents.benchmark(benchmark) for benchmark in found))
        return
    output.table(
        ["BENCHMARK", "DEFAULT", "NAME", "TASKS", "GRADER", "LICENCE"],
        [
            [
                str(benchmark),
                "default" if benchmark.is_default else "",
                benchmark.name,
                formats.count(benchmark.task_count),
                benchmark.grader,
                benchmark.licence,
            ]
            for benchmark in found
        ],
        numeric=["TASKS"],
    )


@app.command("show")
def show_benchmark(
    name: Annotated[str, typer.Argument(metavar="BENCHMARK", help="A slug, slug@version, name or ID.")],
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Show what a full run with this model may cost."),
    ] = None,
    example: Annotated[
        bool, typer.Option("--example/--no-example", help="Show the first row as it is asked; may fetch the data.")
    ] = True,
    json: Json = False,
) -> None:
    """Show a benchmark: protocol, grader, limits, sources, licence, citation, an example, and a model's quote."""
    with connect() as client:
        benchmark = client.benchmarks.get(name)
        shown = client.benchmarks.example(benchmark.id) if example else None
        quote = client.quotes.create(benchmark=benchmark.id, model=model) if model is not None else None
    if json:
        document = documents.benchmark(benchmark)
        document |= {"example": None if shown is None else documents.benchmark_example(shown)}
        document |= {"quote": None if quote is None else documents.quote(quote)}
        output.document(document)
        return
    output.details(
        [
            ("benchmark", f"{benchmark}{' (default)' if benchmark.is_default else ''}"),
            ("name", benchmark.name),
            ("id", benchmark.id),
            ("description", benchmark.description.strip()),
            ("tasks", formats.count(benchmark.task_count)),
            *([("groups", ", ".join(benchmark.groups))] if benchmark.groups else []),
            ("metric", benchmark.primary_metric),
            ("grader", _grader(benchmark)),
            ("protocol", benchmark.protocol.description.strip()),
            ("prompt", benchmark.protocol.user.strip()),
            *([("system", benchmark.protocol.system.strip())] if benchmark.protocol.system else []),
            ("temperature", f"{benchmark.protocol.temperature:g}"),
            (
                "limits",
                f"{formats.count(benchmark.max_output_tokens)} output tokens a call,"
                f" {benchmark.task_seconds:g} seconds a task",
            ),
            ("licence", benchmark.licence),
            ("homepage", benchmark.homepage or formats.NOTHING),
            ("citation", benchmark.citation.strip()),
            ("digest", f"sha256 {benchmark.content_digest}"),
            ("sources", "\n".join(f"{source.kind}  {source.location}" for source in benchmark.sources)),
        ]
    )
    if shown is not None:
        output.say()
        _tell_example(shown)
    if quote is not None:
        output.say()
        summary.show_quote(quote)


@app.command("fetch", context_settings=process.PASS_EVERYTHING_ON, add_help_option=False)
def fetch_benchmarks(context: typer.Context) -> None:
    """Fetch benchmarks' data ahead, for runs without network; `--all` for every one."""
    server.become(["fetch", *context.args])


@app.command("create")
def create_benchmark(
    manifest: Annotated[
        Path, typer.Argument(metavar="MANIFEST", help="The manifest, a YAML file.", show_default=False)
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check every row, show some as they would be asked, and make nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a benchmark of your own from a manifest and a file of rows; only your workspace sees it."""
    with connect() as client:
        if not dry_run:
            _tell_made(client.benchmarks.create(manifest), json=json)
            return
        check = client.benchmarks.check(manifest)
    if json:
        output.document(documents.benchmark_check(check))
    else:
        _tell_check(check)
    if not check.ok:
        raise CommandError(
            f"{formats.count(check.problem_count)} errors in the rows; nothing was made", code="invalid_rows"
        )


@app.command("archive")
def archive_benchmark(
    name: Annotated[str, typer.Argument(metavar="BENCHMARK", help="A slug, slug@version or ID of your own.")],
    json: Json = False,
) -> None:
    """Archive a version of a benchmark of your own: it starts no new run; its runs keep their results."""
    with connect() as client:
        benchmark = client.benchmarks.get(name)
        client.benchmarks.archive(benchmark.id)
    if json:
        output.document({"id": benchmark.id, "archived": True})
    else:
        output.say(f"archived {benchmark} ({benchmark.id})")


def _tell_made(benchmark: "Benchmark", *, json: bool) -> None:
    if json:
        output.document(documents.benchmark(benchmark))
        return
    output.say(f"{benchmark}: {formats.count(benchmark.task_count)} tasks ({benchmark.id})")
    output.say(f"run it with: evalrouter run {benchmark} --model MODEL")


def _tell_check(check: "BenchmarkCheck") -> None:
    for example in check.examples:
        _tell_example(example)
        output.say()
    for problem in check.problems[:PROBLEMS_SHOWN]:
        output.say(f"{output.printable(str(problem))}  [{problem.code}]")
    rest = check.problem_count - min(len(check.problems), PROBLEMS_SHOWN)
    if rest:
        output.say(f"and {formats.count(rest)} more errors")
    state = "is there already, with this content" if check.exists else "would be made"
    if check.ok:
        output.say(f"{check}: {formats.count(check.item_count)} tasks, no error; it {state}")


def _tell_example(example: "BenchmarkExample") -> None:
    group = "" if example.group is None else f", group {output.printable(example.group)}"
    output.say(f"row {example.row}{group}")
    for message in example.messages:
        output.details([(str(message["role"]), _visible(str(message["content"])))])
    output.details([("target", _visible(", ".join(f"{name}: {value}" for name, value in example.target.items())))])


def _grader(benchmark: "Benchmark") -> str:
    """The grader's kind with what it is told beyond its defaults."""
    told = ", ".join(f"{name} {value}" for name, value in benchmark.grader_settings.items())
    return f"{benchmark.grader} ({output.printable(told)})" if told else benchmark.grader


def _visible(text: str) -> str:
    """The text with its lines kept and control characters made visible."""
    return "\n".join(output.printable(line) for line in text.splitlines())
