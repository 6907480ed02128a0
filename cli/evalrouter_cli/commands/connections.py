"""`connections`: model endpoints of one's own."""

import sys
from getpass import getpass
from typing import Annotated, Literal

import typer

from evalrouter_cli import documents, formats, output
from evalrouter_cli.commands.models import price_text
from evalrouter_cli.errors import CommandError
from evalrouter_cli.options import Json, Limit, new_group
from evalrouter_cli.session import connect

app = new_group("Connect model endpoints of your own.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The connection's name or ID.", show_default=False)]


@app.command("list")
def list_connections(limit: Limit = None, json: Json = False) -> None:
    """List connections."""
    with connect() as client:
        found = client.connections.list(limit).list()
    if json:
        output.document(documents.items(documents.connection(connection) for connection in found))
        return
    output.table(
        ["MODEL", "UPSTREAM", "BASE URL", "INPUT", "OUTPUT", "KEY"],
        [
            [
                connection.model,
                connection.upstream_model,
                connection.base_url,
                formats.usd(connection.price.input),
                formats.usd(connection.price.output),
                _key_text(connection.has_key, connection.key_env),
            ]
            for connection in found
        ],
        numeric=["INPUT", "OUTPUT"],
    )


@app.command("create")
def create_connection(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Runs name the model connection:NAME.")],
    base_url: Annotated[
        str, typer.Option("--base-url", metavar="URL", help="The OpenAI-compatible root, usually ending in /v1.")
    ],
    model: Annotated[str, typer.Option("--model", metavar="UPSTREAM", help="The model's name at the endpoint.")],
    kind: Annotated[Literal["model"], typer.Option("--kind", help="What is connected.")] = "model",
    free: Annotated[bool, typer.Option("--free", help="Calls cost nothing.")] = False,
    input_price: Annotated[
        str | None, typer.Option("--input-price", metavar="USD", help="USD per million input tokens.")
    ] = None,
    output_price: Annotated[
        str | None, typer.Option("--output-price", metavar="USD", help="USD per million output tokens.")
    ] = None,
    cached_input_price: Annotated[
        str | None, typer.Option("--cached-input-price", metavar="USD", help="USD per million cached input tokens.")
    ] = None,
    key_env: Annotated[
        str | None,
        typer.Option("--key-env", metavar="VARIABLE", help="The server's environment variable that holds the key."),
    ] = None,
    key_stdin: Annotated[bool, typer.Option("--key-stdin", help="Read the key from stdin.")] = False,
    json: Json = False,
) -> None:
    """Connect a model endpoint. Its key is read from the server's environment, stdin or a hidden prompt."""
    _check_pricing(free, input_price, output_price, cached_input_price)
    if key_env is not None and key_stdin:
        raise CommandError("--key-env and --key-stdin are two ways to give one key: choose one")
    key = None if key_env is not None else _read_key(from_stdin=key_stdin)
    with connect() as client:
        connection = client.connections.create(
            name,
            kind=kind,
            base_url=base_url,
            model=model,
            free=free,
            input_price=input_price,
            output_price=output_price,
            cached_input_price=cached_input_price,
            key=key,
            key_env=key_env,
        )
    if json:
        output.document(documents.connection(connection))
    else:
        output.say(f"created; run it with: evalrouter run BENCHMARK --model {connection.model}")


@app.command("show")
def show_connection(name: Name, json: Json = False) -> None:
    """Show a connection; its key is never shown."""
    with connect() as client:
        connection = client.connections.get(name)
    if json:
        output.document(documents.connection(connection))
        return
    output.details(
        [
            ("connection", connection.name),
            ("id", connection.id),
            ("model", f"{connection.model} ({connection.model_id})"),
            ("base URL", output.printable(connection.base_url)),
            ("upstream", output.printable(connection.upstream_model)),
            ("price", price_text(connection.price)),
            ("key", _key_text(connection.has_key, connection.key_env)),
            ("created", formats.moment(connection.created_at)),
        ]
    )


@app.command("delete")
def delete_connection(name: Name, json: Json = False) -> None:
    """Delete a connection."""
    with connect() as client:
        connection = client.connections.get(name)
        client.connections.delete(connection.id)
    if json:
        output.document({"id": connection.id, "deleted": True})
    else:
        output.say(f"deleted {connection.name} ({connection.id})")


def _check_pricing(free: bool, input_price: str | None, output_price: str | None, cached: str | None) -> None:
    if free and (input_price, output_price, cached) != (None, None, None):
        raise CommandError("--free says that calls cost nothing: leave the prices out, or leave out --free")
    if not free and (input_price is None or output_price is None):
        raise CommandError(
            "what do calls cost? give --input-price and --output-price (USD per million tokens), or --free"
        )


def _read_key(*, from_stdin: bool) -> str | None:
    if from_stdin:
        key = sys.stdin.readline().strip()
        if not key:
            raise CommandError("--key-stdin: there is no key on stdin")
        return key
    if output.may_ask():
        return getpass("Key of the endpoint (hidden; empty for none): ", stream=sys.stderr).strip() or None
    return None


def _key_text(has_key: bool, key_env: str | None) -> str:
    if key_env is not None:
        return f"from {key_env}"
    return "stored" if has_key else "none"
