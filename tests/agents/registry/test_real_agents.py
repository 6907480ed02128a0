"""The agents that have a recipe, as their package indexes have them: installed, started, answering one task."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from evalrouter import agents
from evalrouter.agents.registry.recipes import RECIPES
from evalrouter.agents.registry.store import AgentStore
from tests.agents.acp.working import KEY, Recorder, context_of
from tests.upstreams import messages, responses, scripted

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

ANSWER = "The answer is 42."


async def answer(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Answers on whichever wire was asked."""
    if request.path.endswith("/responses"):
        return await responses.answer(ANSWER, responses.usage(fresh=10, output=5))(request, body)
    if request.path.endswith("/messages"):
        return await messages.answer(ANSWER, messages.usage(fresh=10, output=5))(request, body)
    return await scripted.answer(ANSWER)(request, body)


@pytest.mark.parametrize("id_", RECIPES)
async def test_an_agent_is_installed_and_answers_through_the_gateway_only(
    id_: str, store: AgentStore, tmp_path: Path
) -> None:
    agent = agents.registry_agent(id_)
    assert agent.prepare().version == agent.entry.version
    recorder = Recorder()
    async with scripted.ScriptedUpstream() as upstream:
        upstream.script(answer)

        await agent.run(context_of(tmp_path / "work", recorder, base_url=upstream.base_url))

        assert recorder.submitted == [ANSWER]
        assert recorder.is_done
        wire = {"chat": "chat/completions", "responses": "responses", "messages": "messages"}[RECIPES[id_].wire]
        assert {request.path for request in upstream.requests} == {wire}
        for request in upstream.requests:
            assert request.body["model"] == "double-1"
            assert KEY in (request.headers.get("Authorization", "") + request.headers.get("x-api-key", ""))
            assert {tool.get("type", "custom") for tool in request.body.get("tools", [])} <= {"function", "custom"}
