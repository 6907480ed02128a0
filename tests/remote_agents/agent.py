"""An A2A agent of ours on a real a2a-sdk server, in a thread, which does what a test tells it to."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import uvicorn
from a2a.helpers import new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Task, TaskState, TaskStatus
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

type Version = Literal["1.0", "0.3"]
type Binding = Literal["JSONRPC", "HTTP+JSON"]


@dataclass
class Work:
    """One task at the agent, as a test's behaviour sees it.

    Attributes:
        text: What the agent was asked.
        message_id: Of the message.
    """

    text: str
    message_id: str
    context: RequestContext
    queue: EventQueue
    agent: "Agent"

    @property
    def updater(self) -> TaskUpdater:
        assert self.context.task_id is not None
        assert self.context.context_id is not None
        return TaskUpdater(self.queue, self.context.task_id, self.context.context_id)

    async def open(self) -> TaskUpdater:
        """Make a task of it, which the client is told of at once."""
        task = Task(
            id=self.context.task_id,
            context_id=self.context.context_id,
            status=TaskStatus(state=TaskState.TASK_STATE_SUBMITTED),
        )
        await self.queue.enqueue_event(task)
        await self.updater.start_work()
        return self.updater

    async def reply(self, text: str) -> None:
        """Answer with a message, without a task."""
        await self.queue.enqueue_event(new_text_message(text))

    async def finish(self, *chunks: str) -> None:
        """Answer with a task and an artifact that comes in chunks."""
        updater = await self.open()
        for place, chunk in enumerate(chunks):
            await updater.add_artifact(
                [new_text_part(chunk)], artifact_id="answer", append=place > 0, last_chunk=place == len(chunks) - 1
            )
        await updater.complete()


type Behaviour = Callable[[Work], Awaitable[None]]


async def answers_four(work: Work) -> None:
    await work.finish("The answer is 4")


class Held:
    """A behaviour: each task is named, and answered once the test says so.

    Attributes:
        began: Set once a task was named.
    """

    def __init__(self) -> None:
        self.began = threading.Event()
        self._loops: list[asyncio.AbstractEventLoop] = []
        self._go_on = asyncio.Event()

    async def __call__(self, work: Work) -> None:
        self._loops.append(asyncio.get_running_loop())
        updater = await work.open()
        self.began.set()
        await self._go_on.wait()
        await updater.add_artifact([new_text_part("The answer is 4")])
        await updater.complete()

    def release(self) -> None:
        """Let the tasks be answered, those to come too."""
        assert self.began.wait(60)
        self._loops[0].call_soon_threadsafe(self._go_on.set)


@dataclass
class Seen:
    """A request that came in: its path, the value of the header that carries keys, and its body."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Agent:
    """The agent; use it as a context.

    Attributes:
        behave: What it does with a task.
        version: The protocol's version that its card states.
        binding: The binding that its card states.
        streaming: Whether its card says that it streams.
        key: The header and value without which it answers 401; None: it wants none.
        works: The tasks that it got.
        cancelled: The tasks that it was told to stop.
        seen: The requests that came in.
        card_changes: What is changed in its card.
    """

    behave: Behaviour = answers_four
    version: Version = "1.0"
    binding: Binding = "JSONRPC"
    streaming: bool = True
    key: tuple[str, str] | None = None
    status: int | None = None
    card_changes: dict[str, Any] = field(default_factory=dict)
    works: list[Work] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    def __enter__(self) -> Self:
        config = uvicorn.Config(self._app(), "127.0.0.1", 0, log_level="critical", lifespan="off")
        self._server = uvicorn.Server(config)
        self._socket = config.bind_socket()
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(20)
        self._socket.close()

    @property
    def texts(self) -> list[str]:
        return [work.text for work in self.works]

    def card(self) -> dict[str, Any]:
        common = {
            "name": "Test agent",
            "description": "For tests.",
            "version": "1.2.3",
            "capabilities": {"streaming": self.streaming},
            "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/plain"],
            "skills": [{"id": "answer", "name": "Answer", "description": "Answers.", "tags": ["answer"]}],
        }
        if self.version == "0.3":
            at = {"protocolVersion": "0.3.0", "url": self.url, "preferredTransport": self.binding}
        else:
            interface = {"url": self.url, "protocolBinding": self.binding, "protocolVersion": "1.0"}
            at = {"supportedInterfaces": [interface]}  # type: ignore[dict-item]
        return {**common, **at, **self.card_changes}

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def _app(self) -> ASGIApp:
        card = AgentCard(
            name="Test agent",
            description="For tests.",
            version="1.2.3",
            supported_interfaces=[
                AgentInterface(url="http://127.0.0.1/", protocol_binding="JSONRPC", protocol_version="1.0")
            ],
            capabilities=AgentCapabilities(streaming=True),
            default_input_modes=["text/plain"],
            default_output_modes=["text/plain"],
            skills=[AgentSkill(id="answer", name="Answer", description="Answers.", tags=["answer"])],
        )
        handler = DefaultRequestHandler(_Executor(self), InMemoryTaskStore(), card)
        is_older = self.version == "0.3"
        path = "/.well-known/agent.json" if is_older else "/.well-known/agent-card.json"
        routes: list[BaseRoute] = [Route(path, self._show_card)]
        if self.binding == "JSONRPC":
            routes += create_jsonrpc_routes(handler, "/", enable_v0_3_compat=is_older)
        else:
            routes += create_rest_routes(handler, enable_v0_3_compat=is_older)
        return _Front(Starlette(routes=routes), self)

    async def _show_card(self, request: Request) -> Response:
        return JSONResponse(self.card())


class _Front:
    """Keeps what comes in, and asks for the key."""

    def __init__(self, app: ASGIApp, agent: Agent) -> None:
        self._app = app
        self._agent = agent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        self._agent.seen.append(Seen(request.url.path, dict(request.headers), body))
        is_card = request.url.path.startswith("/.well-known/")
        if (
            self._agent.key is not None
            and not is_card
            and request.headers.get(self._agent.key[0]) != self._agent.key[1]
        ):
            await Response("no key", 401)(scope, receive, send)
        elif self._agent.status is not None and not is_card:
            await Response("no", self._agent.status)(scope, receive, send)
        else:
            await self._app(scope, _again(body, receive), send)


def _again(body: bytes, receive: Receive) -> Receive:
    given = False

    async def give() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return give


class _Executor(AgentExecutor):
    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.message is not None
        work = Work(context.get_user_input(), context.message.message_id, context, event_queue, self._agent)
        self._agent.works.append(work)
        await self._agent.behave(work)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.task_id is not None
        assert context.context_id is not None
        self._agent.cancelled.append(context.task_id)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()
