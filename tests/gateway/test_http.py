"""The gateway over real HTTP, called by the unmodified `openai` package."""

import asyncio
import json
from typing import Any

import aiohttp
import openai
import pytest

from tests.gateway.bench import SECRET
from tests.gateway.served import CHARGE, MESSAGES, WORST, Served
from tests.upstreams import faults
from tests.upstreams.scripted import ScriptedUpstream, answer, refuse


async def test_the_openai_package_gets_a_whole_and_a_streamed_answer(
    served: Served, upstream: ScriptedUpstream
) -> None:
    async with served.client() as client:
        whole = await client.chat.completions.create(model="connection:mine", messages=MESSAGES, max_tokens=100)
        assert whole.choices[0].message.content == "Paris"
        assert whole.usage is not None
        assert whole.usage.total_tokens == 15
        stream = await client.chat.completions.create(model="connection:mine", messages=MESSAGES, stream=True)
        chunks = [chunk async for chunk in stream]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Paris"
    assert all(chunk.usage is None for chunk in chunks)
    first, second = await served.calls()
    assert (first.streamed, first.charge_microusd, first.usage_source) == (False, CHARGE, "reported")
    assert (second.streamed, second.charge_microusd, second.usage_source) == (True, CHARGE, "reported")
    assert first.model_requested == "connection:mine"
    assert await served.spent() == 2 * CHARGE
    assert [request.headers["Authorization"] for request in upstream.requests] == [f"Bearer {SECRET}"] * 2
    assert [request.body["max_tokens"] for request in upstream.requests] == [100, 100]


async def test_the_synchronous_client_works_too(served: Served) -> None:
    def ask() -> str | None:
        with openai.OpenAI(base_url=served.base_url, api_key=served.key, max_retries=0) as client:
            return client.chat.completions.create(model="connection:mine", messages=MESSAGES).choices[0].message.content

    assert await asyncio.to_thread(ask) == "Paris"


async def test_usage_is_shown_to_those_who_ask(served: Served) -> None:
    async with served.client() as client:
        stream = await client.chat.completions.create(
            model="connection:mine", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
        last = [chunk async for chunk in stream][-1]
    assert last.usage is not None
    assert last.usage.prompt_tokens == 10


async def test_the_runs_model_is_listed(served: Served) -> None:
    async with served.client() as client:
        assert [model.id async for model in client.models.list()] == ["connection:mine"]


async def test_tools_pass_untouched(served: Served, upstream: ScriptedUpstream) -> None:
    tool: Any = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    async with served.client() as client:
        await client.chat.completions.create(
            model="connection:mine", messages=MESSAGES, tools=[tool], tool_choice="auto"
        )
    assert upstream.requests[0].body["tools"] == [tool]
    assert upstream.requests[0].body["tool_choice"] == "auto"


async def test_an_exhausted_budget_is_402(served: Served) -> None:
    async with served.client() as client:
        with pytest.raises(openai.APIStatusError) as refused:
            await client.chat.completions.create(model="connection:mine", messages=MESSAGES, max_tokens=10_000)
        assert (refused.value.status_code, refused.value.code) == (402, "budget_exhausted")
        assert "max_cost" in refused.value.message
        with pytest.raises(openai.APIStatusError) as refused:
            await client.chat.completions.create(
                model="connection:mine", messages=MESSAGES, max_tokens=10_000, stream=True
            )
        assert refused.value.status_code == 402
    assert await served.calls() == []


@pytest.mark.parametrize("key", ["erg_unknown", "er_gw_unknown", ""])
async def test_an_unknown_key_is_401(served: Served, key: str) -> None:
    async with served.client(key or "none") as client:
        with pytest.raises(openai.AuthenticationError) as refused:
            await client.chat.completions.create(model="connection:mine", messages=MESSAGES)
        assert refused.value.code == "invalid_api_key"
        with pytest.raises(openai.AuthenticationError):
            await client.models.list()


async def test_a_key_dies_with_its_run(served: Served) -> None:
    await served.money.end(served.run_id)
    async with served.client() as client:
        with pytest.raises(openai.AuthenticationError):
            await client.chat.completions.create(model="connection:mine", messages=MESSAGES)


async def test_another_model_and_unbounded_requests_are_refused(served: Served, upstream: ScriptedUpstream) -> None:
    async with served.client() as client:
        with pytest.raises(openai.NotFoundError) as missing:
            await client.chat.completions.create(model="gpt-5", messages=MESSAGES)
        assert missing.value.code == "model_not_in_run"
        with pytest.raises(openai.BadRequestError) as unbounded:
            await client.chat.completions.create(model="connection:mine", messages=MESSAGES, store=True)
        assert (unbounded.value.code, unbounded.value.param) == ("unbounded_request", "store")
    assert upstream.requests == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "invalid_request"),
        (b"[]", 400, "invalid_request"),
        (b"\xff", 400, "invalid_request"),
        (b"[" * 50_000, 400, "invalid_request"),
        (
            b'{"model": "connection:mine", "messages": [{"name": %s}]}' % (b"[" * 5000 + b"]" * 5000),
            400,
            "invalid_request",
        ),
        (b" " * 100_001, 413, "request_too_large"),
    ],
)
async def test_bodies_that_are_no_requests(served: Served, body: bytes, status: int, code: str) -> None:
    headers = {"Authorization": f"Bearer {served.key}"}
    url = f"{served.base_url}/chat/completions"
    async with aiohttp.ClientSession(headers=headers) as session, session.post(url, data=body) as response:
        assert response.status == status
        assert (await response.json())["error"]["code"] == code


async def test_the_callers_own_mistakes_come_through_without_the_key(
    served: Served, upstream: ScriptedUpstream
) -> None:
    upstream.script(refuse(400, message=f"bad seed with {SECRET}", code="bad_seed", param="seed"))
    async with served.client() as client:
        with pytest.raises(openai.BadRequestError) as refused:
            await client.chat.completions.create(model="connection:mine", messages=MESSAGES, seed=1)
    assert (refused.value.code, refused.value.param) == ("bad_seed", "seed")
    assert "bad seed with [key]" in refused.value.message
    assert await served.spent() == 0


@pytest.mark.parametrize("status", [401, 402, 403])
async def test_the_servers_own_troubles_do_not_look_like_the_callers(
    served: Served, upstream: ScriptedUpstream, status: int
) -> None:
    upstream.script(refuse(status, message=f"wrong key {SECRET[:9]}"))
    async with served.client() as client:
        with pytest.raises(openai.InternalServerError) as refused:
            await client.chat.completions.create(model="connection:mine", messages=MESSAGES)
    assert refused.value.status_code == 502
    assert SECRET[:9] not in str(refused.value)


async def test_a_rate_limit_that_stays_reaches_the_caller(served: Served, upstream: ScriptedUpstream) -> None:
    upstream.script(refuse(429))
    async with served.client() as client:
        with pytest.raises(openai.RateLimitError):
            await client.chat.completions.create(model="connection:mine", messages=MESSAGES, stream=True)
    assert await served.spent() == 0


async def test_a_stream_that_breaks_tells_its_reader(served: Served, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.truncated_stream("Paris is it"))
    async with served.client() as client:
        stream = await client.chat.completions.create(model="connection:mine", messages=MESSAGES, stream=True)
        with pytest.raises(openai.APIError, match="ended before"):
            async for _ in stream:
                pass
    assert await served.spent() == WORST


async def test_a_reader_who_goes_away_is_charged_what_was_used(served: Served, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.slow_stream(seconds=0.05))
    async with served.client() as client:
        stream = await client.chat.completions.create(model="connection:mine", messages=MESSAGES, stream=True)
        await anext(aiter(stream))
        await stream.close()
    await settled(served)
    assert await served.spent() == CHARGE


async def test_a_caller_who_gives_up_is_charged_what_was_used(served: Served, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.slow(answer(), 0.5))
    async with served.client(timeout=0.2) as client:
        with pytest.raises(openai.APITimeoutError):
            await client.chat.completions.create(model="connection:mine", messages=MESSAGES)
    await settled(served)
    assert await served.spent() == CHARGE


async def settled(served: Served) -> None:
    async with asyncio.timeout(5):
        while not (made := await served.calls()) or made[0].status == "open":  # noqa: ASYNC110 - it is in a database
            await asyncio.sleep(0.02)


async def test_many_at_once_share_what_is_left(served: Served, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.slow(answer(), 0.02))
    async with served.client() as client:

        async def ask() -> str | None:
            reply = await client.chat.completions.create(model="connection:mine", messages=MESSAGES)
            return reply.choices[0].message.content

        assert await asyncio.gather(*(ask() for _ in range(20))) == ["Paris"] * 20
    assert await served.spent() == 20 * CHARGE


async def test_errors_are_json_in_openais_form(served: Served) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{served.base_url}/models") as response:
        assert response.status == 401
        assert json.loads(await response.text())["error"].keys() == {"message", "type", "param", "code"}
