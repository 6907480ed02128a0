"""The work of an agent on one leased task: its context, its time limit, and what its end means."""

import asyncio
import contextlib
import inspect
import re
import tempfile
import threading
import traceback
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from evalrouter._async.transport import AsyncTransport
from evalrouter.agents.agent import Agent, TaskFailed
from evalrouter.agents.context import AgentContext, AgentTask
from evalrouter.agents.folders import remove_folder
from evalrouter.agents.gateway import AgentGateway
from evalrouter.agents.sync_context import SyncAgentContext
from evalrouter.agents.task_files import TaskFiles
from evalrouter.convert import delivery as requests
from evalrouter.convert.delivery import Lease
from evalrouter.errors import EvalRouterError, InvalidArgumentError

LONGEST_ANSWER = 1_000_000
LONGEST_REMARK = 8_000
"""Characters of an answer that are kept beside changed files."""

LONGEST_DETAILS = 16_000
LONGEST_MESSAGE = 2_000
MOST_NOTES = 200
NOTES_AT_ONCE = 100
SECONDS_BETWEEN_NOTES = 0.3

_CODE = "[a-z][a-z0-9_]{0,59}"


def storable(text: str) -> str:
    """A text without what no database takes: NUL, and halves of surrogate pairs, become U+FFFD.

    Args:
        text: Whatever an agent said.
    """
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class LeaseDelivery:
    """Says what an agent says of its task to the server.

    Args:
        transport: With the delivery key.
        lease: The lease.
        files: The files that the task came with; None where it came with none.
    """

    def __init__(self, transport: AsyncTransport, lease: Lease, files: TaskFiles | None) -> None:
        self._transport = transport
        self._lease = lease
        self._files = files
        self._loop = asyncio.get_running_loop()
        self._notes: list[str] = []
        self._noted = 0
        self._sending: asyncio.Task[None] | None = None
        self._notes_in_order = asyncio.Lock()
        self.is_submitted = False
        self.is_over = False

    async def submit(self, answer: str) -> None:
        """Hands in the answer, and what was changed of the task's files."""
        if not isinstance(answer, str) or len(answer) > LONGEST_ANSWER:
            raise InvalidArgumentError(
                f"submit() takes a text of at most {LONGEST_ANSWER:,} characters, not "
                + (f"{len(answer):,}." if isinstance(answer, str) else f"{type(answer).__name__}.")
            )
        answer = storable(answer)
        if self._files is None:
            await self._transport.send(requests.submit(self._lease.id, answer))
        else:
            changed = await asyncio.to_thread(self._files.changed)
            hide = partial(_without, (self._lease.gateway_key,))
            files = {path: hide(content) for path, content in changed.files.items()}
            await self._transport.send(
                requests.submit(self._lease.id, answer[:LONGEST_REMARK], files, changed.left_out)
            )
        self.is_submitted = True

    async def done(self) -> None:
        """Says that the work is over."""
        await self._send_notes()
        await self._transport.send(requests.finish(self._lease.id))
        self.is_over = True

    async def fail(self, code: str, message: str, details: str | None = None) -> None:
        """Gives the task up."""
        await self._send_notes()
        if not re.fullmatch(_CODE, code):
            code, message = "agent_failed", f"{code}: {message}"
        shortened = storable(message[:LONGEST_MESSAGE]) or code
        ending = None if details is None else storable(details[-LONGEST_DETAILS:])
        await self._transport.send(requests.fail(self._lease.id, code, shortened, ending))
        self.is_over = True

    async def give_back(self) -> None:
        """Gives the task back, to be delivered again."""
        await self._transport.send(requests.give_back(self._lease.id))
        self.is_over = True

    def note(self, text: str) -> None:
        """Adds a progress note, from any thread."""
        self._loop.call_soon_threadsafe(self._note, text)

    def _note(self, text: str) -> None:
        if text and self._noted < MOST_NOTES:
            self._noted += 1
            self._notes.append(storable(text))
            if self._sending is None or self._sending.done():
                self._sending = asyncio.create_task(self._send_notes_soon())

    async def _send_notes_soon(self) -> None:
        await asyncio.sleep(SECONDS_BETWEEN_NOTES)
        await self._send_notes()

    async def _send_notes(self) -> None:
        """Sends what is there; waits for what is on its way too, as a lease that is over takes none."""
        async with self._notes_in_order:
            while self._notes:
                texts, self._notes = self._notes[:NOTES_AT_ONCE], self._notes[NOTES_AT_ONCE:]
                with contextlib.suppress(EvalRouterError):  # a note that is lost harms nothing
                    await self._transport.send(requests.notes(self._lease.id, texts))


async def work_on(agent: Agent, lease: Lease, transport: AsyncTransport, secrets: Sequence[str]) -> None:
    """Lets an agent work on a task to its end; being cancelled gives the task back.

    Args:
        agent: The agent.
        lease: The leased task.
        transport: With the delivery key.
        secrets: What must not stand in a traceback.

    Raises:
        EvalRouterError: What came of it could not be said; the lease ends by itself.
    """
    gateway = AgentGateway(lease.gateway_base_url, lease.gateway_key, lease.model)
    workdir = Path(tempfile.mkdtemp(prefix="evalrouter-task-"))
    files = _files_of(lease, workdir)
    delivery = LeaseDelivery(transport, lease, files)
    document = {"id": lease.task_id, "index": lease.index, "repeat": lease.repeat, "inputs": lease.inputs}
    context = AgentContext(AgentTask(document, delivery), gateway, workdir, delivery)
    limit = asyncio.timeout(lease.task_seconds)
    try:
        try:
            async with limit:
                if files is not None:
                    await asyncio.to_thread(files.lay_out)
                await _run(agent, context)
        except asyncio.CancelledError:
            if not delivery.is_over:
                with contextlib.suppress(EvalRouterError):
                    await delivery.give_back()
            raise
        except BaseException as error:
            if not delivery.is_over:
                await _fail(delivery, error, limit, lease, (lease.gateway_key, *secrets))
        else:
            if delivery.is_submitted and not delivery.is_over:
                await delivery.done()
            elif not delivery.is_over:
                await delivery.fail("no_submission", "The agent returned without an answer: it never called submit.")
    finally:
        await gateway.aclose()
        await asyncio.shield(_remove(workdir))


def _files_of(lease: Lease, workdir: Path) -> TaskFiles | None:
    files = lease.inputs.get("files")
    if not isinstance(files, dict) or not all(isinstance(content, str) for content in files.values()):
        return None
    return TaskFiles(workdir, files)


async def _run(agent: Agent, context: AgentContext) -> None:
    if inspect.iscoroutinefunction(agent.run):
        await agent.run(context)
    else:
        await _in_thread(agent, context)


async def _in_thread(agent: Agent, context: AgentContext) -> None:
    """Runs an ordinary method in a thread that does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()

    def end(error: BaseException | None) -> None:
        if over.done():
            return
        if error is None:
            over.set_result(None)
        else:
            over.set_exception(RuntimeError(str(error)) if isinstance(error, StopIteration) else error)

    def body() -> None:
        failure: BaseException | None = None
        try:
            agent.run(SyncAgentContext(context, loop))
        except BaseException as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(end, failure)

    threading.Thread(target=body, name=f"{agent.name or type(agent).__name__} on a task", daemon=True).start()
    await over


async def _fail(
    delivery: LeaseDelivery, error: BaseException, limit: asyncio.Timeout, lease: Lease, secrets: Sequence[str]
) -> None:
    match error:
        case TimeoutError() if limit.expired():
            await delivery.fail("task_timeout", f"The task was not done within {lease.task_seconds:g} seconds.")
        case TaskFailed():
            await delivery.fail(error.code, _without(secrets, error.message), _without(secrets, error.details))
        case _:
            told = "".join(traceback.format_exception(error))
            message = f"{type(error).__name__}: {error}"
            await delivery.fail("agent_failed", _without(secrets, message), _without(secrets, told))


def _without[T: str | None](secrets: Sequence[str], text: T) -> T:
    for secret in secrets:
        if text is not None:
            text = text.replace(secret, "[key]")  # type: ignore[assignment]
    return text


async def _remove(folder: Path) -> None:
    try:
        await asyncio.to_thread(remove_folder, folder)
    except RuntimeError:  # the process ends and starts no more threads
        remove_folder(folder)
