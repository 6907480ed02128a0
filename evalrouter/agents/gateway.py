"""The run's model as an agent sees it: ready-made calls, ready-made clients, or just an address and a key."""

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, Any

import httpx

from evalrouter.errors import EvalRouterError, InvalidArgumentError, ServerConnectionError, StatusError

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

SECONDS_PER_CALL = 900.0
"""How long to wait for an answer; the gateway itself gives a call up after 600 seconds."""

CONNECT_TRIES = 5
"""How often to connect to a server that is not there, as while it restarts."""


class GatewayError(StatusError):
    """The gateway, or the model behind it, refused a call.

    With `status` 402 (`budget_exhausted`) the run's budget cannot pay for the call: stop, rather than try again.
    """

    @property
    def is_budget_exhausted(self) -> bool:
        """Whether the run's budget cannot pay for the call."""
        return self.status == 402


class AgentGateway:
    """Calls the run's model; every call is metered and charged to the task.

    Attributes:
        base_url: What an OpenAI client takes as its base URL; it ends in `/v1`.
        api_key: A key that can only call this run's model for this task, and dies with the task.
        model: The model's name.
    """

    def __init__(self, base_url: str, api_key: str, model: str) -> None:
        self.base_url = base_url
        self.api_key = api_key
        self.model = model

    async def chat(self, messages: list[Any], **options: Any) -> dict[str, Any]:
        """A call by OpenAI's Chat Completions wire, not streamed.

        Args:
            messages: The conversation.
            **options: Further fields of the request, such as `temperature`, `max_tokens` or `tools`.

        Returns:
            The answer as the wire has it: the text is `reply["choices"][0]["message"]["content"]`.

        Raises:
            GatewayError: The call was refused or failed.
            ServerConnectionError: The gateway could not be reached, or the connection was lost.
        """
        return await self._post("chat/completions", {"messages": messages, **options})

    async def responses(self, input: str | list[Any], **options: Any) -> dict[str, Any]:
        """A call by OpenAI's Responses wire, not streamed.

        Args:
            input: A text, or a list of items.
            **options: Further fields of the request.

        Raises:
            GatewayError: The call was refused or failed.
            ServerConnectionError: The gateway could not be reached, or the connection was lost.
        """
        return await self._post("responses", {"input": input, **options})

    async def messages(self, messages: list[Any], max_tokens: int = 4096, **options: Any) -> dict[str, Any]:
        """A call by Anthropic's Messages wire, not streamed.

        Args:
            messages: The conversation.
            max_tokens: The most tokens of the answer.
            **options: Further fields of the request, such as `system`.

        Raises:
            GatewayError: The call was refused or failed.
            ServerConnectionError: The gateway could not be reached, or the connection was lost.
        """
        return await self._post("messages", {"messages": messages, "max_tokens": max_tokens, **options})

    def openai_client(self) -> "AsyncOpenAI":
        """A client of the package `openai`, ready to use, for streams and whatever else; pass `model=gateway.model`.

        Raises:
            ImportError: The package is not installed.
        """
        from openai import AsyncOpenAI

        return AsyncOpenAI(base_url=self.base_url, api_key=self.api_key, max_retries=0, timeout=SECONDS_PER_CALL)

    def anthropic_client(self) -> "AsyncAnthropic":
        """A client of the package `anthropic`, ready to use; pass `model=gateway.model`.

        Raises:
            ImportError: The package is not installed.
        """
        from anthropic import AsyncAnthropic

        root = self.base_url.removesuffix("/v1")
        return AsyncAnthropic(base_url=root, api_key=self.api_key, max_retries=0, timeout=SECONDS_PER_CALL)

    async def aclose(self) -> None:
        """Closes the connections of `chat`, `responses` and `messages`."""
        if "_client" in self.__dict__:
            await self._client.aclose()

    @cached_property
    def _client(self) -> httpx.AsyncClient:
        """The task's own connections: httpx gets slow where one client has many."""
        return httpx.AsyncClient(
            headers={"Authorization": f"Bearer {self.api_key}"},
            timeout=httpx.Timeout(SECONDS_PER_CALL, connect=10),
            verify=self.base_url.startswith("https:"),
        )

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if body.get("stream"):
            raise InvalidArgumentError(
                "stream=True is not for this method, which returns a whole answer: use gateway.openai_client() or "
                "gateway.anthropic_client() for a stream."
            )
        response = await self._send(f"{self.base_url}/{path}", {"model": self.model, **body})
        try:
            answer: dict[str, Any] = response.json()
        except ValueError:
            answer = {}
        if response.is_success and answer:
            return answer
        raise _refusal(response.status_code, answer)

    async def _send(self, url: str, body: dict[str, Any]) -> httpx.Response:
        for attempt in range(CONNECT_TRIES):
            try:
                return await self._client.post(url, json=body)
            except httpx.ConnectError as error:
                failure: httpx.RequestError = error
                await asyncio.sleep(0.2 * 2**attempt)
            except httpx.RequestError as error:
                failure = error
                break
        reason = str(failure) or type(failure).__name__
        raise ServerConnectionError(f"The call to the gateway at {self.base_url} failed: {reason}.") from None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r}, model={self.model!r})"


def _refusal(status: int, answer: dict[str, Any]) -> EvalRouterError:
    said = answer.get("error")
    said = said if isinstance(said, dict) else {}
    code = str(said.get("code") or said.get("type") or "unexpected_answer")
    message = str(said.get("message") or "the gateway's answer was not understood")
    return GatewayError(f"The model call was refused ({status}): {message}", status=status, code=code)
