"""`connections`: model endpoints of one's own, remote agents, and what agents send traces to."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evalrouter_cli import documents, formats, output
from evalrouter_cli.commands.models import price_text
from evalrouter_cli.errors import CommandError
from evalrouter_cli.options import Json, Limit, new_group
from evalrouter_cli.session import connect

if TYPE_CHECKING:
    from evalrouter import Connection

app = new_group("Connect model endpoints of your own, remote agents, and agents that send traces.")

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
        ["NAME", "KIND", "UPSTREAM", "BASE URL", "INPUT", "OUTPUT", "KEY"],
        [
            [
                _reference(connection),
                connection.kind,
                connection.upstream_model or formats.NOTHING,
                output.printable(
                    connection.base_url or (connection.a2a and connection.a2a.card_url) or formats.NOTHING
                ),
                formats.NOTHING if connection.price is None else formats.usd(connection.price.input),
                formats.NOTHING if connection.price is None else formats.usd(connection.price.output),
                _key_text(connection),
            ]
            for connection in found
        ],
        numeric=["INPUT", "OUTPUT"],
    )


@app.command("create")
def create_connection(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Runs name the model connection:NAME, a remote agent remote:NAME.")
    ],
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="The OpenAI-compatible root, usually ending in /v1.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="UPSTREAM", help="The model's name at the endpoint.")
    ] = None,
    kind: Annotated[
        Literal["model", "a2a", "trace"],
        typer.Option("--kind", help="What is connected: a model, a remote agent (A2A), or agents' traces."),
    ] = "model",
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
    card_url: Annotated[
        str | None,
        typer.Option(
            "--card-url",
            metavar="URL",
            help="With --kind a2a: the agent's card, if it ends in .json, else the address below which it is.",
        ),
    ] = None,
    key_header: Annotated[
        str | None,
        typer.Option(
            "--key-header",
            metavar="NAME",
            help="With --kind a2a: the header that carries the key. Default: as the card says.",
        ),
    ] = None,
    origins: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="URL",
            help="With --kind a2a: an origin beside the card's at which the agent may be called; may be repeated.",
        ),
    ] = None,
    metadata_only: Annotated[
        bool, typer.Option("--metadata-only", help="With --kind trace: store no inputs, outputs and error texts.")
    ] = False,
    retention_days: Annotated[
        int | None,
        typer.Option(
            "--retention-days", min=1, max=3650, help="With --kind trace: days that a trace is kept. Default: 90."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Connect a model endpoint or a remote agent, whose key is read from the server's environment, stdin or a prompt.

    With --kind trace it prints the four variables that an agent needs, once.
    """
    if kind != "a2a" and (card_url is not None or key_header is not None or origins):
        raise CommandError("--card-url, --key-header and --origin are for remote agents: add --kind a2a")
    if kind == "trace":
        given = (base_url, model, input_price, output_price, cached_input_price, key_env)
        if free or key_stdin or any(value is not None for value in given):
            raise CommandError("a trace connection has no endpoint: leave out --base-url, --model, prices and keys")
        _create_trace_connection(name, not metadata_only, 90 if retention_days is None else retention_days, json)
        return
    if metadata_only or retention_days is not None:
        raise CommandError("--metadata-only and --retention-days are for traces: add --kind trace, or leave them out")
    if kind == "a2a":
        if card_url is None:
            raise CommandError("where is the agent? give --card-url, the address of its card")
        if free or any(value is not None for value in (base_url, model, input_price, output_price, cached_input_price)):
            raise CommandError("a remote agent brings its own model: leave out --base-url, --model and prices")
        key = _read_key(key_env, from_stdin=key_stdin, of="agent")
        with connect() as client:
            made = client.connections.create_a2a(
                name, card_url=card_url, key=key, key_env=key_env, key_header=key_header, origins=origins or ()
            )
        _say_created(made, f"evalrouter run BENCHMARK --agent {made.agent}", json)
        return
    if base_url is None or model is None:
        raise CommandError("where is the model? give --base-url and --model")
    _check_pricing(free, input_price, output_price, cached_input_price)
    key = _read_key(key_env, from_stdin=key_stdin, of="endpoint")
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
    _say_created(connection, f"evalrouter run BENCHMARK --model {connection.model}", json)


@app.command("show")
def show_connection(name: Name, json: Json = False) -> None:
    """Show a connection; its key is never shown."""
    with connect() as client:
        connection = client.connections.get(name)
    if json:
        output.document(documents.connection(connection))
        return
    about = [("connection", connection.name), ("id", connection.id), ("kind", connection.kind)]
    if connection.trace is not None:
        kept = "all, content too" if connection.trace.stores_content else "metadata only"
        about += [("stores", kept), ("retention", f"{connection.trace.retention_days} days")]
    if connection.a2a is not None:
        about += [
            ("agent", connection.agent),
            ("card", output.printable(connection.a2a.card_url)),
            ("key header", output.printable(connection.a2a.key_header or "as the card says")),
            *([("origins", output.printable(", ".join(connection.a2a.origins)))] if connection.a2a.origins else []),
        ]
    if connection.price is not None:
        about += [
            ("model", f"{connection.model} ({connection.model_id})"),
            ("base URL", output.printable(connection.base_url or "")),
            ("upstream", output.printable(connection.upstream_model or "")),
            ("price", price_text(connection.price)),
        ]
    output.details([*about, ("key", _key_text(connection)), ("created", formats.moment(connection.created_at))])


@app.command("rotate")
def rotate_key(name: Name, json: Json = False) -> None:
    """Give a trace connection a new key and show it, once; the old one stops at once."""
    with connect() as client:
        connection = client.connections.rotate(name)
    if json:
        output.document({**documents.connection(connection), "secret": connection.secret})
        return
    output.note(f"{connection.name} has a new key, shown this once:")
    output.say(f"EVALROUTER_TRACE_KEY={connection.secret}")


@app.command("revoke")
def revoke_key(name: Name, json: Json = False) -> None:
    """Revoke a trace connection's key: nothing more comes in until it is given a new one."""
    with connect() as client:
        connection = client.connections.revoke(name)
    if json:
        output.document(documents.connection(connection))
    else:
        output.say(f"revoked the key of {connection.name} ({connection.id})")


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


def _create_trace_connection(name: str, stores_content: bool, retention_days: int, json: bool) -> None:
    with connect() as client:
        made = client.connections.create_trace(name, stores_content=stores_content, retention_days=retention_days)
        variables = {
            "EVALROUTER_BASE_URL": client.base_url,
            "EVALROUTER_WORKSPACE_ID": client.whoami().workspace_id,
            "EVALROUTER_TRACE_CONNECTION_ID": made.id,
            "EVALROUTER_TRACE_KEY": made.secret,
        }
        passing = client.owns_engine
    if json:
        output.document({**documents.connection(made), "environment": variables})
        return
    if passing:
        output.note("the server lives inside this command and stops with it: agents need one that `serve` starts")
    output.note(f"created {made.id}; its key is shown this once:")
    for variable, value in variables.items():
        output.say(f"{variable}={value}")


def _check_pricing(free: bool, input_price: str | None, output_price: str | None, cached: str | None) -> None:
    if free and (input_price, output_price, cached) != (None, None, None):
        raise CommandError("--free says that calls cost nothing: leave the prices out, or leave out --free")
    if not free and (input_price is None or output_price is None):
        raise CommandError(
            "what do calls cost? give --input-price and --output-price (USD per million tokens), or --free"
        )


def _say_created(made: "Connection", command: str, json: bool) -> None:
    if json:
        output.document(documents.connection(made))
    else:
        output.say(f"created; run it with: {command}")


def _reference(connection: "Connection") -> str:
    """The name that runs give it; a trace connection's own."""
    return {"model": connection.model, "a2a": connection.agent}.get(connection.kind, connection.name)


def _read_key(key_env: str | None, *, from_stdin: bool, of: str) -> str | None:
    if key_env is not None:
        if from_stdin:
            raise CommandError("--key-env and --key-stdin are two ways to give one key: choose one")
        return None
    if from_stdin:
        key = sys.stdin.readline().strip()
        if not key:
            raise CommandError("--key-stdin: there is no key on stdin")
        return key
    if output.may_ask():
        from getpass import getpass

        return getpass(f"Key of the {of} (hidden; empty for none): ", stream=sys.stderr).strip() or None
    return None


def _key_text(connection: "Connection") -> str:
    if connection.trace is not None:
        return "revoked" if connection.trace.key_revoked_at else f"{connection.trace.key_prefix}..."
    if connection.key_env is not None:
        return f"from {connection.key_env}"
    return "stored" if connection.has_key else "none"
