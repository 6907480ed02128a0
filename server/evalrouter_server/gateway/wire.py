"""The small common shape of the wire formats; one module each implements it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from evalrouter_server.gateway.json_text import decode
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.sse import Event
from evalrouter_server.gateway.upstream import Lost
from evalrouter_server.gateway.usage import Report

HOSTED_TOOLS_LEFT_OUT = "hosted_tools_left_out"
"""The flag of a run whose requests offered tools that the provider would have run, and billed by use."""


class RequestRefused(Exception):
    """A request that the gateway does not send on.

    Args:
        code: A stable code.
        message: What was wrong and what to do. Holds no payload.
        status: The HTTP status of the answer.
        param: The request's field that it is about.
    """

    def __init__(self, code: str, message: str, *, status: int = 400, param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.param = param


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request that was checked, bounded and made ready to be sent.

    Attributes:
        path: Below the endpoint's root.
        body: What is sent.
        streamed: Whether a stream was asked for.
        model_requested: The model's name in the caller's request.
        input_tokens: Upper bound of its input tokens.
        output_tokens: Upper bound of its output tokens, over all choices.
        reads: The texts that the model reads, for the estimate of a call whose usage is not reported.
        shows_usage: Whether the caller asked for usage at the end of its stream.
        flags: What the request puts on its run.
    """

    path: str
    body: dict[str, Any]
    streamed: bool
    model_requested: str
    input_tokens: int
    output_tokens: int
    reads: tuple[str, ...]
    shows_usage: bool = True
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a whole answer says.

    Attributes:
        text: The text of its first choice.
        finish_reason: Why the first choice ended, in the wire's words.
        report: Tokens and cost; None where the provider reports nothing usable.
        model_served: The model that the provider says answered.
        writes: Everything that the model wrote, for the estimate.
        raw: The decoded answer, or what a stream's chunks add up to.
    """

    text: str
    finish_reason: str | None
    report: Report | None
    model_served: str | None
    writes: tuple[str, ...]
    raw: dict[str, Any]


class StreamReader(Protocol):
    """Follows one stream."""

    @property
    def ended(self) -> bool:
        """Whether the event that ends the answer has come."""

    def feed(self, event: Event) -> bytes | None:
        """Take an event.

        Returns:
            What the caller gets of it; None hides it.

        Raises:
            TryFailed: It says that the provider failed, or cannot be read.
        """

    def finish(self) -> Answer:
        """What the stream said, once it has ended.

        Raises:
            TryFailed: It ended before the answer did.
        """


class Wire(Protocol):
    """A wire format."""

    name: str

    def prepare(self, body: Mapping[str, Any], route: RunRoute, upstream: Upstream) -> Prepared:
        """Check and bound a request, and set its output limit so that the bound holds.

        Args:
            body: The caller's request.
            route: The run's way to its model.
            upstream: The endpoint.

        Raises:
            RequestRefused: It is malformed, names another model, or cannot be bounded.
        """

    def headers(self, upstream: Upstream, given: Mapping[str, str]) -> dict[str, str]:
        """The headers of the request to the provider, besides the content's type.

        Args:
            upstream: The endpoint.
            given: The caller's own headers, by names in lower case.
        """

    def read(self, answer: Any, upstream: Upstream) -> Answer:
        """Read a whole answer.

        Raises:
            TryFailed: It is no answer of this wire.
        """

    def reader(self, prepared: Prepared, upstream: Upstream) -> StreamReader:
        """Follow a stream of this wire."""

    def error(
        self, *, code: str, message: str, status: int, param: str | None = None, kind: str | None = None
    ) -> dict[str, Any]:
        """An error's body in this wire's form."""

    def error_event(self, *, code: str, message: str, status: int) -> bytes:
        """What ends a stream that fails after its first byte."""


def decode_event(data: str) -> dict[str, Any]:
    """The JSON object of a stream's event.

    Raises:
        Lost: It is none.
    """
    try:
        value = decode(data)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Lost("upstream_malformed_answer", f"a chunk of the stream is not a JSON object ({len(data)} characters)")
    return value


def name_of(value: Any) -> str | None:
    """A name in an answer; None where there is none."""
    return value if isinstance(value, str) and value else None


def sse_event(data: Any, *, name: str | None = None) -> bytes:
    """An event of a stream."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()
