"""`models`: what can be evaluated, and what it costs."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrouter_cli import documents, formats, output
from evalrouter_cli.options import Json, Limit, new_group
from evalrouter_cli.session import connect

if TYPE_CHECKING:
    from evalrouter import Price, PriceTier

app = new_group("List models, show one.")


@app.command("list")
def list_models(
    callable_only: Annotated[bool, typer.Option("--callable", help="Only models that can be called now.")] = False,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """List models with their prices."""
    with connect() as client:
        found = client.models.list(callable_only, limit).list()
    if json:
        output.document(documents.items(documents.model(model) for model in found))
        return
    output.table(
        ["MODEL", "INPUT", "OUTPUT", "CONTEXT", "CALLABLE"],
        [
            [
                model.reference,
                formats.NOTHING if model.price is None else formats.usd(model.price.input),
                formats.NOTHING if model.price is None else formats.usd(model.price.output),
                formats.NOTHING if model.context_window is None else formats.count(model.context_window),
                "yes" if model.callable else "no",
            ]
            for model in found
        ],
        numeric=["INPUT", "OUTPUT", "CONTEXT"],
    )
    output.note("prices in USD per million tokens")


@app.command("show")
def show_model(
    name: Annotated[str, typer.Argument(metavar="MODEL", help="A slug, provider/slug, name or ID.")],
    json: Json = False,
) -> None:
    """Show a model: its price and whether it can be called now."""
    with connect() as client:
        model = client.models.get(name)
    if json:
        output.document(documents.model(model))
        return
    output.details(
        [
            ("model", output.printable(model.reference)),
            ("name", output.printable(model.name)),
            ("id", model.id),
            ("price", "none known" if model.price is None else price_text(model.price)),
            ("context", formats.NOTHING if model.context_window is None else f"{model.context_window:,} tokens"),
            ("callable", "yes" if model.callable else f"no: {model.unavailable_reason}"),
        ]
    )


def price_text(price: "Price") -> str:
    """A price in words, one line a tier."""
    lines = [f"{_rates(price)} USD per million tokens ({price.source} {price.version})"]
    lines += [f"above {tier.above_input_tokens:,} input tokens: {_rates(tier)}" for tier in price.tiers]
    return "\n".join(lines)


def _rates(rates: "Price | PriceTier") -> str:
    cached = rates.cached_input
    kinds = [
        f"input {formats.usd(rates.input)}",
        *([] if cached is None else [f"cached input {formats.usd(cached)}"]),
        f"output {formats.usd(rates.output)}",
    ]
    return ", ".join(kinds)
