"""The small common shape of the wire formats; one module each implements it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.sse import Event
from evalrouter_server.gateway.usage import Report


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
    """

    path: str
    body: dict[str, Any]
    streamed: bool
    model_requested: str
    input_tokens: int
    output_tokens: int
    reads: tuple[str, ...]
    shows_usage: bool = True


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
