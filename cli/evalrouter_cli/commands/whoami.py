"""`whoami`: which workspace and key the command acts for."""

import typer

from evalrouter_cli import documents, output
from evalrouter_cli.options import Json
from evalrouter_cli.session import connect


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(whoami)


def whoami(json: Json = False) -> None:
    """Show workspace, key and server."""
    with connect() as client:
        identity = client.whoami()
    if json:
        output.document(documents.identity(identity))
        return
    output.details(
        [
            ("workspace", f"{output.printable(identity.workspace_name)} ({identity.workspace_id})"),
            ("key", f"{output.printable(identity.key_name)} ({identity.key_id}): {', '.join(identity.scopes)}"),
            ("server", f"{identity.server_version} ({'embedded' if identity.embedded else 'served'})"),
        ]
    )
