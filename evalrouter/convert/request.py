"""A request before it is sent, with how its answer is read."""

from collections.abc import Callable, Mapping
from typing import Any

import httpx
from attrs import frozen

from evalrouter.errors import ServerAnswerError


@frozen
class Request[T]:
    """One operation of the contract.

    Attributes:
        arguments: What `httpx` sends: method, url, params, json, headers.
        parse: The generated parser of its answer.
        convert: From what that returns to the SDK's type.
        may_fetch: Whether the server may first have to fetch a benchmark's data, which takes its time.
    """

    arguments: Mapping[str, Any]
    parse: Callable[..., Any]
    convert: Callable[[Any], T]
    may_fetch: bool = False

    @property
    def is_write(self) -> bool:
        """Whether it changes something and so takes an idempotency key."""
        return str(self.arguments["method"]).lower() != "get"

    def read(self, response: httpx.Response) -> T:
        """The SDK's form of an answer.

        Raises:
            ServerAnswerError: The answer does not fit the contract.
        """
        try:
            parsed = self.parse(response=response)
            if parsed is None and response.status_code != 204:
                raise ValueError(f"status {response.status_code} is not in the contract")
            return self.convert(parsed)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            path = self.arguments["url"]
            reason = type(error).__name__ if isinstance(error, TypeError | AttributeError) else str(error)
            raise ServerAnswerError(
                f"The server's answer to {str(self.arguments['method']).upper()} {path} does not fit the contract "
                f"({reason[:200]}). Check that base_url is an EvalRouter server of this version."
            ) from None


def nothing(_: object) -> None:
    """The conversion of an empty answer."""
