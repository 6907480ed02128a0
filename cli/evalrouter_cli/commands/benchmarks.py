"""`benchmarks`: what can be measured."""

from typing import Annotated

import typer

from evalrouter_cli import documents, formats, output
from evalrouter_cli.options import Json, Limit, new_group
from evalrouter_cli.session import connect

app = new_group("List benchmarks, show one.")


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
    json: Json = False,
) -> None:
    """Show a benchmark: protocol, grader, sources, licence, citation."""
    with connect() as client:
        benchmark = client.benchmarks.get(name)
    if json:
        output.document(documents.benchmark(benchmark))
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
            ("grader", benchmark.grader),
            ("protocol", benchmark.protocol.description.strip()),
            ("prompt", benchmark.protocol.user.strip()),
            *([("system", benchmark.protocol.system.strip())] if benchmark.protocol.system else []),
            ("temperature", f"{benchmark.protocol.temperature:g}"),
            ("output", f"at most {formats.count(benchmark.max_output_tokens)} tokens"),
            ("licence", benchmark.licence),
            ("homepage", benchmark.homepage or formats.NOTHING),
            ("citation", benchmark.citation.strip()),
            ("digest", f"sha256 {benchmark.content_digest}"),
            ("sources", "\n".join(f"{source.kind}  {source.location}" for source in benchmark.sources)),
        ]
    )
