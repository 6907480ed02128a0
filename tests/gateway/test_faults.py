"""Every fault of a provider, streamed and not: what the caller learns, what the ledger writes, what it costs."""

import asyncio
import json
import math
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from evalrouter_server.gateway.chat import ChatWire
from evalrouter_server.gateway.dialects import dialect_of
from evalrouter_server.gateway.exchange import Exchange, ProviderRefused
from evalrouter_server.gateway.metering import BudgetExhausted, CallFailed, RunStopped
from evalrouter_server.gateway.retrying import LONGEST_RETRY_AFTER, MOST_LOST_TRIES, MOST_TRIES
from evalrouter_server.gateway.upstream import retry_after
from evalrouter_server.ids import new_id
from evalrouter_server.quoting.bounds import worst_case_input_tokens
from evalrouter_server.quoting.price import Usage
from evalrouter_server.store.database import Database

from tests.gateway.bench import QUESTION, Bench, open_bench, with_cap
from tests.upstreams import faults
from tests.upstreams.scripted import (
    Handler,
    ScriptedUpstream,
    answer,
    chunks,
    completion,
    raw,
    refuse,
    stream_of,
    usage,
)

WORST = worst_case_input_tokens(QUESTION["messages"]) * 2 + 100 * 10
CHARGE = 10 * 2 + 5 * 10


async def test_an_answer_is_settled_for_its_usage(bench: Bench, upstream: ScriptedUpstream) -> None:
    answered = await bench.complete()
    assert (answered.text, answered.finish_reason, answered.model_served) == ("Paris", "stop", "double")
    assert (answered.usage, answered.charge_microusd) == (Usage(input_tokens=10, output_tokens=5), CHARGE)
    assert answered.latency_seconds is not None
    call = (await bench.call()).call
    assert (call.status, call.usage_source, call.charge_microusd) == ("settled", "reported", CHARGE)
    assert upstream.requests[0].headers["Authorization"] == "Bearer sk-upstream-secret"
    await bench.assert_sound()


async def test_a_settled_call_is_replayed_and_never_made_again(bench: Bench, upstream: ScriptedUpstream) -> None:
    first = await bench.complete(key="task:0")
    again = await bench.complete(key="task:0")
    assert (again.text, again.usage, again.charge_microusd) == (first.text, first.usage, first.charge_microusd)
    assert again.latency_seconds is None
    assert len(upstream.requests) == 1
    await bench.assert_sound()


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_a_passing_refusal_is_retried_and_costs_nothing(
    bench: Bench, upstream: ScriptedUpstream, status: int
) -> None:
    upstream.script(refuse(status), refuse(status), answer())
    assert (await bench.complete()).charge_microusd == CHARGE
    assert await bench.tries() == [("released", 0, status), ("released", 0, status), ("settled", CHARGE, 200)]
    await bench.assert_sound()


async def test_retries_are_bounded(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(refuse(503, message="do not repeat this prompt", code="overloaded"))
    with pytest.raises(ProviderRefused, match=r"HTTP 503 \(code overloaded, type double_error\)") as failed:
        await bench.complete()
    assert "prompt" not in str(failed.value)
    assert failed.value.charge_microusd == 0
    assert len(upstream.requests) == MOST_TRIES
    await bench.assert_sound()


@pytest.mark.parametrize(
    ("status", "code"), [(400, None), (401, None), (404, None), (422, None), (429, "insufficient_quota")]
)
async def test_a_final_refusal_is_not_retried(
    bench: Bench, upstream: ScriptedUpstream, status: int, code: str | None
) -> None:
    upstream.script(refuse(status, code=code))
    with pytest.raises(ProviderRefused):
        await bench.complete()
    assert await bench.tries() == [("released", 0, status)]
    await bench.assert_sound()


async def test_retry_after_is_honoured_within_bounds(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(refuse(429, headers={"Retry-After": "30"}), answer())
    before = time.monotonic()
    await bench.complete(seconds=100)
    assert time.monotonic() - before > 0.3
    upstream.script(refuse(429, headers={"Retry-After": "30"}))
    with pytest.raises(ProviderRefused):
        await bench.complete(seconds=0.2)
    assert len(upstream.requests) == 3
    await bench.assert_sound()


def test_retry_after_in_every_form() -> None:
    now = datetime(2026, 11, 29, tzinfo=UTC)
    assert retry_after({"Retry-After": "7"}) == 7
    assert retry_after({"retry-after-ms": "1500", "Retry-After": "7"}) == 1.5
    assert retry_after({"Retry-After": format_datetime(now + timedelta(seconds=9), usegmt=True)}, now) == 9
    assert retry_after({"Retry-After": format_datetime(now - timedelta(seconds=9), usegmt=True)}, now) == 0
    for nonsense in ("soon", "-1", "nan", "inf", ""):
        assert retry_after({"Retry-After": nonsense}) is None
    assert retry_after({}) is None
    assert LONGEST_RETRY_AFTER == 60


LOSSES: dict[str, Handler] = {
    "connection cut before the first byte": faults.cut(),
    "body cut short": faults.truncated_body(),
    "malformed JSON": raw(b'{"choices": [{"message"'),
    "not an object": raw(b"[]"),
    "no choices": raw(b'{"id": "x", "object": "chat.completion"}'),
    "empty": raw(b""),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
async def test_a_lost_answer_is_paid_in_full_and_asked_for_once_more(
    bench: Bench, upstream: ScriptedUpstream, loss: Handler
) -> None:
    upstream.script(loss, answer())
    assert (await bench.complete()).charge_microusd == WORST + CHARGE
    assert [entry[:2] for entry in await bench.tries()] == [("unknown", WORST), ("settled", CHARGE)]
    assert "usage_unknown" in (await bench.run()).flags
    await bench.assert_sound()


async def test_lost_answers_are_few(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.cut())
    with pytest.raises(CallFailed, match="connection") as failed:
        await bench.complete()
    assert failed.value.code == "upstream_connection_lost"
    assert failed.value.charge_microusd == MOST_LOST_TRIES * WORST
    assert len(upstream.requests) == MOST_LOST_TRIES
    await bench.assert_sound()


async def test_a_lost_answer_is_not_asked_for_again_when_the_cap_cannot_pay(
    database: Database, upstream: ScriptedUpstream
) -> None:
    upstream.script(faults.cut(), answer())
    async with open_bench(database, upstream.base_url, cap=2 * WORST - 1) as bench:
        with pytest.raises(BudgetExhausted) as exhausted:
            await bench.complete()
        assert (exhausted.value.charge_microusd, exhausted.value.remaining) == (WORST, WORST - 1)
        assert len(upstream.requests) == 1
        await bench.assert_sound()


async def test_no_answer_in_time_is_lost(database: Database, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.hang(), answer())
    async with open_bench(database, upstream.base_url, seconds_per_try=0.2) as bench:
        assert (await bench.complete()).charge_microusd == WORST + CHARGE
        await bench.assert_sound()


async def test_an_answer_after_the_time_limit_changes_nothing(database: Database, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.slow(answer(), 0.5))
    async with open_bench(database, upstream.base_url, seconds_per_try=10) as bench:
        with pytest.raises(CallFailed) as failed:
            await bench.complete(seconds=0.2)
        assert (failed.value.code, failed.value.status) == ("upstream_timeout", 504)
        await asyncio.sleep(0.5)
        assert await bench.tries() == [("unknown", WORST, None)]
        await bench.assert_sound()


async def test_an_endpoint_that_is_not_there_costs_nothing(database: Database, unused_tcp_port: int) -> None:
    async with open_bench(database, f"http://127.0.0.1:{unused_tcp_port}/v1") as bench:
        with pytest.raises(CallFailed) as failed:
            await bench.complete()
        assert failed.value.code == "upstream_unreachable"
        assert {entry[:2] for entry in await bench.tries()} == {("released", 0)}
        assert len(await bench.tries()) == MOST_TRIES
        await bench.assert_sound()


async def test_an_error_in_an_answer_of_200_is_a_refusal(bench: Bench, upstream: ScriptedUpstream) -> None:
    error = {"error": {"message": "no provider", "code": 503}}
    upstream.script(raw(json.dumps(error).encode()), answer())
    assert (await bench.complete()).charge_microusd == CHARGE
    assert await bench.tries() == [("released", 0, 503), ("settled", CHARGE, 200)]


NO_USAGE: dict[str, Any] = {
    "missing": None,
    "empty": {},
    "null counts": {"prompt_tokens": None, "completion_tokens": None},
    "negative": usage(-1, 5),
    "text": {"prompt_tokens": "many", "completion_tokens": 5},
    "fraction": {"prompt_tokens": 1.5, "completion_tokens": 1},
    "true": {"prompt_tokens": True, "completion_tokens": 1},
    "half": {"prompt_tokens": 10},
}


@pytest.mark.parametrize("report", NO_USAGE.values(), ids=NO_USAGE.keys())
async def test_usage_that_is_missing_is_estimated(bench: Bench, upstream: ScriptedUpstream, report: Any) -> None:
    upstream.script(answer("Paris is it.", report=report))
    answered = await bench.complete()
    sent = json.dumps(QUESTION["messages"][0])
    expected = Usage(input_tokens=-(-len(sent) // 3) + 4, output_tokens=4)
    assert answered.usage == expected
    assert (await bench.call()).call.usage_source == "estimated"
    assert "usage_estimated" in (await bench.run()).flags
    await bench.assert_sound()


async def test_unseen_reasoning_without_usage_is_taken_at_the_limit(
    database: Database, upstream: ScriptedUpstream
) -> None:
    upstream.script(answer(report=None))
    async with open_bench(database, upstream.base_url, dialect=dialect_of("openai", "gpt-5")) as bench:
        assert (await bench.complete()).usage.output_tokens == 100


@pytest.mark.parametrize("place", ["x_groq", "choice"])
async def test_usage_in_another_place_is_found(bench: Bench, upstream: ScriptedUpstream, place: str) -> None:
    def misplaced(body: dict[str, Any]) -> dict[str, Any]:
        whole = completion("Paris", body)
        report = whole.pop("usage")
        if place == "x_groq":
            return whole | {"x_groq": {"usage": report}}
        whole["choices"][0]["usage"] = report
        return whole

    upstream.script(raw(json.dumps(misplaced({"model": "double"})).encode()))
    assert (await bench.complete()).charge_microusd == CHARGE


@pytest.mark.parametrize("tokens", [10**6, 10**30, float(10**20)])
async def test_absurd_usage_is_cut_to_the_reservation_and_stops_the_run(
    bench: Bench, upstream: ScriptedUpstream, tokens: Any
) -> None:
    upstream.script(answer(report=usage(tokens, tokens)))
    assert (await bench.complete()).charge_microusd == WORST
    run = await bench.run()
    assert "overage" in run.flags
    assert run.overage_microusd > 0
    with pytest.raises(CallFailed) as failed:
        await bench.complete()
    assert failed.value.code == "provider_exceeds_bound"
    assert len(upstream.requests) == 1
    await bench.assert_sound()


@pytest.mark.parametrize(
    ("served", "flagged"),
    [
        ("double", False),
        ("models/double", False),
        ("double-2026-01-02", False),
        ("double-20260102", False),
        ("double-mini", True),
        ("other", True),
        ("doubletwo", True),
    ],
)
async def test_another_model_than_asked_for_is_recorded_and_flagged(
    bench: Bench, upstream: ScriptedUpstream, served: str, flagged: bool
) -> None:
    upstream.script(answer(model=served))
    assert (await bench.complete()).model_served == served
    run = await bench.run()
    assert run.models_served == [served]
    assert ("other_model_served" in run.flags) is flagged


@pytest.mark.parametrize(("cost", "flagged"), [(0.00007, False), (0.0000705, False), (0.00008, True), (1.5, True)])
async def test_a_providers_own_cost_is_recorded_and_a_difference_flagged(
    database: Database, upstream: ScriptedUpstream, cost: float, flagged: bool
) -> None:
    upstream.script(answer(report=usage(cost=cost)))
    async with open_bench(database, upstream.base_url, dialect=dialect_of("openrouter", "some/model")) as bench:
        assert (await bench.complete()).charge_microusd == CHARGE
        assert (await bench.call()).call.provider_cost_microusd == math.ceil(cost * 1_000_000 - 1e-6)
        assert ("provider_cost_differs" in (await bench.run()).flags) is flagged


async def test_a_run_that_ended_takes_no_calls(bench: Bench, upstream: ScriptedUpstream) -> None:
    await bench.money.end(bench.route.run_id)
    with pytest.raises(RunStopped):
        await bench.complete()
    assert upstream.requests == []


async def test_what_fits_only_after_others_waits_and_what_never_fits_is_refused(
    bench: Bench, upstream: ScriptedUpstream
) -> None:
    run_id = await bench.money.run(WORST + CHARGE * 4)
    bench = with_cap(bench, run_id)
    upstream.script(faults.slow(answer(), 0.05))
    outcomes = await asyncio.gather(*(bench.complete() for _ in range(8)), return_exceptions=True)
    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 5
    assert all(isinstance(outcome, BudgetExhausted) for outcome in outcomes if isinstance(outcome, BaseException))
    await bench.assert_sound()


async def test_waiting_for_others_is_bounded(bench: Bench, upstream: ScriptedUpstream) -> None:
    bench = with_cap(bench, await bench.money.run(WORST + CHARGE))
    upstream.script(faults.slow(answer(), 1.0))
    first = asyncio.create_task(bench.complete())
    await asyncio.sleep(0.2)
    with pytest.raises(CallFailed) as failed:
        await bench.complete(seconds=0.2)
    assert failed.value.code == "budget_wait_timeout"
    await first
    await bench.assert_sound()


async def test_a_cancelled_caller_leaves_a_settled_call(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.slow(answer(), 0.3))
    waiting = asyncio.create_task(bench.complete())
    await asyncio.sleep(0.15)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await bench.gateway.close()
    assert await bench.tries() == [("settled", CHARGE, 200)]
    await bench.assert_sound()


async def test_a_cancelled_caller_is_not_retried_for(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.slow(refuse(503), 0.3))
    waiting = asyncio.create_task(bench.complete())
    await asyncio.sleep(0.15)
    waiting.cancel()
    await asyncio.sleep(0.4)
    await bench.gateway.close()
    assert len(upstream.requests) == 1
    await bench.assert_sound()


async def test_a_closing_gateway_loses_what_does_not_finish(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.hang())
    waiting = asyncio.create_task(bench.complete())
    await asyncio.sleep(0.15)
    await bench.gateway.close(0.1)
    with pytest.raises(RunStopped, match="interrupted"):
        await waiting
    assert await bench.tries() == [("unknown", WORST, None)]
    await bench.assert_sound()


async def start_stream(bench: Bench, **fields: Any) -> tuple[Exchange, Any]:
    body = QUESTION | {"stream": True} | fields
    return await bench.gateway.start(bench.route, ChatWire(), body, call_key=new_id("call"))


async def read(exchange: Exchange) -> bytes:
    return b"".join([chunk async for chunk in exchange.chunks()])


async def test_a_stream_is_passed_on_and_settled(bench: Bench, upstream: ScriptedUpstream) -> None:
    exchange, task = await start_stream(bench)
    text = (await read(exchange)).decode()
    assert (await task).text == "Paris"
    assert text.endswith("data: [DONE]\n\n")
    assert "usage" not in text
    assert upstream.requests[0].body["stream_options"] == {"include_usage": True}
    assert await bench.tries() == [("settled", CHARGE, 200)]
    exchange, task = await start_stream(bench, stream_options={"include_usage": True})
    assert '"usage"' in (await read(exchange)).decode()
    await task
    await bench.assert_sound()


STREAM_LOSSES: dict[str, Handler] = {
    "ended early": faults.truncated_stream(),
    "connection broken": faults.truncated_stream(abort=True),
    "malformed chunk": stream_of([*chunks("Paris", {"model": "double"}, None)[:2], b"data: {nonsense\n\n"]),
    "error after text": stream_of(
        [*chunks("Paris", {"model": "double"}, None)[:2], {"error": {"message": "x", "code": 500}}]
    ),
}


@pytest.mark.parametrize("loss", STREAM_LOSSES.values(), ids=STREAM_LOSSES.keys())
async def test_a_stream_that_fails_after_its_first_byte_is_paid_in_full_and_not_retried(
    bench: Bench, upstream: ScriptedUpstream, loss: Handler
) -> None:
    upstream.script(loss, answer())
    exchange, task = await start_stream(bench)
    assert await read(exchange)
    with pytest.raises(CallFailed):
        await task
    assert len(upstream.requests) == 1
    assert [entry[:2] for entry in await bench.tries()] == [("unknown", WORST)]
    await bench.assert_sound()


async def test_a_stream_that_stalls_ends_at_its_time_limit(database: Database, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.stalled_stream(), answer())
    async with open_bench(database, upstream.base_url, seconds_per_try=0.3) as bench:
        exchange, task = await start_stream(bench)
        assert b"Pari" in await read(exchange)
        with pytest.raises(CallFailed, match="seconds"):
            await task
        assert [entry[:2] for entry in await bench.tries()] == [("unknown", WORST)]
        await bench.assert_sound()


EARLY = {
    "refused": (refuse(429), ("released", 0)),
    "error as first chunk": (stream_of([{"error": {"message": "busy", "code": 503}}]), ("released", 0)),
    "cut before the first byte": (faults.cut(), ("unknown", WORST)),
    "ended without a chunk": (stream_of([], done=False), ("unknown", WORST)),
}


@pytest.mark.parametrize(("fault", "closed"), EARLY.values(), ids=EARLY.keys())
async def test_a_stream_that_fails_before_its_first_byte_is_retried(
    bench: Bench, upstream: ScriptedUpstream, fault: Handler, closed: tuple[str, int]
) -> None:
    upstream.script(fault, answer())
    exchange, task = await start_stream(bench)
    assert (await read(exchange)).count(b"[DONE]") == 1
    assert (await task).text == "Paris"
    assert [entry[:2] for entry in await bench.tries()] == [closed, ("settled", CHARGE)]
    await bench.assert_sound()


async def test_a_stream_without_usage_is_estimated(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(answer("Paris is it.", report=None))
    exchange, task = await start_stream(bench)
    await read(exchange)
    assert (await task).usage.output_tokens == 4
    assert (await bench.call()).call.usage_source == "estimated"


async def test_a_stream_without_done_is_whole_once_it_gave_its_reason(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(
        stream_of(chunks("Paris", {"model": "double", "stream_options": {"include_usage": True}}, usage()), done=False)
    )
    exchange, task = await start_stream(bench)
    await read(exchange)
    assert (await task).charge_microusd == CHARGE


async def test_a_reader_who_goes_away_leaves_a_settled_call(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(faults.slow_stream(seconds=0.05))
    exchange, task = await start_stream(bench)
    chunks_read = exchange.chunks()
    assert await anext(chunks_read)
    await chunks_read.aclose()  # type: ignore[attr-defined]
    assert (await task).charge_microusd == CHARGE
    await bench.assert_sound()
