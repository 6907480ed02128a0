"""A server of a2a-sdk 0.3 itself, in an environment of its own: what that version really sends and takes."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from evalrouter_server.remote_agents.address import AgentAddress
from evalrouter_server.remote_agents.agent import RemoteAgent
from evalrouter_server.remote_agents.failures import TaskNotDone

from tests.remote_agents.test_wire import Names

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

SERVER = """
import asyncio, socket, sys
import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, Part, TextPart
from a2a.utils import new_agent_text_message, new_task

binding, streaming = sys.argv[1], sys.argv[2] == "streamed"


def part(text):
    return Part(root=TextPart(text=text))


class Executor(AgentExecutor):
    async def execute(self, context, queue):
        asked = context.get_user_input()
        if asked == "message":
            await queue.enqueue_event(new_agent_text_message("42"))
            return
        task = context.current_task or new_task(context.message)
        await queue.enqueue_event(task)
        updater = TaskUpdater(queue, task.id, task.context_id)
        await updater.start_work()
        if asked == "never":
            await asyncio.sleep(600)
        if asked == "input":
            await updater.requires_input(updater.new_agent_message([part("Which?")]), final=True)
            return
        for place, chunk in enumerate(("The answer", " is 4", "2")):
            await updater.add_artifact([part(chunk)], artifact_id="a", append=place > 0, last_chunk=place == 2)
            await asyncio.sleep(0.05)
        await updater.complete()

    async def cancel(self, context, queue):
        await TaskUpdater(queue, context.current_task.id, context.current_task.context_id).cancel()


listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
url = f"http://127.0.0.1:{listening.getsockname()[1]}"
card = AgentCard(
    name="Older", description="d", url=url, version="0.9", preferred_transport=binding,
    capabilities=AgentCapabilities(streaming=streaming), default_input_modes=["text"], default_output_modes=["text"],
    skills=[AgentSkill(id="a", name="a", description="a", tags=["a"])],
)
handler = DefaultRequestHandler(agent_executor=Executor(), task_store=InMemoryTaskStore())
if binding == "JSONRPC":
    from a2a.server.apps import A2AStarletteApplication as Application
else:
    from a2a.server.apps import A2ARESTFastAPIApplication as Application
app = Application(agent_card=card, http_handler=handler).build()
print(url, flush=True)
asyncio.run(uvicorn.Server(uvicorn.Config(app, log_level="critical")).serve(sockets=[listening]))
"""


@pytest.fixture(scope="module")
def older_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of an environment with a2a-sdk 0.3."""
    folder = tmp_path_factory.mktemp("older") / "env"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = str(folder / "bin" / "python")
    wanted = ("a2a-sdk[http-server]>=0.3.20,<0.4", "uvicorn")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-input", *wanted], check=True, timeout=600)
    return python


@pytest.fixture(
    params=[(binding, how) for binding in ("JSONRPC", "HTTP+JSON") for how in ("streamed", "polled")],
    ids=" ".join,
)
def address(older_python: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentAddress]:
    (tmp_path / "server.py").write_text(SERVER)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with subprocess.Popen(
        [older_python, "server.py", *request.param], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield AgentAddress("older", server.stdout.readline().strip())
        finally:
            server.kill()


async def test_an_older_server_is_spoken_to(address: AgentAddress) -> None:
    async with RemoteAgent.connected(address) as agent:
        assert agent.card.protocol.startswith("A2A 0.3 over ")
        for asked, answer in (("chunks", "The answer is 42"), ("message", "42")):
            assert await agent.ask([{"role": "user", "content": asked}], "task_1", Names()) == answer
        with pytest.raises(TaskNotDone) as waits:
            await agent.ask([{"role": "user", "content": "input"}], "task_2", Names())
        assert (waits.value.code, waits.value.said) == ("agent_needs_input", "Which?")


async def test_an_older_server_is_told_to_stop(address: AgentAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalrouter_server.remote_agents.agent.SECONDS_OF_SILENCE", 1.0)  # its stream does not tell
    names = Names()
    async with RemoteAgent.connected(address) as agent:
        asking = asyncio.create_task(agent.ask([{"role": "user", "content": "never"}], "task_3", names))
        await asyncio.wait_for(names.known.wait(), 60)
        await agent.cancel(names.heard[0])
        with pytest.raises(TaskNotDone) as stopped:
            await asking
    assert stopped.value.code == "agent_cancelled"
