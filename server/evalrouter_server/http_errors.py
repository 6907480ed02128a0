"""Every refusal and failure as the contract's `Problem`, with the request's ID."""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evalrouter_server import log_context
from evalrouter_server.contract import models as contract
from evalrouter_server.ids import new_id
from evalrouter_server.log_context import about
from evalrouter_server.problems import Problem

REQUEST_ID_HEADER = "EvalRouter-Request-Id"

ID_PATTERN = re.compile(r"\^(\w+)_\[\S+\]\{26\}\$")
"""The contract's pattern of an ID, with what the ID begins with."""

logger = logging.getLogger(__name__)


def problem_response(problem: Problem, request_id: str, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that stands for a refusal.

    Args:
        problem: The refusal.
        request_id: The request's ID.
        headers: Further headers.
    """
    body = contract.Problem(
        code=problem.code, message=problem.message, details=problem.details, request_id=request_id
    ).model_dump_json()
    challenge = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
    return Response(
        body, problem.status, headers={**challenge, **(headers or {})}, media_type="application/problem+json"
    )


class RequestFrame:
    """ASGI middleware around every request: gives it an ID, bounds its body, and turns an unhandled error into a 500.

    Args:
        app: The application inside.
        body_limit: The largest body in bytes; the gateway has a limit of its own.
        body_limits: The largest body of the paths that start so, where that is another.
    """

    def __init__(self, app: ASGIApp, *, body_limit: int, body_limits: Mapping[str, int]) -> None:
        self._app = app
        self._body_limit = body_limit
        self._body_limits = body_limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = new_id("req")
        scope.setdefault("state", {})["request_id"] = request_id
        with about(log_context.request_id, request_id):
            await self._answer(scope, receive, send, request_id)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message["headers"], (REQUEST_ID_HEADER.lower().encode(), request_id.encode())]
            await send(message)

        try:
            if not scope["path"].startswith("/gateway/"):
                limit = self._limit_at(scope["path"])
                _check_declared_length(scope, limit)
                receive = _bounded(receive, limit)
            await self._app(scope, receive, send_with_id)
        except Problem as problem:
            await problem_response(problem, request_id)(scope, receive, send_with_id)
        except ClientDisconnect:
            logger.debug("request %s: %s %s was given up by its client", request_id, scope["method"], scope["path"])
        except Exception:
            logger.exception("request %s: %s %s failed", request_id, scope["method"], scope["path"])
            if started:
                raise
            failure = Problem("internal_error", f"The server failed at this request; its log names {request_id}.")
            await problem_response(failure, request_id)(scope, receive, send_with_id)

    def _limit_at(self, path: str) -> int:
        return next((limit for start, limit in self._body_limits.items() if path.startswith(start)), self._body_limit)


def install_handlers(app: FastAPI, routes: Iterable[APIRoute]) -> None:
    """Make the application answer refusals, invalid requests, unknown paths and methods as problems.

    Args:
        app: The application.
        routes: Its routes, which say what methods a path takes.
    """

    @app.exception_handler(Problem)
    async def on_problem(request: Request, error: Problem) -> Response:
        wait = error.details.get("retry_after_seconds")
        headers = None if wait is None else {"Retry-After": str(wait)}
        return problem_response(error, request.state.request_id, headers)

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> Response:
        return problem_response(invalid_request(error.errors()), request.state.request_id)

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> Response:
        headers = {"Allow": _methods_at(routes, request.url.path)} if error.status_code == 405 else error.headers
        return problem_response(_of_http(request, error), request.state.request_id, headers)


def invalid_request(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """The refusal of a request whose fields are not valid: names each field and what is wrong, never its content."""
    fields = [{"field": _place(error["loc"]), "message": _wrong(error)} for error in errors]
    listed = "; ".join(f"{field['field']}: {field['message']}" for field in fields[:5])
    return Problem("invalid_request", f"The request is not valid: {listed}.", fields=fields)


def _wrong(error: Mapping[str, Any]) -> str:
    found = ID_PATTERN.fullmatch(error.get("ctx", {}).get("pattern", ""))
    return f"An ID is {found[1]}_ and 26 lowercase letters and digits" if found else str(error["msg"])


def _place(location: Sequence[str | int]) -> str:
    return ".".join(str(part) for part in location)


def _of_http(request: Request, error: HTTPException) -> Problem:
    match error.status_code:
        case 404:
            return Problem("not_found", f"There is nothing at {request.url.path}.")
        case 405:
            return Problem("method_not_allowed", f"{request.url.path} does not take {request.method}.")
        case _:
            return Problem("invalid_request", str(error.detail))


def _methods_at(routes: Iterable[APIRoute], path: str) -> str:
    """Every method of a path; the framework names only those of the first route that has the path."""
    return ", ".join(
        sorted({method for route in routes if route.path_regex.match(path) for method in route.methods or ()})
    )


def _check_declared_length(scope: Scope, limit: int) -> None:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and int(value) > limit:
            raise _too_large(limit)


def _bounded(receive: Receive, limit: int) -> Receive:
    received = 0

    async def bounded() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise _too_large(limit)
        return message

    return bounded


def _too_large(limit: int) -> Problem:
    return Problem("request_too_large", f"The request's body is larger than {limit:,} bytes.", limit_bytes=limit)
