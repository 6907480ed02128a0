"""The protocol as it is on the wire: both versions, both bindings, streamed and polled, against a real A2A server."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import get_args

import pytest
from a2a.helpers import new_text_part
from evalrouter_server.remote_agents.address import AgentAddress
from evalrouter_server.remote_agents.agent import RemoteAgent
from evalrouter_server.remote_agents.failures import TaskNotDone

from tests.remote_agents.agent import Agent, Behaviour, Binding, Version, Work

QUESTION = [{"role": "user", "content": "What is 6 times 7?"}]
MODES = [
    pytest.param((version, binding, streaming), id=f"{version} {binding} {'streamed' if streaming else 'polled'}")
    for version in get_args(Version.__value__)
    for binding in get_args(Binding.__value__)
    for streaming in (True, False)
]


class Names:
    """Keeps the IDs that an agent gives its tasks."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.known = asyncio.Event()

    async def __call__(self, remote_id: str) -> None:
        self.heard.append(remote_id)
        self.known.set()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalrouter_server.remote_agents.agent.FIRST_PAUSE", 0.05)


@pytest.fixture(scope="module", params=MODES)
def agent(request: pytest.FixtureRequest) -> Iterator[Agent]:
    version, binding, streaming = request.param
    with Agent(version=version, binding=binding, streaming=streaming) as started:
        yield started


@asynccontextmanager
async def connected(agent: Agent, behave: Behaviour) -> AsyncIterator[RemoteAgent]:
    agent.behave = behave
    agent.works.clear()
    agent.cancelled.clear()
    agent.seen.clear()
    async with RemoteAgent.connected(AgentAddress("double", agent.url)) as remote:
        yield remote


async def in_chunks(work: Work) -> None:
    await work.finish("The answer", " is 4", "2.")


async def with_a_message(work: Work) -> None:
    await work.reply("42")


async def in_a_while(work: Work) -> None:
    updater = await work.open()
    await asyncio.sleep(0.4)
    await updater.add_artifact([new_text_part("42")])
    await updater.complete()


async def by_its_status(work: Work) -> None:
    updater = await work.open()
    await updater.complete(updater.new_agent_message([new_text_part("It is 42.")]))


async def never(work: Work) -> None:
    await work.open()
    await asyncio.sleep(60)


async def test_every_form_of_an_answer_is_taken(agent: Agent) -> None:
    for behave, answer in ((in_chunks, "The answer is 42."), (with_a_message, "42"), (by_its_status, "It is 42.")):
        names = Names()
        async with connected(agent, behave) as remote:
            assert await remote.ask(QUESTION, "task_1", names) == answer
        assert agent.texts == ["What is 6 times 7?"]
        assert agent.works[0].message_id == "task_1"
        assert names.heard == ([] if behave is with_a_message else [agent.works[0].context.task_id])


async def test_the_wire_is_that_of_the_card(agent: Agent) -> None:
    async with connected(agent, in_a_while) as remote:
        assert await remote.ask(QUESTION, "task_1", Names()) == "42"
        assert remote.card.version == "1.2.3"
        assert remote.card.protocol == f"A2A {agent.version} over {agent.binding}"
    calls = [each for each in agent.seen if not each.path.startswith("/.well-known/")]
    if agent.binding == "JSONRPC":
        used = json.loads(calls[0].body)["method"]
        older, newer = ("message/stream", "message/send"), ("SendStreamingMessage", "SendMessage")
        assert used == (older if agent.version == "0.3" else newer)[not agent.streaming]
    else:
        prefix = "/v1" if agent.version == "0.3" else ""
        assert calls[0].path == f"{prefix}/message:{'stream' if agent.streaming else 'send'}"
    assert (len(calls) == 1) == agent.streaming
    assert agent.seen[0].headers["accept-encoding"] == "identity"


async def test_a_task_is_cancelled_and_followed(agent: Agent) -> None:
    names = Names()
    async with connected(agent, never) as remote:
        asking = asyncio.create_task(remote.ask(QUESTION, "task_1", names))
        await names.known.wait()
        following = asyncio.create_task(remote.follow(names.heard[0]))
        await remote.cancel(names.heard[0])
        for waiting in (asking, following):
            with pytest.raises(TaskNotDone) as ended:
                await waiting
            assert ended.value.code == "agent_cancelled"
        assert len(agent.works) == 1
        with pytest.raises(TaskNotDone) as unknown:
            await remote.follow("no-such-task")
    assert unknown.value.code == "agent_lost_task"
    assert agent.cancelled == names.heard
