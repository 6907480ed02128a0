"""The gateway over HTTP, for agents and harnesses: other makers' wires, keyed by a run's gateway keys."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy import Connection
from starlette.responses import JSONResponse, Response, StreamingResponse

from evalrouter_server.gateway.attribution import Attribution
from evalrouter_server.gateway.chat import ChatWire
from evalrouter_server.gateway.chat_request import lower_output_limit
from evalrouter_server.gateway.completion import Completion
from evalrouter_server.gateway.exchange import Exchange, ProviderRefused
from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.json_text import decode
from evalrouter_server.gateway.messages import MessagesWire
from evalrouter_server.gateway.messages_request import readable
from evalrouter_server.gateway.metering import BudgetExhausted, CallFailed, RunStopped
from evalrouter_server.gateway.responses import ResponsesWire
from evalrouter_server.gateway.routing import Router, RunRoute
from evalrouter_server.gateway.usage import estimate
from evalrouter_server.gateway.wire import RequestRefused, Wire
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.reservations import ADMITTING
from evalrouter_server.quoting.plan import Plan
from evalrouter_server.store import keys, quotes, runs
from evalrouter_server.store.database import Database
from evalrouter_server.store.keys import GatewayKeyRow
from evalrouter_server.store.runs import RunRow

type OnFailure = Callable[[RunRoute, BudgetExhausted | CallFailed | RunStopped], Awaitable[None]]
"""Told of a call that came to nothing before its caller is."""

BODY_LIMIT = 8 * 1024 * 1024
"""Bytes of a request."""

PLANS_KEPT = 64
"""Plans of runs that are kept in memory."""


class GatewayRoutes:
    """The routes below `/gateway`.

    Args:
        database: Where keys, runs and plans are.
        router: Leads from a plan to its model.
        gateway: Makes the calls.
        body_limit: The largest request body, in bytes.
        attribution: Whose tasks' calls come in, where what they ask tells; None: the key alone tells.
        on_failure: Told of each call that came to nothing.
    """

    def __init__(
        self,
        database: Database,
        router: Router,
        gateway: Gateway,
        *,
        body_limit: int = BODY_LIMIT,
        attribution: Attribution | None = None,
        on_failure: OnFailure | None = None,
    ) -> None:
        self._database = database
        self._router = router
        self._gateway = gateway
        self._body_limit = body_limit
        self._attribution = attribution
        self._on_failure = on_failure
        self._chat = ChatWire()
        self._responses = ResponsesWire()
        self._messages = MessagesWire()
        self._plans: dict[str, Plan] = {}

    def api_router(self) -> APIRouter:
        """The routes, to be included in an application."""
        routes = APIRouter(prefix="/gateway")
        for root in ("", "/"):
            routes.add_api_route(root, self.root, methods=["HEAD"], response_model=None, include_in_schema=False)
        routes.add_api_route("/v1/models", self.models, methods=["GET"], response_model=None)
        routes.add_api_route("/v1/chat/completions", self.chat_completions, methods=["POST"], response_model=None)
        routes.add_api_route("/v1/responses", self.responses, methods=["POST"], response_model=None)
        routes.add_api_route("/v1/messages", self.messages, methods=["POST"], response_model=None)
        routes.add_api_route("/v1/messages/count_tokens", self.count_tokens, methods=["POST"], response_model=None)
        return routes

    async def root(self) -> Response:
        """Agents look whether anybody is there."""
        return Response()

    async def models(self, request: Request) -> Response:
        """The key's one model, in OpenAI's form."""
        try:
            route, _ = await self._admit(request)
        except RequestRefused as error:
            return _refused(self._chat, error)
        model = {"id": route.model_name, "object": "model", "created": 0, "owned_by": "evalrouter"}
        return JSONResponse({"object": "list", "data": [model]})

    async def chat_completions(self, request: Request) -> Response:
        """OpenAI Chat Completions, metered."""
        return await self._call(request, self._chat)

    async def responses(self, request: Request) -> Response:
        """OpenAI Responses, metered."""
        return await self._call(request, self._responses)

    async def messages(self, request: Request) -> Response:
        """Anthropic Messages, metered."""
        return await self._call(request, self._messages)

    async def count_tokens(self, request: Request) -> Response:
        """About how many tokens a Messages request has, by the rule for calls whose usage is not reported.

        Nothing is called, and nothing charged.
        """
        try:
            await self._admit(request)
            reads, tools, _ = readable(await self._body(request))
        except RecursionError:
            return _refused(self._messages, RequestRefused("invalid_request", "the request is nested too deeply"))
        except RequestRefused as error:
            return _refused(self._messages, error)
        read = estimate([json.dumps(part, ensure_ascii=False) for part in (*reads, *tools)], ())
        return JSONResponse({"input_tokens": read.input_tokens})

    async def _call(self, request: Request, wire: Wire) -> Response:
        try:
            route, task_id = await self._admit(request)
            body = await self._body(request)
            exchange, task = await self._start(route, wire, body, task_id, dict(request.headers))
            try:
                if body.get("stream"):
                    return await _stream(exchange, task, wire)
                return JSONResponse((await asyncio.shield(task)).raw)
            except BaseException:
                exchange.abandon()
                raise
        except RequestRefused as error:
            return _refused(wire, error)
        except (BudgetExhausted, CallFailed, RunStopped) as error:
            if self._on_failure is not None:
                await self._on_failure(route, error)
            status, answer = _failure(wire, error)
            return JSONResponse(answer, status_code=status)

    async def _start(
        self, route: RunRoute, wire: Wire, body: dict[str, Any], task_id: str | None, headers: dict[str, str]
    ) -> tuple[Exchange, asyncio.Task[Completion]]:
        """Start the call; one that is known for a task's own is replayed where it was settled before."""
        call = self._attribution.take(body) if self._attribution is not None and wire is self._chat else None
        if call is None:
            return await self._gateway.start(
                route, wire, body, call_key=f"gateway:{new_id('req')}", task_id=task_id, headers=headers
            )
        try:
            exchange, task = await self._gateway.start(
                route,
                wire,
                lower_output_limit(body, route.output_token_limit),
                call_key=call.call_key,
                task_id=call.task_id,
                built_in=True,
            )
        except (RequestRefused, CallFailed) as error:
            call.error = error
            raise
        call.follow(task)
        return exchange, task

    async def _admit(self, request: Request) -> tuple[RunRoute, str | None]:
        """The route that the request's key opens, and the task that its calls belong to."""
        secret = _secret(request)
        if secret is not None:
            opened = await self._database.read(lambda connection: _opened_by(connection, secret))
            if opened is not None:
                key, run = opened
                plan = await self._plan(run.quote_id)
                return self._router.route(run.id, plan, gateway_key_id=key.id), key.task_id
        raise RequestRefused(
            "invalid_api_key", "this is no gateway key of a run that is going on; make one for the run", status=401
        )

    async def _plan(self, quote_id: str) -> Plan:
        """A quote's plan; it never changes, and may be long."""
        if quote_id not in self._plans:
            quote = await self._database.read(lambda connection: quotes.load(connection, quote_id))
            if quote is None:
                raise RuntimeError(f"{quote_id} is gone: quotes of runs are never removed")
            if len(self._plans) >= PLANS_KEPT:
                self._plans.pop(next(iter(self._plans)))
            self._plans[quote_id] = Plan.model_validate(quote.plan)
        return self._plans[quote_id]

    async def _body(self, request: Request) -> dict[str, Any]:
        content = bytearray()
        async for chunk in request.stream():
            content += chunk
            if len(content) > self._body_limit:
                raise RequestRefused(
                    "request_too_large", f"the request has more than {self._body_limit} bytes; send less", status=413
                )
        try:
            body = decode(content)
        except ValueError:
            raise RequestRefused("invalid_request", "the request's body is not JSON") from None
        if not isinstance(body, dict):
            raise RequestRefused("invalid_request", "the request's body is not a JSON object")
        return body


def _secret(request: Request) -> str | None:
    """The key that a request comes with: as OpenAI's clients send it, or as Anthropic's do."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.casefold() == "bearer" else request.headers.get("x-api-key")


def _opened_by(connection: Connection, secret: str) -> tuple[GatewayKeyRow, RunRow] | None:
    key = keys.authenticate_gateway(connection, secret)
    run = None if key is None else runs.load(connection, key.run_id)
    return None if key is None or run is None or run.status not in ADMITTING else (key, run)


async def _stream(exchange: Exchange, task: asyncio.Task[Completion], wire: Wire) -> Response:
    """Answer once the first chunk has come: a call that fails before it has a status of its own."""
    chunks = exchange.chunks()
    first = await anext(chunks, None)
    if first is None:
        await asyncio.shield(task)

    async def body() -> AsyncIterator[bytes]:
        try:
            if first is not None:
                yield first
            async for chunk in chunks:
                yield chunk
            try:
                await asyncio.shield(task)
            except (BudgetExhausted, CallFailed, RunStopped) as error:
                status, code, message = _told(error)
                yield wire.error_event(code=code, message=message, status=status)
        finally:
            exchange.abandon()

    return StreamingResponse(body(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def _refused(wire: Wire, error: RequestRefused) -> Response:
    body = wire.error(code=error.code, message=error.message, status=error.status, param=error.param)
    return JSONResponse(body, status_code=error.status)


def _failure(wire: Wire, error: BudgetExhausted | CallFailed | RunStopped) -> tuple[int, dict[str, Any]]:
    """The status and body that a caller gets.

    What it did itself comes through as the provider said it; what is between this server and the provider, such as a
    wrong key, does not look like the caller's own fault.
    """
    status, code, message = _told(error)
    if isinstance(error, ProviderRefused) and status == error.error.status:
        said = error.error
        return status, wire.error(code=code, message=message, status=status, param=said.param, kind=said.type)
    return status, wire.error(code=code, message=message, status=status)


def _told(error: BudgetExhausted | CallFailed | RunStopped) -> tuple[int, str, str]:
    """Status, code and message of a failure."""
    match error:
        case BudgetExhausted():
            return 402, "budget_exhausted", str(error)
        case RunStopped():
            return 403, "run_stopped", str(error)
        case ProviderRefused(error=said) if said.status >= 400 and said.status not in (401, 402, 403):
            return said.status, said.code or error.code, said.message
        case ProviderRefused():
            return 502, error.code, error.message
        case CallFailed():
            return error.status, error.code, error.message
