"""A remote agent as the runner sees it: it is sent a task, followed until it is done, and told to stop."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol, Self

import httpx
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientError
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    Task,
)
from a2a.utils.errors import A2AError, TaskNotFoundError
from google.protobuf.message import Error as ProtobufError  # type: ignore[import-untyped]

from evalrouter_server.remote_agents.address import AgentAddress
from evalrouter_server.remote_agents.card import BINDINGS, UNAVAILABLE, CheckedCard, fetch_card
from evalrouter_server.remote_agents.failures import AgentUnavailable, TaskNotDone
from evalrouter_server.remote_agents.http import AnswerTooLarge, ForeignOrigin, GuardedTransport, new_client
from evalrouter_server.remote_agents.messages import message_of
from evalrouter_server.remote_agents.progress import Progress

SECONDS_FOR_CARD = 60.0
SECONDS_FOR_QUESTION = 30.0
"""The most time of a request that is answered at once: how a task is, or to cancel it."""

SECONDS_OF_SILENCE = 60.0
"""How long a stream of a task whose ID is known may say nothing before the task is asked for instead."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 5.0
"""Between two questions how a task is."""

PAUSES_BEFORE_SENDING_AGAIN = (1.0, 4.0, 10.0)
"""Where the agent could not be reached, or was busy: it has not taken the task."""

MOST_LOST_QUESTIONS = 5
"""Questions how a task is that may go unanswered one after the other."""

KEPT_HISTORY = 10
"""Messages of a task's history that are asked for."""

BUSY = (429, 503)
REFUSES_KEY = (401, 403)

HIDDEN = "[hidden]"

OUTCOME_UNKNOWN = (
    "The task was sent, and the connection broke before the agent had named it, so nobody knows whether it works on it;"
    " it is not sent again."
)

type OnRemoteId = Callable[[str], Awaitable[None]]
"""Told of the agent's own ID of a task as soon as it is known."""


class Tries(Protocol):
    """Told of a task that is sent more than once because the agent did not take it."""

    async def not_taken(self) -> None:
        """The agent did not take it."""
        ...

    async def sending(self) -> None:
        """It is sent again now."""
        ...


class NotTaken(Exception):
    """The agent did not take what was sent, for sure; `args[0]` says why, in one line."""


class RemoteAgent:
    """An agent that is called over A2A. Open it with `connected`.

    Attributes:
        card: Its card.
    """

    def __init__(
        self, address: AgentAddress, card: CheckedCard, http: httpx.AsyncClient, secrets: Sequence[str]
    ) -> None:
        self.card = card
        self._address = address
        self._secrets = secrets
        config = ClientConfig(httpx_client=http, supported_protocol_bindings=list(BINDINGS), polling=True)
        self._client: Client = ClientFactory(config).create(card.card)

    @classmethod
    @asynccontextmanager
    async def connected(cls, address: AgentAddress) -> AsyncIterator[Self]:
        """Fetch the agent's card and be ready to call it.

        Raises:
            AgentUnavailable: It cannot be called.
        """
        transport = GuardedTransport(address.allowed)
        async with new_client(transport) as http:
            try:
                async with asyncio.timeout(SECONDS_FOR_CARD):
                    card = await fetch_card(http, transport, address)
            except TimeoutError:
                raise AgentUnavailable(UNAVAILABLE, f"{address.name} did not show its card in time") from None
            header = () if transport.credential is None else (transport.credential[1],)
            secrets = sorted({*header, *([] if address.key is None else [address.key])}, key=len, reverse=True)
            yield cls(address, card, http, secrets)

    async def ask(
        self,
        messages: Sequence[dict[str, Any]],
        message_id: str,
        on_remote_id: OnRemoteId,
        tries: Tries | None = None,
    ) -> str:
        """Send a task and follow it to its end; how long that may take is the caller's.

        Args:
            messages: What a model would be asked.
            message_id: Names the message.
            on_remote_id: Told of the agent's own ID of the task.
            tries: Told before the task is sent a second time, and that the agent had not taken it.

        Returns:
            The answer.

        Raises:
            AgentUnavailable: The agent did not take the task, and would take no other.
            TaskNotDone: It did not finish it.
        """
        progress = Progress()
        try:
            for pause in (*PAUSES_BEFORE_SENDING_AGAIN, None):
                try:
                    trouble = await self._send(messages, message_id, progress, on_remote_id)
                    break
                except NotTaken as error:
                    if pause is None:
                        raise AgentUnavailable(UNAVAILABLE, f"{self._address.name} {error}") from None
                    if tries is not None:
                        await tries.not_taken()
                    await asyncio.sleep(pause)
                    if tries is not None:
                        await tries.sending()
            return await self._finished(progress, trouble)
        except TaskNotDone:
            await self._leave(progress)
            raise

    async def follow(self, remote_id: str) -> str:
        """Follow a task that was sent before to its end.

        Returns:
            The answer.

        Raises:
            AgentUnavailable: The agent cannot be reached, or refuses the key.
            TaskNotDone: It did not finish it, or does not know it any more.
        """
        progress = Progress()
        progress.remote_id = remote_id
        try:
            return await self._finished(progress, None)
        except TaskNotDone:
            await self._leave(progress)
            raise

    async def cancel(self, remote_id: str) -> None:
        """Tell the agent to stop working on a task; what it says to that does not matter.

        Raises:
            AgentUnavailable: It could not be told.
        """
        try:
            async with asyncio.timeout(SECONDS_FOR_QUESTION):
                await self._client.cancel_task(CancelTaskRequest(id=remote_id))
        except (A2AError, httpx.HTTPError, TimeoutError, *_UNREADABLE) as error:
            if _is_lost(error):
                raise AgentUnavailable(UNAVAILABLE, f"{self._address.name} could not be told to stop") from None

    def hidden(self, text: str) -> str:
        """A text of the agent's without the key."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text

    async def _send(
        self, messages: Sequence[dict[str, Any]], message_id: str, progress: Progress, on_remote_id: OnRemoteId
    ) -> TaskNotDone | None:
        """Send a task and listen as long as the agent speaks.

        Returns:
            What the agent itself says went wrong after it had taken the task.

        Raises:
            AgentUnavailable: It refuses the request.
            NotTaken: It did not take the task.
            TaskNotDone: It answered with something else, or nobody knows whether it took it.
        """
        request = SendMessageRequest(
            message=message_of(messages, message_id), configuration=SendMessageConfiguration(return_immediately=True)
        )
        events = self._client.send_message(request)
        try:
            while (event := await self._next(events, progress)) is not None:
                known = progress.remote_id
                progress.hear(event)
                if known is None and progress.remote_id is not None:
                    await on_remote_id(progress.remote_id)
                if progress.is_over:
                    return None
        except (A2AError, httpx.HTTPError, TimeoutError, *_UNREADABLE) as error:
            failure = self._failure(error)
            if progress.remote_id is None:
                raise failure from None
            return failure if isinstance(failure, TaskNotDone) and not _is_lost(error) else None
        finally:
            await events.aclose()  # type: ignore[attr-defined]
        if progress.remote_id is None:
            raise TaskNotDone("agent_protocol_error", "The agent answered with neither a message nor a task.")
        return None

    async def _next(self, events: AsyncIterator[StreamResponse], progress: Progress) -> StreamResponse | None:
        patience = None if progress.remote_id is None else SECONDS_OF_SILENCE
        async with asyncio.timeout(patience):
            return await anext(events, None)

    async def _finished(self, progress: Progress, trouble: TaskNotDone | None) -> str:
        """Ask how a task is until it is over; where the agent said that it is in trouble, once."""
        pause, lost = FIRST_PAUSE, 0
        while not progress.is_over:
            assert progress.remote_id is not None
            try:
                progress.take(await self._task(progress.remote_id))
                lost = 0
            except (A2AError, httpx.HTTPError, TimeoutError, *_UNREADABLE) as error:
                if _is_unknown(error):
                    raise TaskNotDone("agent_lost_task", "The agent does not know the task any more.") from None
                failure, lost = self._failure(error), lost + 1
                if not _is_passing(error):
                    raise failure from None
                if lost > MOST_LOST_QUESTIONS:
                    why = "cannot be reached any more" if _is_lost(error) else str(failure)
                    raise AgentUnavailable(UNAVAILABLE, f"{self._address.name} {why}") from None
            if trouble is not None and not progress.is_over:
                raise trouble
            if not progress.is_over:
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, LONGEST_PAUSE)
        return self.hidden(progress.answer())

    async def _task(self, remote_id: str) -> Task:
        async with asyncio.timeout(SECONDS_FOR_QUESTION):
            return await self._client.get_task(GetTaskRequest(id=remote_id, history_length=KEPT_HISTORY))

    async def _leave(self, progress: Progress) -> None:
        """Let the agent work no further on a task of which nothing is wanted any more."""
        if progress.remote_id is not None and not progress.has_ended:
            with contextlib.suppress(AgentUnavailable):
                await self.cancel(progress.remote_id)

    def _failure(self, error: Exception) -> "NotTaken | AgentUnavailable | TaskNotDone":
        """What an error of a request means; the agent's own words are kept apart from the message."""
        cause = _cause(error)
        match cause:
            case ForeignOrigin():
                return AgentUnavailable(UNAVAILABLE, f"{self._address.name} redirects: {cause}; nothing was sent there")
            case AnswerTooLarge():
                return TaskNotDone("answer_too_large", f"The agent's answer cannot be taken: {cause}.")
            case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.PoolTimeout() | httpx.ProxyError():
                return NotTaken(f"cannot be reached ({type(cause).__name__})")
            case httpx.HTTPStatusError(response=response) if response.status_code in REFUSES_KEY:
                return AgentUnavailable(
                    "agent_refused_key",
                    f"{self._address.name} refuses the call (HTTP {response.status_code}): connect it anew with a key"
                    " that it takes",
                )
            case httpx.HTTPStatusError(response=response) if response.status_code in BUSY:
                return NotTaken(f"takes no task now (HTTP {response.status_code})")
        if isinstance(error, A2AError) and not isinstance(error, A2AClientError):
            return TaskNotDone("agent_error", f"The agent answered with {type(error).__name__}.", str(error))
        if isinstance(cause, httpx.HTTPStatusError):
            return TaskNotDone("agent_error", f"The agent answered HTTP {cause.response.status_code}.")
        if _is_lost(error):
            return TaskNotDone("agent_outcome_unknown", OUTCOME_UNKNOWN)
        said = str(error) if isinstance(error, A2AError) else None
        return TaskNotDone("agent_protocol_error", "The agent's answer cannot be read as A2A.", said)


_UNREADABLE = (ProtobufError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What the client raises on an answer that is not of the protocol's form."""


def _cause(error: Exception) -> BaseException | None:
    """What is behind an error of the client's."""
    return error.__cause__ if isinstance(error, A2AError) else error


def _is_unknown(error: Exception) -> bool:
    """Whether the agent does not know the task that it was asked for."""
    cause = _cause(error)
    is_missing = isinstance(cause, httpx.HTTPStatusError) and cause.response.status_code == 404
    return isinstance(error, TaskNotFoundError) or is_missing


def _is_lost(error: Exception) -> bool:
    """Whether a request came to nothing on the way, after it may have arrived."""
    cause = _cause(error)
    if isinstance(cause, ForeignOrigin | AnswerTooLarge):
        return False
    return isinstance(error, TimeoutError) or isinstance(cause, httpx.TransportError)


def _is_passing(error: Exception) -> bool:
    """Whether a question how a task is may be answered when it is asked again."""
    cause = _cause(error)
    if isinstance(cause, httpx.HTTPStatusError):
        return cause.response.status_code in BUSY or cause.response.status_code >= 500
    return _is_lost(error)
