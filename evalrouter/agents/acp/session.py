"""One agent process and one session with it: start, a prompt, an answer, an end."""

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from acp.connection import Connection
from acp.exceptions import RequestError
from acp.meta import PROTOCOL_VERSION
from attrs import field, frozen

from evalrouter.agents.acp import permissions
from evalrouter.agents.acp.client import CAPABILITIES, TaskClient
from evalrouter.agents.acp.folder import Folder
from evalrouter.agents.acp.lines import LineTransport
from evalrouter.agents.acp.process import KeptProcess
from evalrouter.agents.acp.prompt import Prompt
from evalrouter.agents.acp.transcript import Transcript
from evalrouter.agents.agent import TaskFailed
from evalrouter.version import __version__

STDERR_BYTES = 1024 * 1024
"""The most that is kept of an agent's standard error."""

CANCEL_SECONDS = 2.0
"""How long an agent may take to stop once it was asked to."""

CLOSE_SECONDS = 1.0
"""How long an agent may take to end once nobody writes to it any more."""

MOST_TOOLS_NOTED = 100
"""How many uses of tools are noted of a task."""

_AUTH_REQUIRED = -32000
_STDERR_TAIL = 4000


@frozen
class Start:
    """How a session's process is started.

    Attributes:
        arguments: The command; its first word is an absolute path.
        environment: All its variables but the marker.
        marker: The value of the marker variable.
        stderr: The file of its standard error.
        start_seconds: The most time until it is ready for a prompt.
    """

    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    marker: str
    stderr: Path
    start_seconds: float


@frozen
class Ended:
    """How a prompt ended.

    Attributes:
        reason: Why the agent stopped, in its own word.
        answer: Its answer.
    """

    reason: str
    answer: str


class Session:
    """A session with an agent; use it as an async context manager, which leaves no process.

    Args:
        start: How its process is started.
        folder: The task's folder.
        path: Where that folder is.
        client: What answers the agent.
    """

    def __init__(self, start: Start, folder: Folder, path: Path, client: TaskClient) -> None:
        self.transcript = Transcript()
        self._start = start
        self._folder = folder
        self._path = path
        self._client = client
        self._session_id = ""
        self._prompting: asyncio.Task[Any] | None = None
        self._takes_images = False

    async def __aenter__(self) -> Self:
        try:
            self._process = await KeptProcess.start(
                self._start.arguments,
                folder=self._folder.descriptor,
                environment=self._start.environment,
                stderr=self._start.stderr,
                stderr_bytes=STDERR_BYTES,
                marker=self._start.marker,
                ends_marked=True,
            )
        except OSError as error:
            raise TaskFailed("agent_not_started", f"The agent could not be started: {error.strerror}.") from error
        self._lines = LineTransport(self._process.stdout, self._process.stdin, self._hear)
        self._connection = Connection(self._client.handle, self._lines)
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._cancel_prompt()
            await self._lines.close()
            await self._process.wait(CLOSE_SECONDS)
        finally:
            self._process.release()
            try:
                await self._process.end()
            finally:
                await self._connection.close()

    async def open(self, model: str) -> None:
        """Gets the agent ready for a prompt.

        Args:
            model: The model's name, chosen where the agent offers it.

        Raises:
            TaskFailed: It did not get ready.
        """
        seconds = self._start.start_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._open(model)
        except TimeoutError:
            raise self._failed(
                "agent_start_timeout", f"The agent was not ready for a prompt within {seconds:g} seconds"
            ) from None

    async def prompt(self, prompt: Prompt, seconds: float, *, needs_answer: bool = True) -> Ended:
        """Has the agent work on a prompt.

        Args:
            prompt: The prompt.
            seconds: The most time that it may take.
            needs_answer: Whether it has to say something in the end; where it changes files it does not.

        Raises:
            TaskFailed: It did not finish, or without an answer.
        """
        blocks = prompt.blocks(self._path, with_images=self._takes_images)
        request = self._request("session/prompt", {"sessionId": self._session_id, "prompt": blocks})
        self._prompting = asyncio.ensure_future(request)
        self._prompting.add_done_callback(_look_at)
        too_often = asyncio.create_task(self._client.exhausted.wait())
        try:
            await asyncio.wait({self._prompting, too_often}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            too_often.cancel()
        if self._client.exhausted.is_set():
            raise self._failed("agent_asked_too_often", "The agent asked for permission again and again")
        if not self._prompting.done():
            raise self._failed("agent_timeout", f"The agent did not finish within {seconds:g} seconds")
        reason = str(_at(self._prompting.result(), "stopReason"))[:100]
        answer = self.transcript.answer()
        if reason == "cancelled":
            raise self._failed("agent_cancelled", "The agent cancelled its own work")
        if not answer and needs_answer:
            raise self._failed("no_answer", f"The agent stopped with {reason} and without an answer")
        return Ended(reason, answer)

    def _hear(self, params: dict[str, Any]) -> None:
        """Takes an update, and notes the use of a tool."""
        before = self.transcript.tool_calls
        self.transcript.add(params)
        if before < self.transcript.tool_calls <= MOST_TOOLS_NOTED:
            self._client.log(f"uses {permissions.title(params['update'])}")

    async def _open(self, model: str) -> None:
        about = {"name": "evalrouter", "title": "EvalRouter", "version": __version__}
        hello = {"protocolVersion": PROTOCOL_VERSION, "clientCapabilities": CAPABILITIES, "clientInfo": about}
        abilities = _at(await self._request("initialize", hello), "agentCapabilities", "promptCapabilities", "image")
        self._takes_images = abilities is True
        session = await self._request("session/new", {"cwd": str(self._path), "mcpServers": []})
        session_id = _at(session, "sessionId")
        if not isinstance(session_id, str):
            raise self._failed("agent_protocol_error", "The agent opened a session without an ID")
        self._session_id = session_id
        choice = _model_choice(session, model)
        if choice is not None:
            with contextlib.suppress(
                TaskFailed
            ):  # what the model is called there is a nicety: the gateway knows its own
                await self._request(
                    "session/set_config_option", {"sessionId": session_id, "configId": "model", "value": choice}
                )

    async def _request(self, method: str, params: dict[str, Any]) -> Any:
        try:
            return await self._connection.send_request(method, params)
        except RequestError as error:
            if error.code == _AUTH_REQUIRED:
                raise self._failed(
                    "agent_needs_login", "The agent wants a login of its own, which it cannot have"
                ) from error
            reason = str(error)[:1000]
            raise self._failed("agent_error", f"The agent answered {method} with an error: {reason}") from error
        except (ConnectionError, OSError):
            raise await self._gone(method) from None

    async def _gone(self, method: str) -> TaskFailed:
        """Why the agent does not answer any more."""
        if self._lines.failure:
            return self._failed("agent_protocol_error", f"The agent does not speak the protocol: {self._lines.failure}")
        ended = await self._process.wait(CLOSE_SECONDS)
        if ended:
            status = self._process.exit_status
            return self._failed("agent_crashed", f"The agent ended with exit status {status} during {method}")
        return self._failed("agent_crashed", f"The agent closed its output before it answered {method}")

    def _failed(self, code: str, message: str) -> TaskFailed:
        words = [self._stderr()]
        if self._lines.bad_lines:
            words.append(f"Lines that are no messages: {self._lines.bad_lines}, the last: {self._lines.last_bad_line}")
        return TaskFailed(code, f"{message}.", "\n".join(filter(None, words)) or None)

    def _stderr(self) -> str:
        with contextlib.suppress(OSError), self._start.stderr.open("rb") as file:
            file.seek(max(self._start.stderr.stat().st_size - _STDERR_TAIL, 0))
            return file.read(_STDERR_TAIL).decode(errors="replace").strip()
        return ""

    async def _cancel_prompt(self) -> None:
        prompting = self._prompting
        if prompting is None:
            return
        if not prompting.done():
            with contextlib.suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(CANCEL_SECONDS):
                    await self._connection.send_notification("session/cancel", {"sessionId": self._session_id})
                    await asyncio.wait({prompting})
        prompting.cancel()
        await asyncio.wait({prompting})


def _look_at(task: asyncio.Task[Any]) -> None:
    """Counts as having seen how a task ended, where nobody waits for it any more."""
    if not task.cancelled():
        task.exception()


def _at(document: object, *names: str) -> object:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _model_choice(session: object, model: str) -> str | None:
    """What an agent calls the run's model among those that it offers; None where it does not, or uses it already."""
    options = _at(session, "configOptions")
    for option in options if isinstance(options, list) else ():
        if _at(option, "id") == "model" and isinstance(choices := _at(option, "options"), list):
            flat = [each for choice in choices for each in (_at(choice, "options") or [choice])]  # type: ignore[attr-defined]
            names = [value for value in (_at(each, "value") for each in flat) if isinstance(value, str)]
            fitting = [name for name in names if name == model or name.endswith(f"/{model}")]
            if fitting and _at(option, "currentValue") not in fitting:
                return fitting[0]
    return None
