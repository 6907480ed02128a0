"""The proof that no call costs more than it reserved, run over every wire.

A provider's double counts as much as a request allows: an input token for each byte that the model reads, every output
token up to the limit, all of the dearest kind. Nothing of it may exceed the reservation; what does is cut and flagged.
"""

import asyncio
import itertools
import json
from decimal import Decimal
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from evalrouter_server.gateway import exchange
from evalrouter_server.gateway.dialects import Dialect, dialect_of
from evalrouter_server.gateway.metering import BudgetExhausted, CallFailed
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.wire import Prepared, RequestRefused
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.wallet import top_up
from evalrouter_server.quoting.bounds import TOKENS_FOR_TOOLS
from evalrouter_server.quoting.price import Price, Tier, Usage, charge_microusd, worst_case_microusd
from evalrouter_server.store.database import Database
from hypothesis import given
from hypothesis import strategies as st

from tests.gateway.bench import Bench, open_bench, with_cap
from tests.gateway.wires import KITS, Ask, Tokens, WireKit
from tests.upstreams import scripted
from tests.upstreams.scripted import ScriptedUpstream

TIERED = Price(
    input_usd_per_mtok=Decimal(1),
    output_usd_per_mtok=Decimal(4),
    cached_input_usd_per_mtok=Decimal("0.1"),
    cache_write_usd_per_mtok=Decimal("1.25"),
    source="test",
    version="1",
    tiers=(
        Tier(above_input_tokens=500, input_usd_per_mtok=Decimal(2), output_usd_per_mtok=Decimal(3)),
        Tier(above_input_tokens=200_000, input_usd_per_mtok=Decimal(4), output_usd_per_mtok=Decimal(8)),
    ),
)

ASKS: dict[str, Ask] = {
    "plain": Ask(),
    "no limit named": Ask(limit=None),
    "a system prompt": Ask(system="You are terse. " * 30),
    "many turns": Ask(turns=("Hi", "Hello", "Again", "Yes?") * 10),
    "every byte a token": Ask(text="\U0001f3f4" * 200 + "ß" * 100 + '"\\\n' * 50),
    "tools": Ask(tools=12),
    "a tool's result": Ask(tools=1, tool_result="found " * 400),
    "reasoning": Ask(reasoning=True, limit=2000),
    "a schema": Ask(schema=True),
    "more than 200,000 input tokens": Ask(text="x" * 210_000),
}


@pytest.fixture(params=list(KITS.values()), ids=list(KITS))
def kit(request: pytest.FixtureRequest) -> WireKit:
    made: WireKit = request.param
    return made


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


async def make(bench: Bench, kit: WireKit, body: dict[str, Any], *, streamed: bool = False) -> tuple[str, int]:
    """The call's text and charge."""
    started, task = await bench.gateway.start(
        bench.route, kit.wire(), body | {"stream": streamed}, call_key=new_id("call"), task_id="task_test"
    )
    if streamed:
        async for _ in started.chunks():
            pass
    completion = await task
    return completion.text, completion.charge_microusd


def prepare(kit: WireKit, body: dict[str, Any], dialect: Dialect | None = None) -> Prepared:
    async def connect() -> Upstream:
        return upstream

    upstream = Upstream("http://127.0.0.1:1/v1", None, "upstream-name", dialect or Dialect())
    route = RunRoute("run_1", "double", frozenset({"double"}), TIERED, 256, connect)
    return kit.wire().prepare(body, route, upstream)


def texts_of(value: Any) -> int:
    """Bytes of every text within a request: more than any byte-level tokeniser makes tokens of."""
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, dict):
        return sum(map(texts_of, value.values()))
    return sum(map(texts_of, value)) if isinstance(value, list) else 0


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS.keys())
async def test_a_call_that_uses_all_it_may_fits_its_reservation(
    database: Database, upstream: ScriptedUpstream, kit: WireKit, ask: Ask
) -> None:
    body = kit.body(ask)
    prepared = prepare(kit, body)
    read = texts_of({name: value for name, value in body.items() if name not in ("model", "include")})
    assert prepared.input_tokens >= read
    worst = worst_case_microusd(TIERED, prepared.input_tokens, prepared.output_tokens)
    async with open_bench(database, upstream.base_url, cap=0, price=TIERED) as bench:
        await database.write(lambda connection: top_up(connection, bench.money.workspace_id, 6 * worst))
        for dearest, streamed in itertools.product(("fresh", "cached", "written"), (False, True)):
            tokens = Tokens(**{"fresh": 0, dearest: prepared.input_tokens, "output": prepared.output_tokens})
            upstream.script(kit.answer("Paris", tokens))
            paying = with_cap(bench, await bench.money.run(worst))
            text, charge = await make(paying, kit, body, streamed=streamed)
            assert text == "Paris"
            assert 0 < charge <= worst
            assert (await paying.run()).flags == []
            assert upstream.requests[-1].path == kit.path
            await paying.assert_sound()


@given(data=st.data(), limit=st.integers(1, 5000), text=st.text(max_size=300), tools=st.integers(0, 3))
@pytest.mark.parametrize("kit", KITS.values(), ids=KITS.keys())
def test_no_usage_within_the_bounds_costs_more_than_the_worst_case(
    kit: WireKit, data: st.DataObject, limit: int, text: str, tools: int
) -> None:
    prepared = prepare(kit, kit.body(Ask(text=text, limit=limit, tools=tools, system=data.draw(st.none() | st.text()))))
    assert prepared.output_tokens == limit
    fresh = data.draw(st.integers(0, prepared.input_tokens))
    cached = data.draw(st.integers(0, prepared.input_tokens - fresh))
    usage = Usage(fresh, cached, prepared.input_tokens - fresh - cached, data.draw(st.integers(0, limit)))
    worst = worst_case_microusd(TIERED, prepared.input_tokens, prepared.output_tokens)
    assert charge_microusd(TIERED, usage) <= worst


async def test_more_choices_multiply_the_bound_or_are_refused(kit: WireKit) -> None:
    body = kit.body(Ask(choices=3))
    if kit.path == "chat/completions":
        assert prepare(kit, body).output_tokens == 300
    else:
        with pytest.raises(RequestRefused):
            prepare(kit, body)


async def test_every_kind_of_token_is_billed_once(
    database: Database, upstream: ScriptedUpstream, kit: WireKit, streamed: bool
) -> None:
    upstream.script(kit.answer("Paris", Tokens(fresh=40, cached=30, written=20, output=10, reasoning=4)))
    async with open_bench(database, upstream.base_url, price=TIERED) as bench:
        _, charge = await make(bench, kit, kit.body(Ask()), streamed=streamed)
        assert charge == 40 * 1 + 30 // 10 + 25 + 10 * 4
        call = (await bench.call()).call
        assert (call.wire, call.streamed, call.usage_source) == (kit.wire().name, streamed, "reported")
        assert call.usage == {
            "input_tokens": 40,
            "cached_input_tokens": 30,
            "cache_write_tokens": 20,
            "output_tokens": 10,
            "reasoning_tokens": 0 if kit.path == "messages" else 4,
        }
        await bench.assert_sound()


async def test_what_a_provider_reports_beyond_the_bound_is_cut_and_stops_the_run(
    bench: Bench, upstream: ScriptedUpstream, kit: WireKit, streamed: bool
) -> None:
    upstream.script(kit.answer("Paris", Tokens(fresh=10**6, output=10**6)))
    body = kit.body(Ask())
    prepared = prepare(kit, body)
    _, charge = await make(bench, kit, body, streamed=streamed)
    assert charge == worst_case_microusd(bench.route.price, prepared.input_tokens, prepared.output_tokens)
    run = await bench.run()
    assert "overage" in run.flags
    assert run.overage_microusd > 0
    with pytest.raises(CallFailed, match="more tokens"):
        await make(bench, kit, body)
    await bench.assert_sound()


async def test_an_answer_without_usage_is_estimated_and_never_free(
    bench: Bench, upstream: ScriptedUpstream, kit: WireKit, streamed: bool
) -> None:
    upstream.script(kit.answer("Paris is it.", None))
    text, charge = await make(bench, kit, kit.body(Ask()), streamed=streamed)
    assert text == "Paris is it."
    assert charge > 0
    call = (await bench.call()).call
    assert call.usage is not None
    assert (call.usage_source, call.usage["output_tokens"] >= 4) == ("estimated", True)
    await bench.assert_sound()


async def test_a_stream_that_breaks_off_is_charged_its_reservation(
    bench: Bench, upstream: ScriptedUpstream, kit: WireKit
) -> None:
    upstream.script(kit.truncated)
    body = kit.body(Ask())
    prepared = prepare(kit, body)
    with pytest.raises(CallFailed, match="ended before"):
        await make(bench, kit, body, streamed=True)
    worst = worst_case_microusd(bench.route.price, prepared.input_tokens, prepared.output_tokens)
    assert await bench.tries() == [("unknown", worst, None)]
    await bench.assert_sound()


async def test_exactly_as_many_dearest_calls_pass_as_the_cap_pays_for(
    bench: Bench, upstream: ScriptedUpstream, kit: WireKit, streamed: bool
) -> None:
    body = kit.body(Ask())
    prepared = prepare(kit, body)
    worst = worst_case_microusd(bench.route.price, prepared.input_tokens, prepared.output_tokens)
    bench = with_cap(bench, await bench.money.run(5 * worst + worst // 2))
    upstream.script(kit.answer("Paris", Tokens(fresh=prepared.input_tokens, output=prepared.output_tokens)))
    outcomes = await asyncio.gather(
        *(make(bench, kit, body, streamed=streamed) for _ in range(20)), return_exceptions=True
    )
    assert sum(isinstance(outcome, tuple) for outcome in outcomes) == 5
    assert sum(isinstance(outcome, BudgetExhausted) for outcome in outcomes) == 15
    assert (await bench.run()).spent_microusd == 5 * worst
    await bench.assert_sound()


@pytest.mark.parametrize(
    ("kit", "name"), [(kit, name) for kit in KITS.values() for name in kit.unbounded], ids=lambda value: str(value)[:20]
)
async def test_what_has_no_bound_is_refused_by_name(kit: WireKit, name: str) -> None:
    with pytest.raises(RequestRefused) as refused:
        prepare(kit, kit.body(Ask()) | kit.unbounded[name])
    assert (refused.value.code, refused.value.param) == ("unbounded_request", name.strip())


async def test_a_hosted_tool_never_reaches_the_provider(bench: Bench, upstream: ScriptedUpstream, kit: WireKit) -> None:
    body = kit.body(Ask(tools=1))
    hosted = kit.hosted_tool or {"type": "web_search"}
    body["tools"] = [*body["tools"], hosted]
    if kit.hosted_tool is None:
        with pytest.raises(RequestRefused, match="hosted tool"):
            await make(bench, kit, body)
        return
    upstream.script(kit.answer("Paris", Tokens()))
    await make(bench, kit, body)
    assert "web_search" not in json.dumps(upstream.requests[0].body)
    assert len(upstream.requests[0].body["tools"]) == 1
    assert (await bench.run()).flags == ["hosted_tools_left_out"]


@pytest.mark.parametrize(
    ("provider", "slug", "most"), [("openai", "gpt-4o", 2500), ("anthropic", "claude-opus-4-7", 7000)]
)
async def test_an_image_is_bounded_where_its_model_is_known_and_refused_elsewhere(
    kit: WireKit, provider: str, slug: str, most: int
) -> None:
    """The bytes of an image are no text: a large one costs no more than a small one."""
    body = kit.body(Ask())
    plain = prepare(kit, body).input_tokens
    with_image = kit.body(Ask()) | kit.image("A" * 300_000)
    with pytest.raises(RequestRefused, match="image has no known bound") as refused:
        prepare(kit, with_image)
    assert refused.value.code == "unbounded_request"
    bounded = prepare(kit, with_image, dialect=dialect_of(provider, slug))
    assert most < bounded.input_tokens < plain + most + 200
    assert "A" * 300_000 in json.dumps(bounded.body)
    assert not any("AAAA" in text for text in bounded.reads)


def test_the_form_of_an_answer_has_room_for_the_providers_own_words_on_it(kit: WireKit) -> None:
    plain = prepare(kit, kit.body(Ask())).input_tokens
    assert prepare(kit, kit.body(Ask(schema=True))).input_tokens > plain + TOKENS_FOR_TOOLS


@pytest.mark.parametrize("kind", [["text"], {"text": 1}, 7])
def test_a_type_that_is_no_text_is_refused(kit: WireKit, kind: Any) -> None:
    words = "input" if kit.path == "responses" else "messages"
    part = {"type": kind, "text": "x"}
    odd: list[dict[str, Any]] = [
        {words: [{"role": "user", "content": [part]}]},
        {"tools": [{"type": kind, "name": "x"}]},
        *([{words: [{"type": kind, "role": "user", "content": "x"}]}] if kit.path == "responses" else ()),
    ]
    for fields in odd:
        with pytest.raises(RequestRefused):
            prepare(kit, kit.body(Ask()) | fields)


def test_what_looks_like_an_image_is_text_where_no_image_can_be(kit: WireKit) -> None:
    image = {"type": "image", "source": {"data": "word " * 5000}, "image_url": "x"}
    called: dict[str, dict[str, Any]] = {
        "chat/completions": {
            "messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "x", "arguments": image}}]}]
        },
        "responses": {"input": [{"type": "local_shell_call", "call_id": "1", "action": image}]},
        "messages": {
            "messages": [{"role": "assistant", "content": [{"type": "tool_use", "input": {}, "name": image}]}]
        },
    }
    prepared = prepare(kit, kit.body(Ask()) | called[kit.path], dialect_of("openai", "gpt-4o"))
    assert prepared.input_tokens > 25_000


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("responses", {"instructions": [{"role": "user", "content": [{"type": "input_file", "file_id": "file_1"}]}]}),
        (
            "messages",
            {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": {"type": "document"}}]}]},
        ),
    ],
)
def test_what_must_be_a_text_or_a_list_is_nothing_else(path: str, fields: dict[str, Any]) -> None:
    (kit,) = (kit for kit in KITS.values() if kit.path == path)
    with pytest.raises(RequestRefused) as refused:
        prepare(kit, kit.body(Ask()) | fields)
    assert refused.value.code == "invalid_request"


async def test_an_answer_that_has_ended_is_settled_though_its_stream_has_not(
    bench: Bench, upstream: ScriptedUpstream, kit: WireKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some providers leave the connection open, and others break it off, once everything has been said."""
    monkeypatch.setattr(exchange, "SECONDS_AFTER_THE_END", 0.1)
    upstream.script(kit.answer("Paris", Tokens()))
    async with aiohttp.ClientSession() as session:
        body = kit.body(Ask()) | {"stream": True, "stream_options": {"include_usage": True}}
        async with session.post(f"{upstream.base_url}/{kit.path}", json=body) as response:
            whole = await response.read()
    over = asyncio.Event()

    async def left_open(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        response = await scripted.open_stream(request)
        await response.write(whole)
        await over.wait()
        return response

    async def broken_off(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        response = await scripted.open_stream(request)
        await response.write(whole)
        assert request.transport is not None
        request.transport.close()
        return response

    for handler in (left_open, broken_off):
        upstream.script(handler)
        text, charge = await make(bench, kit, kit.body(Ask()), streamed=True)
        assert (text, charge) == ("Paris", 10 * 2 + 5 * 10)
    over.set()
    assert (await bench.run()).flags == []
    await bench.assert_sound()


async def test_another_models_name_is_refused(kit: WireKit) -> None:
    with pytest.raises(RequestRefused, match="ask for double"):
        prepare(kit, kit.body(Ask()) | {"model": "double-mini"})


@pytest.mark.parametrize("limit", [0, -1, "7", True, 1.5, 10**9])
async def test_a_limit_that_is_none_is_refused(kit: WireKit, limit: Any) -> None:
    body = kit.body(Ask())
    name = "max_output_tokens" if kit.path == "responses" else "max_tokens"
    with pytest.raises(RequestRefused) as refused:
        prepare(kit, body | {name: limit})
    assert (refused.value.code, refused.value.param) == ("invalid_request", name)
