"""Agents that refuse, break off, lead elsewhere or send too much: each ends with a clear result, and the key stays."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from a2a.helpers import new_text_part
from evalrouter_server.remote_agents.address import AgentAddress
from evalrouter_server.remote_agents.agent import RemoteAgent
from evalrouter_server.remote_agents.failures import AgentUnavailable, TaskNotDone

from tests.loopback import LoopbackServer
from tests.remote_agents.agent import Agent, Work

QUESTION = [{"role": "user", "content": "What is 6 times 7?"}]
KEY = "key-that-nobody-sees-42"

type Answer = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalrouter_server.remote_agents.agent.FIRST_PAUSE", 0.05)
    monkeypatch.setattr("evalrouter_server.remote_agents.agent.PAUSES_BEFORE_SENDING_AGAIN", (0.01, 0.01))


@contextmanager
def raw_server(answer: Answer) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """An HTTP server that answers everything alike, its address, and the headers that it got."""
    got: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            got.append({name.casefold(): value for name, value in self.headers.items()})
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer(self)

        do_GET = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = LoopbackServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", got
    finally:
        server.shutdown()
        server.server_close()


def sends(body: bytes, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        sent = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in sent.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


class Tries:
    """Keeps what it is told of a task that is sent again."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def not_taken(self) -> None:
        self.told.append("not taken")

    async def sending(self) -> None:
        self.told.append("sending")


async def ask(agent: Agent, tries: Tries | None = None, **more: Any) -> str:
    async def named(remote_id: str) -> None:
        pass

    async with RemoteAgent.connected(AgentAddress("mine", agent.url, key=KEY, **more)) as remote:
        return await remote.ask(QUESTION, "task_1", named, tries)


async def refusal(agent: Agent, **more: Any) -> TaskNotDone | AgentUnavailable:
    """What asking comes to; it never says the key."""
    with pytest.raises((TaskNotDone, AgentUnavailable)) as refused:
        await ask(agent, **more)
    assert KEY not in str(refused.value)
    error = refused.value
    assert isinstance(error, TaskNotDone | AgentUnavailable)
    return error


@contextmanager
def elsewhere(agent: Agent, answer: Answer, **interface: str) -> Iterator[list[dict[str, str]]]:
    """The agent's card leads to a server that answers so; what that got."""
    with raw_server(answer) as (url, got):
        at = {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0", **interface}
        agent.card_changes = {"supportedInterfaces": [at]}
        yield got


async def test_the_key_goes_to_the_agent_and_not_to_its_card(agent: Agent) -> None:
    agent.key = ("authorization", f"Bearer {KEY}")
    assert await ask(agent) == "The answer is 4"
    assert "authorization" not in agent.seen[0].headers
    agent.key = ("x-agent-key", KEY)
    assert await ask(agent, key_header="X-Agent-Key") == "The answer is 4"
    assert "authorization" not in agent.seen[-1].headers


async def test_a_refused_key_is_for_somebody_to_put_right(agent: Agent) -> None:
    agent.key = ("authorization", "Bearer another")
    error = await refusal(agent)
    assert isinstance(error, AgentUnavailable)
    assert error.code == "agent_refused_key"
    assert agent.works == []


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_agent_is_asked_again_and_has_taken_nothing(agent: Agent, status: int) -> None:
    agent.status = status
    error = await refusal(agent, tries=(tries := Tries()))
    assert tries.told == ["not taken", "sending"] * 2
    assert isinstance(error, AgentUnavailable)
    assert f"HTTP {status}" in error.message
    assert sum(not each.path.startswith("/.well-known/") for each in agent.seen) == 3


async def test_any_other_status_fails_the_task_and_is_sent_once(agent: Agent) -> None:
    agent.status = 502
    assert (await refusal(agent)).code == "agent_error"
    assert sum(not each.path.startswith("/.well-known/") for each in agent.seen) == 1


async def test_nobody_there_is_no_agent() -> None:
    with Agent() as gone:
        pass
    assert (await refusal(gone)).code == "agent_unavailable"


async def test_a_card_leads_nowhere_that_the_operator_did_not_name(agent: Agent) -> None:
    with elsewhere(agent, sends(b"{}")) as got:
        error = await refusal(agent)
        assert "connect it anew with the origin http://127.0.0.1:" in error.message
        assert got == []


async def test_a_redirect_to_another_origin_is_refused_with_the_key(agent: Agent) -> None:
    with raw_server(sends(b"{}")) as (other, reached):

        def redirect(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(307)
            handler.send_header("Location", f"{other}/steal")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        with elsewhere(agent, redirect) as got:
            origin = str(agent.card()["supportedInterfaces"][0]["url"])
            error = await refusal(agent, origins=(origin,))
            assert "redirects" in error.message
            assert got[0]["authorization"] == f"Bearer {KEY}"
        assert reached == []


def breaks_off(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.connection.close()


async def test_a_connection_that_breaks_before_the_task_has_a_name_is_not_sent_again(agent: Agent) -> None:
    with elsewhere(agent, breaks_off) as got:
        error = await refusal(agent, origins=(str(agent.card()["supportedInterfaces"][0]["url"]),))
        assert error.code == "agent_outcome_unknown"
        assert len(got) == 1


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (sends(b"<html>"), "agent_protocol_error"),
        (sends(b"[1]"), "agent_protocol_error"),
        (sends(b"[" * 200_000), "agent_protocol_error"),
        (sends(b'{"jsonrpc":"2.0","id":"1","result":{}}'), "agent_protocol_error"),
        (sends(b'{"jsonrpc":"2.0","id":"1","result":"' + b"x" * 17_000_000 + b'"}'), "answer_too_large"),
        (sends(b"data: " + b"x" * 17_000_000, Content_Type="text/event-stream"), "answer_too_large"),
        (sends(b"\x1f\x8b", Content_Encoding="gzip"), "answer_too_large"),
    ],
    ids=["no json", "no object", "deep", "nothing", "long", "a long event", "compressed"],
)
async def test_what_is_no_answer_fails_the_task(agent: Agent, answer: Answer, code: str) -> None:
    with elsewhere(agent, answer):
        error = await refusal(agent, origins=(str(agent.card()["supportedInterfaces"][0]["url"]),))
        assert error.code == code


async def test_a_task_that_waits_for_somebody_is_cancelled(agent: Agent) -> None:
    async def asks(work: Work) -> None:
        updater = await work.open()
        await updater.requires_input(updater.new_agent_message([new_text_part("Which one?")]))

    agent.behave = asks
    error = await refusal(agent)
    assert isinstance(error, TaskNotDone)
    assert (error.code, error.said) == ("agent_needs_input", "Which one?")
    assert agent.cancelled == [agent.works[0].context.task_id]


async def test_an_agent_that_tells_the_key_is_not_repeated(agent: Agent) -> None:
    async def tells(work: Work) -> None:
        await work.reply(f"4, and your header was Bearer {KEY}")

    agent.behave = tells
    assert await ask(agent) == "4, and your header was [hidden]"


async def test_an_agent_that_fails_inside_fails_the_task(agent: Agent) -> None:
    async def breaks(work: Work) -> None:
        await work.open()
        raise RuntimeError("no")

    agent.behave = breaks
    assert (await refusal(agent)).code in ("agent_error", "agent_failed")
