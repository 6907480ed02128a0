"""The makers' own packages, unmodified, on the Responses and Messages wires of a served gateway."""

import re
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import anthropic
import openai
import pytest
import pytest_asyncio

from tests.gateway.bench import SECRET
from tests.gateway.served import Served
from tests.gateway.wires import KITS, Ask, Tokens
from tests.upstreams import faults
from tests.upstreams.scripted import ScriptedUpstream, refuse

MODEL = "connection:mine"
CHARGE = 10 * 2 + 5 * 10
SAID: Any = [{"role": "user", "content": "What is the capital of France?"}]


@pytest.fixture
def responses(served: Served, upstream: ScriptedUpstream) -> openai.AsyncOpenAI:
    upstream.script(KITS["responses"].answer("Paris", Tokens()))
    return served.client()


@pytest_asyncio.fixture
async def messages(served: Served, upstream: ScriptedUpstream) -> AsyncIterator[anthropic.AsyncAnthropic]:
    upstream.script(KITS["messages"].answer("Paris", Tokens()))
    async with anthropic.AsyncAnthropic(
        base_url=served.base_url.removesuffix("/v1"), auth_token=served.key, api_key=None, max_retries=0
    ) as client:
        yield client


async def test_the_openai_package_gets_responses(
    served: Served, upstream: ScriptedUpstream, responses: openai.AsyncOpenAI
) -> None:
    whole = await responses.responses.create(model=MODEL, input="What is the capital of France?", max_output_tokens=50)
    assert whole.output_text == "Paris"
    assert whole.usage is not None
    assert whole.usage.total_tokens == 15
    async with responses.responses.stream(model=MODEL, input=SAID) as stream:
        kinds = [event.type async for event in stream]
        final = await stream.get_final_response()
    assert final.output_text == "Paris"
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    first, second = await served.calls()
    assert [(call.wire, call.streamed, call.charge_microusd) for call in (first, second)] == [
        ("responses", False, CHARGE),
        ("responses", True, CHARGE),
    ]
    sent = [request.body for request in upstream.requests]
    assert [(body["max_output_tokens"], body["store"], body["model"]) for body in sent] == [
        (50, False, "double"),
        (100, False, "double"),
    ]
    assert await served.spent() == 2 * CHARGE


async def test_the_anthropic_package_gets_messages(
    served: Served, upstream: ScriptedUpstream, messages: anthropic.AsyncAnthropic
) -> None:
    whole = await messages.messages.create(model=MODEL, messages=SAID, max_tokens=50)
    assert [block.text for block in whole.content if block.type == "text"] == ["Paris"]
    assert (whole.usage.input_tokens, whole.usage.output_tokens) == (10, 5)
    async with messages.beta.messages.stream(
        model=MODEL, messages=SAID, max_tokens=60, betas=["interleaved-thinking-2025-05-14", "files-api-2025-04-14"]
    ) as stream:
        assert "".join([text async for text in stream.text_stream]) == "Paris"
        final = await stream.get_final_message()
    assert final.usage.output_tokens == 5
    first, second = await served.calls()
    assert [(call.wire, call.streamed, call.charge_microusd) for call in (first, second)] == [
        ("messages", False, CHARGE),
        ("messages", True, CHARGE),
    ]
    head = upstream.requests[1].headers
    assert head["x-api-key"] == SECRET
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", head["anthropic-version"])
    assert head["anthropic-beta"] == "interleaved-thinking-2025-05-14"
    assert await served.spent() == 2 * CHARGE


async def test_a_key_in_anthropics_own_header_opens_too(served: Served, upstream: ScriptedUpstream) -> None:
    upstream.script(KITS["messages"].answer("Paris", Tokens()))
    base_url = served.base_url.removesuffix("/v1")
    async with anthropic.AsyncAnthropic(base_url=base_url, api_key=served.key, max_retries=0) as client:
        await client.messages.create(model=MODEL, messages=SAID, max_tokens=5)
    async with anthropic.AsyncAnthropic(base_url=base_url, api_key="er_gw_unknown", max_retries=0) as client:
        with pytest.raises(anthropic.AuthenticationError):
            await client.messages.create(model=MODEL, messages=SAID, max_tokens=5)


async def test_tokens_are_counted_for_nothing(
    served: Served, upstream: ScriptedUpstream, messages: anthropic.AsyncAnthropic
) -> None:
    count = await messages.messages.count_tokens(model=MODEL, messages=SAID, system="Be terse.")
    assert 10 < count.input_tokens < 60
    assert upstream.requests == []
    assert await served.calls() == []


async def test_an_exhausted_budget_is_402_in_each_wires_form(
    served: Served, responses: openai.AsyncOpenAI, messages: anthropic.AsyncAnthropic
) -> None:
    for stream in (False, True):
        with pytest.raises(openai.APIStatusError) as refused:
            await responses.responses.create(model=MODEL, input="Hi", max_output_tokens=10_000, stream=stream)
        assert (refused.value.status_code, refused.value.code) == (402, "budget_exhausted")
        with pytest.raises(anthropic.APIStatusError) as exhausted:
            await messages.messages.create(model=MODEL, messages=SAID, max_tokens=10_000, stream=stream)
        assert exhausted.value.status_code == 402
        body: Any = exhausted.value.body
        assert (body["type"], body["error"]["type"], body["error"]["code"]) == (
            "error",
            "billing_error",
            "budget_exhausted",
        )
    assert await served.calls() == []


async def test_streams_that_break_tell_their_readers(
    served: Served, upstream: ScriptedUpstream, responses: openai.AsyncOpenAI, messages: anthropic.AsyncAnthropic
) -> None:
    upstream.script(KITS["responses"].truncated)
    stream = await responses.responses.create(model=MODEL, input="Hi", stream=True, max_output_tokens=5)
    last = [event async for event in stream][-1]
    assert last.type == "error"
    assert "ended before" in last.message
    upstream.script(KITS["messages"].truncated)
    with pytest.raises(anthropic.APIError, match="ended before"):
        async for _ in await messages.messages.create(model=MODEL, messages=SAID, stream=True, max_tokens=5):
            pass
    assert [call.charge_microusd > 0 for call in await served.calls()] == [True, True]


async def test_refusals_pass_in_each_wires_form(
    served: Served, upstream: ScriptedUpstream, responses: openai.AsyncOpenAI, messages: anthropic.AsyncAnthropic
) -> None:
    upstream.script(refuse(400, message=f"bad seed of {SECRET}", type="invalid_request_error"))
    with pytest.raises(openai.BadRequestError, match=r"bad seed of \[key\]"):
        await responses.responses.create(model=MODEL, input="Hi")
    with pytest.raises(anthropic.BadRequestError, match=r"bad seed of \[key\]"):
        await messages.messages.create(model=MODEL, messages=SAID, max_tokens=5)
    upstream.script(faults.cut())
    with pytest.raises(anthropic.InternalServerError):
        await messages.messages.create(model=MODEL, messages=SAID, max_tokens=5)


@pytest.mark.parametrize("name", ["responses", "messages"])
async def test_what_agents_send_passes_untouched(served: Served, upstream: ScriptedUpstream, name: str) -> None:
    kit = KITS[name]
    upstream.script(kit.answer("Paris", Tokens()))
    body = kit.body(Ask(tools=2, tool_result="found", reasoning=True, limit=90, system="Be terse.", turns=("a", "b")))
    extra = {
        "responses": {
            "prompt_cache_key": "k",
            "client_metadata": {"a": "b"},
            "parallel_tool_calls": True,
            "store": False,
        },
        "messages": {"metadata": {"user_id": "u"}, "context_management": {"edits": []}, "top_k": 3},
    }[name]
    sent = body | extra | {"model": MODEL}
    url = f"{served.base_url}/{kit.path}?beta=true"
    headers = {"Authorization": f"Bearer {served.key}"}
    async with aiohttp.ClientSession(headers=headers) as session, session.post(url, json=sent) as response:
        assert response.status == 200
    arrived = upstream.requests[0].body
    assert {name: arrived[name] for name in sent if name != "model"} == {
        name: value for name, value in sent.items() if name != "model"
    }


async def test_the_root_answers_head(served: Served) -> None:
    root = served.base_url.removesuffix("/v1")
    async with aiohttp.ClientSession() as session:
        for url in (root, f"{root}/"):
            async with session.head(url) as response:
                assert response.status == 200
