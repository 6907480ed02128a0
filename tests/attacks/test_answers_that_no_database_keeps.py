"""Providers send what Python's JSON decoder takes and PostgreSQL, UTF-8 or another decoder does not."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web
from evalrouter_server.gateway.json_text import decode
from evalrouter_server.gateway.metering import Meter
from evalrouter_server.ledger.items import NewCall, Reserve, Reserved, Settle
from evalrouter_server.ledger.reservations import close, reserve
from evalrouter_server.quoting.price import Usage
from evalrouter_server.store import runs

from tests.gateway.bench import Bench
from tests.ledger.money import OWNER
from tests.upstreams.scripted import Handler, ScriptedUpstream, answer

MESSAGE = '"choices": [{"message": {"role": "assistant", "content": "Paris%s"}, "finish_reason": "stop"}]'
ANSWERS = {
    "not a number": '{"model": "double", %s, "usage": {"prompt_tokens": NaN, "completion_tokens": Infinity}}'
    % (MESSAGE % ""),
    "half of a pair": '{"model": "double\\ud800", %s, "usage": {"prompt_tokens": 5, "completion_tokens": 1}}'
    % (MESSAGE % "\\udfff"),
    "a number beyond a float's range": (
        '{"model": "double", %s, "odds": [1e999], "usage": {"prompt_tokens": 1e999, "completion_tokens": -1e999}}'
        % (MESSAGE % "")
    ),
    "NUL": '{"model": "double\\u0000", %s, "usage": {"prompt_tokens": 5, "completion_tokens": 1}}'
    % (MESSAGE % "\\u0000"),
}


def verbatim(text: str) -> Handler:
    async def handle(_: web.Request, __: dict[str, Any]) -> web.StreamResponse:
        return web.Response(text=text, content_type="application/json")

    return handle


@pytest.mark.parametrize("name", ANSWERS)
async def test_the_call_settles_and_the_run_can_be_shown(bench: Bench, upstream: ScriptedUpstream, name: str) -> None:
    upstream.script(verbatim(ANSWERS[name]))
    completion = await bench.complete()
    assert completion.text.startswith("Paris")
    json.dumps(completion.raw, allow_nan=False, ensure_ascii=False).encode()
    json.dumps((await bench.run()).models_served, ensure_ascii=False).encode()
    await bench.assert_sound()


async def test_other_calls_of_the_same_moment_settle(bench: Bench, upstream: ScriptedUpstream) -> None:
    upstream.script(*(verbatim(text) for text in ANSWERS.values()), answer("Paris"))
    await asyncio.gather(*(bench.complete() for _ in range(20)))
    await bench.assert_sound()


async def test_an_answer_that_cannot_be_recorded_leaves_no_try_open(
    bench: Bench, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is charged like one whose outcome is unknown, and the run can end."""

    async def settle(*_: object, **__: object) -> None:
        raise ValueError("no database takes it")

    monkeypatch.setattr(Meter, "settle", settle)
    upstream.script(answer("Paris"))
    with pytest.raises(ValueError, match="no database takes it"):
        await bench.complete()
    ((status, charge, _),) = await bench.tries()
    assert status == "unknown"
    assert charge > 0
    await bench.assert_sound()


async def test_what_cannot_be_written_fails_alone_in_its_group(bench: Bench) -> None:
    database, run_id = bench.money.database, bench.route.run_id

    async def settled(number: int) -> object:
        new = NewCall(
            call_key=str(number),
            wire="chat",
            streamed=False,
            model_requested="double",
            task_id=None,
            gateway_key_id=None,
        )
        reserved = await reserve(database, Reserve(run_id, new, 100, OWNER))
        assert isinstance(reserved, Reserved)
        response: object = object() if number == 7 else {}
        how = Settle(
            reserved.call_id,
            reserved.try_number,
            usage=Usage(input_tokens=1, output_tokens=1),
            usage_source="reported",
            charge=10,
            provider_cost=None,
            model_served="double",
            response=response,
        )
        return await close(database, how)

    outcomes = await asyncio.gather(*(settled(number) for number in range(20)), return_exceptions=True)
    assert [number for number, outcome in enumerate(outcomes) if isinstance(outcome, Exception)] == [7]
    run = await database.read(lambda connection: runs.load(connection, run_id))
    assert run is not None
    assert (run.spent_microusd, run.reserved_microusd) == (190, 100)


def test_decoding() -> None:
    assert decode(b'["\\ud83d\\ude00", "\\ud83d", {"\\udc00": -Infinity}]') == [
        "\U0001f600",
        "\ufffd",
        {"\ufffd": None},
    ]
    assert decode(b"[1e999, -1e999, 1e308]") == [None, None, 1e308]
    assert decode(b'"\xed\xa0\x80"') == "\ufffd"
    for text in ("[" * 200_000, "{", '{"a": %s}' % ("9" * 5_000)):
        with pytest.raises(ValueError):  # noqa: PT011 - any of the decoder's
            decode(text)
