"""Writes: done once for each `Idempotency-Key`, together with the record of their answer."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from pydantic import BaseModel
from sqlalchemy import Connection
from starlette.responses import JSONResponse, Response

from evalrouter_server.auth import current_principal
from evalrouter_server.contract import models as contract
from evalrouter_server.routes.route import ServicesOf
from evalrouter_server.services import Services
from evalrouter_server.store import idempotency


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a write answers.

    Attributes:
        status: The HTTP status.
        document: The body; None: there is none.
    """

    status: int
    document: BaseModel | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """One write request.

    Attributes:
        services: The service.
        workspace_id: The caller's workspace, in which keys are unique.
        key: The request's `Idempotency-Key`, if it has one.
        digest: The sha256 of API key, method, path and body: an answer may carry a secret, and is for who asked.
    """

    services: Services
    workspace_id: str
    key: str | None
    digest: str

    async def replayed(self) -> Response | None:
        """The answer of an earlier request with the same key; None where there is none.

        Raises:
            Problem: `idempotency_conflict`: the key came with another request.
        """
        if self.key is None:
            return None
        key, box = self.key, self.services.box
        stored = await self.services.database.read(
            lambda conn: idempotency.find(conn, self.workspace_id, key, self.digest, box)
        )
        return None if stored is None else _response(*stored)

    async def once(self, operation: Callable[[Connection], Outcome]) -> Response:
        """Do the write, or give the answer of an earlier request with the same key.

        Args:
            operation: The write; what it raises undoes it and is not recorded.

        Raises:
            Problem: `idempotency_conflict`, or what the operation refuses.
        """

        def answered(conn: Connection) -> idempotency.Answer:
            outcome = operation(conn)
            document = outcome.document
            return outcome.status, None if document is None else document.model_dump(mode="json")

        def write(conn: Connection) -> idempotency.Answer:
            return idempotency.once(conn, self.workspace_id, self.key, self.digest, self.services.box, answered)

        return _response(*await self.services.database.write(write))


async def _write(
    request: Request,
    services: ServicesOf,
    idempotency_key: Annotated[contract.IdempotencyKeyValue | None, Header()] = None,
) -> Write:
    body = await request.body()
    principal = current_principal(request)
    digest = hashlib.sha256(f"{principal.key_id}\n{request.method}\n{request.url.path}\n".encode() + body).hexdigest()
    return Write(services, principal.workspace_id, idempotency_key, digest)


WriteOf = Annotated[Write, Depends(_write)]


def _response(status: int, body: Any) -> Response:
    return Response(status_code=status) if body is None else JSONResponse(body, status)
