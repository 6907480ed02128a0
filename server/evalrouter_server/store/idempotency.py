"""Answers to repeated requests: what a request did and what it was answered are stored in one transaction."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, select

from evalrouter_server.clock import utc_now
from evalrouter_server.problems import Problem
from evalrouter_server.secrets import SecretBox
from evalrouter_server.store.rows import insert_unless_there
from evalrouter_server.store.tables import idempotency

KEPT = timedelta(hours=24)
"""How long an answer is replayed."""

type Answer = tuple[int, Any]
"""An HTTP status and a JSON-ready body; None for no body."""


def once(
    connection: Connection,
    workspace_id: str,
    key: str | None,
    request_digest: str,
    box: SecretBox,
    operation: Callable[[Connection], Answer],
) -> Answer:
    """Run an operation and store its answer under the request's key, or replay the answer that is stored there.

    Of requests with one key that come at once, also through different processes, one runs and the others replay its
    answer. A refusal (an exception) undoes everything and is not stored.

    Args:
        connection: Within a transaction.
        workspace_id: Keys are unique within a workspace.
        key: The `Idempotency-Key`; None to run the operation without one.
        request_digest: A digest over what identifies the request: method, path, body.
        box: Encrypts the answer, which may carry a secret that is shown once.
        operation: What to do.

    Returns:
        Status and body.

    Raises:
        Problem: `idempotency_conflict`: the key was used for another request.
    """
    if key is None:
        return operation(connection)
    row = and_(idempotency.c.workspace_id == workspace_id, idempotency.c.key == key)
    now = utc_now()
    connection.execute(idempotency.delete().where(row, idempotency.c.created_at < now - KEPT))
    place = {"workspace_id": workspace_id, "key": key, "request_digest": request_digest, "status": 0}
    if insert_unless_there(connection, idempotency, place | {"body_encrypted": b"", "created_at": now}):
        status, body = operation(connection)
        sealed = box.seal(json.dumps(body).encode())
        connection.execute(idempotency.update().where(row).values(status=status, body_encrypted=sealed))
        return status, body
    stored = find(connection, workspace_id, key, request_digest, box)
    if stored is None:
        raise LookupError(f"the answer to Idempotency-Key {key!r} went away while it was read")
    return stored


def find(connection: Connection, workspace_id: str, key: str, request_digest: str, box: SecretBox) -> Answer | None:
    """The answer that is stored for a request, or None; so that a repeated request is not prepared again.

    Raises:
        Problem: `idempotency_conflict`: the key was used for another request.
    """
    kept = idempotency.c.created_at >= utc_now() - KEPT
    query = select(idempotency).where(idempotency.c.workspace_id == workspace_id, idempotency.c.key == key, kept)
    stored = connection.execute(query).one_or_none()
    if stored is None:
        return None
    if stored.request_digest != request_digest:
        raise Problem(
            "idempotency_conflict",
            f"Idempotency-Key {key!r} was used for another request: send the same request again, or another key",
            key=key,
        )
    return stored.status, json.loads(box.unseal(stored.body_encrypted))


def purge(connection: Connection, now: datetime) -> int:
    """Remove answers that are no longer replayed.

    Returns:
        How many.
    """
    return connection.execute(idempotency.delete().where(idempotency.c.created_at < now - KEPT)).rowcount
