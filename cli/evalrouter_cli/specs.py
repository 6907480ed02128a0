"""The options that say what to evaluate, and the keyword arguments that they become."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from evalrouter_cli.errors import CommandError

Benchmark = Annotated[
    str | None,
    typer.Argument(metavar="BENCHMARK", help="A slug, slug@version, name or ID.", show_default=False),
]
Model = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="MODEL", help="A slug, provider/slug, connection:NAME, name or ID."),
]
MaxCost = Annotated[
    str | None, typer.Option("--max-cost", metavar="USD", help="The most that the run may charge; refused above it.")
]
Sample = Annotated[
    int | None, typer.Option("--sample", min=1, metavar="N", help="Evaluate N tasks of the benchmark instead of all.")
]
Seed = Annotated[
    int | None, typer.Option("--seed", min=0, metavar="S", help="Which sample is drawn (default 0); with --sample.")
]
ByGroup = Annotated[
    bool, typer.Option("--by-group", help="Draw from each group in proportion to its size; with --sample.")
]
Concurrency = Annotated[int | None, typer.Option("--concurrency", min=1, metavar="N", help="Model calls at once.")]
Repeats = Annotated[int | None, typer.Option("--repeats", min=1, metavar="N", help="How often each item is tried.")]
Name = Annotated[str | None, typer.Option("--name", metavar="TEXT", help="A name of your own for the run.")]
Metadata = Annotated[
    list[str] | None, typer.Option("--metadata", metavar="KEY=VALUE", help="A label of your own; may be repeated.")
]


def spec_arguments(
    *,
    benchmark: str | None,
    model: str | None,
    max_cost: str | None,
    sample: int | None,
    seed: int | None,
    by_group: bool,
    concurrency: int | None,
    repeats: int | None,
    name: str | None,
    metadata: Sequence[str] | None,
) -> dict[str, Any]:
    """The keyword arguments for the SDK that were given; what was not given is left out.

    Raises:
        CommandError: `--seed` or `--by-group` has no `--sample`, or a label is not KEY=VALUE.
    """
    if seed is not None and sample is None:
        raise CommandError(f"--seed {seed} says which sample is drawn: give --sample N too, or leave --seed out")
    if by_group and sample is None:
        raise CommandError("--by-group says how a sample is drawn: give --sample N too, or leave --by-group out")
    coverage: dict[str, Any] | None = None
    if sample is not None:
        coverage = {"mode": "sample", "sample_count": sample, "seed": seed or 0}
        coverage |= {"stratify": "group"} if by_group else {}
    given: dict[str, Any] = {
        "benchmark": benchmark,
        "model": model,
        "max_cost": max_cost,
        "coverage": coverage,
        "concurrency": concurrency,
        "repeats": repeats,
        "name": name,
        "metadata": labels(metadata) if metadata else None,
    }
    return {key: value for key, value in given.items() if value is not None}


def require_names(arguments: dict[str, Any]) -> None:
    """Refuse a spec that does not say what to evaluate.

    Raises:
        CommandError: The benchmark or the model is missing.
    """
    if "benchmark" not in arguments:
        raise CommandError("which benchmark? name one, as in `gsm8k` (`evalrouter benchmarks list` shows them)")
    agent = arguments.get("agent")
    brings_model = agent is not None and agent.spec().kind == "remote"
    if "model" not in arguments and not brings_model:
        raise CommandError("which model? name one with --model (`evalrouter models list` shows them)")


def labels(pairs: Sequence[str]) -> dict[str, str]:
    """Labels from `KEY=VALUE` texts.

    Raises:
        CommandError: A text has no `=` or nothing before it, or a key comes twice.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise CommandError(f"--metadata takes KEY=VALUE, not {pair!r}")
        if key in found:
            raise CommandError(f"--metadata has the key {key!r} twice")
        found[key] = value
    return found
