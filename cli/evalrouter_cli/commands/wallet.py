"""`wallet`: what there is to spend, where it went, and whether it adds up."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrouter_cli import documents, formats, output
from evalrouter_cli.errors import CommandError
from evalrouter_cli.exit_codes import ExitCode
from evalrouter_cli.options import Json, Limit
from evalrouter_cli.session import connect

if TYPE_CHECKING:
    from evalrouter import LedgerEntry

RECENT = 10
"""Entries that the bare command shows."""

app = typer.Typer(
    help="Show, fill and verify the wallet.",
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def wallet(context: typer.Context, json: Json = False) -> None:
    """Show the balance, what is held and available, and the newest entries; or fill and verify the wallet."""
    if context.invoked_subcommand is not None:
        if json:
            raise CommandError(f"--json belongs to the command: evalrouter wallet {context.invoked_subcommand} --json")
        return
    with connect() as client:
        found = client.wallet.get()
        recent = client.wallet.entries(RECENT).list()
    if json:
        output.document({**documents.wallet(found), "recent": [documents.ledger_entry(entry) for entry in recent]})
        return
    output.table(
        ["", "USD"],
        [
            ["balance", formats.usd(found.balance)],
            ["held for runs", formats.usd(found.held)],
            ["available", formats.usd(found.available)],
        ],
        numeric=["USD"],
    )
    output.say()
    _show_entries(recent)


@app.command("top-up")
def top_up(
    usd: Annotated[str, typer.Argument(metavar="USD", help="How much to add, as in 5 or 0.25.")],
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="What the statement says of it.")] = None,
    json: Json = False,
) -> None:
    """Add to the wallet."""
    with connect() as client:
        found = client.wallet.top_up(usd, note=note)
    if json:
        output.document(documents.wallet(found))
    else:
        output.say(f"balance {formats.usd(found.balance)} USD, available {formats.usd(found.available)} USD")


@app.command()
def statement(limit: Limit = None, json: Json = False) -> None:
    """List the ledger's entries, newest first."""
    with connect() as client:
        found = client.wallet.entries(limit).list()
    if json:
        output.document(documents.items(documents.ledger_entry(entry) for entry in found))
    else:
        _show_entries(found)


@app.command()
def verify(json: Json = False) -> None:
    """Add up the ledger anew; exit 1 on a difference."""
    with connect() as client:
        found = client.wallet.verify()
    if json:
        output.document(documents.verification(found))
    else:
        checked = f"{found.entries:,} entries, {found.calls:,} calls, {found.runs:,} runs"
        output.say(f"the ledger adds up: {checked}" if found.ok else f"THE LEDGER DOES NOT ADD UP: {checked}")
        if found.differences:
            output.table(
                ["WHAT", "REFERENCE", "EXPECTED USD", "FOUND USD"],
                [
                    [each.what, each.reference, formats.usd(each.expected), formats.usd(each.found)]
                    for each in found.differences
                ],
                numeric=["EXPECTED USD", "FOUND USD"],
            )
    if not found.ok:
        output.note(f"error: the ledger differs from what it should be in {len(found.differences):,} places")
        raise typer.Exit(ExitCode.ERROR)


def _show_entries(entries: "list[LedgerEntry]") -> None:
    output.table(
        ["POSTED", "KIND", "ACCOUNT", "USD", "RUN", "NOTE"],
        [
            [
                formats.moment(entry.posted_at),
                entry.kind,
                entry.account,
                formats.usd(entry.amount),
                entry.run_id or formats.NOTHING,
                entry.note or "",
            ]
            for entry in entries
        ],
        numeric=["USD"],
    )
