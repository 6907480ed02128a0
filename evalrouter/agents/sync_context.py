"""The context of an agent whose `run` is an ordinary method: the same, with calls that block its thread."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalrouter.agents.context import AgentContext, AgentTask
from evalrouter.agents.gateway import SECONDS_PER_CALL, AgentGateway

if TYPE_CHECKING:
    from anthropic import Anthropic
    from openai import OpenAI

type Await = Callable[[Coroutine[Any, Any, Any]], Any]
"""Runs a coroutine on the host's loop and waits for what it gives."""


class SyncAgentTask:
    """The task that the agent works on; see `AgentTask`."""

    def __init__(self, task: AgentTask, wait: Await) -> None:
        self._task = task
        self._wait = wait

    def get(self) -> dict[str, Any]:
        """The task; see `AgentTask.get`."""
        task: dict[str, Any] = self._wait(self._task.get())
        return task

    def submit(self, answer: str) -> None:
        """Hands in the answer, once; see `AgentTask.submit`."""
        self._wait(self._task.submit(answer))

    def done(self) -> None:
        """Says that the work is over; see `AgentTask.done`."""
        self._wait(self._task.done())


class SyncAgentGateway:
    """Calls the run's model; see `AgentGateway`.

    Attributes:
        base_url: What an OpenAI client takes as its base URL.
        api_key: A key for this task alone.
        model: The model's name.
    """

    def __init__(self, gateway: AgentGateway, wait: Await) -> None:
        self.base_url = gateway.base_url
        self.api_key = gateway.api_key
        self.model = gateway.model
        self._gateway = gateway
        self._wait = wait

    def chat(self, messages: list[Any], **options: Any) -> dict[str, Any]:
        """A call by OpenAI's Chat Completions wire; see `AgentGateway.chat`."""
        reply: dict[str, Any] = self._wait(self._gateway.chat(messages, **options))
        return reply

    def responses(self, input: str | list[Any], **options: Any) -> dict[str, Any]:
        """A call by OpenAI's Responses wire; see `AgentGateway.responses`."""
        reply: dict[str, Any] = self._wait(self._gateway.responses(input, **options))
        return reply

    def messages(self, messages: list[Any], max_tokens: int = 4096, **options: Any) -> dict[str, Any]:
        """A call by Anthropic's Messages wire; see `AgentGateway.messages`."""
        reply: dict[str, Any] = self._wait(self._gateway.messages(messages, max_tokens, **options))
        return reply

    def openai_client(self) -> "OpenAI":
        """A client of the package `openai`, ready to use.

        Raises:
            ImportError: The package is not installed.
        """
        from openai import OpenAI

        return OpenAI(base_url=self.base_url, api_key=self.api_key, max_retries=0, timeout=SECONDS_PER_CALL)

    def anthropic_client(self) -> "Anthropic":
        """A client of the package `anthropic`, ready to use.

        Raises:
            ImportError: The package is not installed.
        """
        from anthropic import Anthropic

        root = self.base_url.removesuffix("/v1")
        return Anthropic(base_url=root, api_key=self.api_key, max_retries=0, timeout=SECONDS_PER_CALL)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r}, model={self.model!r})"


class SyncAgentContext:
    """What an agent is given for one task; see `AgentContext`.

    Attributes:
        task: The task.
        gateway: The run's model, metered.
        workdir: A fresh folder for this task alone, removed afterwards.
    """

    def __init__(self, context: AgentContext, loop: asyncio.AbstractEventLoop) -> None:
        def wait(work: Coroutine[Any, Any, Any]) -> Any:
            return asyncio.run_coroutine_threadsafe(work, loop).result()

        self.task = SyncAgentTask(context.task, wait)
        self.gateway = SyncAgentGateway(context.gateway, wait)
        self.workdir: Path = context.workdir
        self.log = context.log
