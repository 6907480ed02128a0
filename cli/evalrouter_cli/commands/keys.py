"""`keys`: API keys and their spend ceilings."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from evalrouter_cli import documents, formats, output
from evalrouter_cli.errors import CommandError
from evalrouter_cli.options import Json, Limit, new_group
from evalrouter_cli.session import connect

if TYPE_CHECKING:
    from evalrouter import Key

app = new_group("Make, limit and revoke API keys.")

KeyId = Annotated[str, typer.Argument(metavar="KEY", help="The key's ID.", show_default=False)]


class Scope(StrEnum):
    """What a key may do: see, spend, or manage connections, keys and the wallet."""

    READ = "read"
    RUN = "run"
    ADMIN = "admin"


@app.command("list")
def list_keys(limit: Limit = None, json: Json = False) -> None:
    """List API keys; secrets are never shown again."""
    with connect() as client:
        found = client.keys.list(limit).list()
    if json:
        output.document(documents.items(documents.key(key) for key in found))
        return
    output.table(
        ["KEY", "NAME", "PREFIX", "SCOPES", "CEILING USD", "COMMITTED USD", "CREATED", "REVOKED"],
        [
            [
                key.id,
                key.name,
                key.prefix,
                ",".join(key.scopes),
                _ceiling(key),
                formats.usd(key.committed),
                formats.moment(key.created_at),
                formats.moment(key.revoked_at),
            ]
            for key in found
        ],
        numeric=["CEILING USD", "COMMITTED USD"],
    )


@app.command("create")
def create_key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is for.", show_default=False)],
    scope: Annotated[
        list[Scope] | None,
        typer.Option("--scope", help="What the key may do; may be repeated. Default: read and run."),
    ] = None,
    ceiling: Annotated[
        str | None,
        typer.Option("--ceiling", metavar="USD", help="The most that everything the key starts may charge."),
    ] = None,
    json: Json = False,
) -> None:
    """Make an API key and show its secret, once."""
    with connect() as client:
        created = client.keys.create(name, scopes=scope, ceiling=ceiling)
    if json:
        output.document({**documents.key(created.key), "secret": created.secret})
        return
    output.note(f"made {created.key.id}; the secret is shown this once:")
    output.say(created.secret)


@app.command("ceiling")
def set_ceiling(
    key_id: KeyId,
    usd: Annotated[
        str | None, typer.Argument(metavar="[USD]", help="The new ceiling, as in 5 or 0.25.", show_default=False)
    ] = None,
    lift: Annotated[bool, typer.Option("--lift", help="Take the ceiling away.")] = False,
    json: Json = False,
) -> None:
    """Set or lift a key's spend ceiling; it cannot go below what is committed."""
    if (usd is None) != lift:
        raise CommandError("give the new ceiling in USD, or --lift to take it away")
    with connect() as client:
        key = client.keys.update(key_id, ceiling=usd)
    if json:
        output.document(documents.key(key))
    else:
        output.say(f"{key.id}: ceiling (USD) {_ceiling(key)}, committed {formats.usd(key.committed)} USD")


@app.command("revoke")
def revoke_key(key_id: KeyId, json: Json = False) -> None:
    """Revoke a key: from now on it opens nothing."""
    with connect() as client:
        client.keys.revoke(key_id)
    if json:
        output.document({"id": key_id, "revoked": True})
    else:
        output.say(f"revoked {key_id}")


def _ceiling(key: "Key") -> str:
    return "none" if key.ceiling is None else formats.usd(key.ceiling)
