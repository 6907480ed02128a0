"""What users of other tools report about their bills, each as a test of the whole product, named after the report."""

import asyncio
import concurrent.futures
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import openai
import pytest
from aiohttp import web

from evalrouter import EvalRouter, Run
from evalrouter.coverage import FullCoverage, SampleCoverage
from evalrouter.errors import AuthenticationError, CeilingExceededError, NotFoundError, StatusError
from evalrouter.types import Call
from tests.e2e.programs import PATIENCE_SECONDS, wait_until
from tests.e2e.provider import INPUT_USD_PER_MTOK, MODEL, OUTPUT_USD_PER_MTOK, Provider, prompt_of
from tests.upstreams import faults
from tests.upstreams.scripted import Handler, answer, chunks, refuse, stream_of, usage

QUESTION: Any = [{"role": "user", "content": "What is the capital of France?"}]
ALL_TASKS: FullCoverage = {"mode": "full"}
TWELVE_TASKS: SampleCoverage = {"mode": "sample", "sample_count": 12}


async def dearest(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Uses the call's whole output limit, and an input token a byte."""
    report = usage(len(prompt_of(body).encode()), body["max_tokens"])
    return await answer("ANSWER: 7", report=report)(request, body)


def in_turn(*handlers: Handler) -> Handler:
    """Each handler once, then the last one always."""
    left = list(handlers)

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        return await (left.pop(0) if len(left) > 1 else left[0])(request, body)

    return handle


class OpenRun:
    """A run whose first task is held back at the provider, and the `openai` package with the run's gateway key."""

    def __init__(self, client: EvalRouter, provider: Provider, run: Run) -> None:
        self.run = run
        self._client = client
        self._provider = provider
        key = run.gateway_key()
        self.model = key.model
        self.agent = openai.OpenAI(base_url=key.base_url, api_key=key.secret, max_retries=0)

    def ask(self, **fields: Any) -> Any:
        return self.agent.chat.completions.create(
            **{"model": self.model, "messages": QUESTION, "max_tokens": 100} | fields
        )

    def calls(self) -> list[Call]:
        """The calls of the agent."""
        return [call for call in self.run.calls() if call.task_id is None]

    def settled_call(self) -> Call:
        """The agent's only call; a reader has its stream's last byte a moment before it is settled."""
        wait_until(lambda: [call.status for call in self.calls()] == ["settled"])
        (call,) = self.calls()
        return call

    def audit(self) -> Run:
        """End the run; every charge belongs to one recorded call, is within the cap, and derives from the ledger."""
        self.run.cancel()
        run = self.run.wait(PATIENCE_SECONDS)
        calls = list(run.calls())
        assert run.cost == sum((call.charge for call in calls), Decimal()) <= run.cap
        charged = {
            entry.call_id
            for entry in self._client.wallet.entries()
            if entry.kind == "charge" and entry.run_id == run.id
        }
        assert charged <= {call.id for call in calls}
        verification = self._client.wallet.verify()
        assert verification.ok, verification.differences
        return run


@contextmanager
def open_run(client: EvalRouter, provider: Provider, model: str, handler: Handler, **fields: Any) -> Iterator[OpenRun]:
    gate, is_held = threading.Event(), threading.Event()

    async def held(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        is_held.set()
        await asyncio.to_thread(gate.wait, PATIENCE_SECONDS)
        return await answer("ANSWER: 7", report=usage(1, 1))(request, body)

    provider.handler = held
    run = client.runs.create(benchmark="first-steps", model=model, concurrency=1, **fields)
    assert is_held.wait(PATIENCE_SECONDS)
    provider.handler = handler
    opened = OpenRun(client, provider, run)
    try:
        with opened.agent:
            yield opened
    finally:
        gate.set()
    opened.audit()


def connect_so_that_a_run_may_cost(
    client: EvalRouter, provider: Provider, usd: Decimal, coverage: FullCoverage | SampleCoverage = ALL_TASKS
) -> str:
    """A connection at whose price a run of first-steps has about this maximum charge, and not more."""
    probe = client.quotes.create(benchmark="first-steps", model=provider.connect(client, "probe"), coverage=coverage)
    factor = (usd / probe.maximum_charge).quantize(Decimal("0.0001"), "ROUND_FLOOR")
    client.connections.create(
        "dear",
        base_url=provider.base_url,
        model=MODEL,
        input_price=INPUT_USD_PER_MTOK * factor,
        output_price=OUTPUT_USD_PER_MTOK * factor,
    )
    return "connection:dear"


def root_of(client: EvalRouter) -> str:
    return str(client.raw.get_httpx_client().base_url)


def test_a_four_dollar_cap_never_becomes_hundreds(client: EvalRouter, provider: Provider) -> None:
    """Sixteen threads of an agent call for as long as they are let, each call as dear as it may be."""
    model = connect_so_that_a_run_may_cost(client, provider, Decimal(4))
    with open_run(client, provider, model, dearest, max_cost=4) as opened:
        worst = max(attempt.reservation for call in opened.run.calls() for attempt in call.tries)

        def agent(_: int) -> list[int]:
            statuses: list[int] = []
            while len(statuses) < 40 and statuses[-2:] != [402, 402]:
                try:
                    opened.ask(max_tokens=3000)
                    statuses.append(200)
                except openai.APIStatusError as error:
                    statuses.append(error.status_code)
            return statuses

        with concurrent.futures.ThreadPoolExecutor(16) as threads:
            statuses = [status for told in threads.map(agent, range(16)) for status in told]
        assert set(statuses) == {200, 402}
        assert 3 < sum(call.charge for call in opened.run.calls()) <= 4
    run = opened.run
    assert 3 < run.cost <= run.cap <= 4
    assert run.cap - run.cost < worst + max(call.charge for call in opened.calls())
    assert client.wallet.get().balance == 20 - run.cost


def test_a_key_with_a_ceiling_of_thirty_never_spends_ninety_nine(client: EvalRouter, provider: Provider) -> None:
    """The ceiling holds over all that the key starts, side by side too, and over what its runs' own keys call."""
    client.wallet.top_up(180)
    model = connect_so_that_a_run_may_cost(client, provider, Decimal("9.5"), TWELVE_TASKS)
    made = client.keys.create("ci", ceiling=30)
    names = map(str, itertools.count())
    provider.handler = dearest

    def start(name: str) -> Run | None:
        with EvalRouter(api_key=made.secret, base_url=root_of(client)) as ci:
            try:
                return ci.runs.create(benchmark="first-steps", model=model, coverage=TWELVE_TASKS, name=name)
            except CeilingExceededError:
                return None

    def spent_by(runs: list[Run]) -> Decimal:
        return sum((client.runs.get(run.id).wait(PATIENCE_SECONDS).cost for run in runs), Decimal())

    with concurrent.futures.ThreadPoolExecutor(10) as threads:
        runs = [run for run in threads.map(start, [next(names) for _ in range(10)]) if run is not None]
    assert 3 <= len(runs) < 10
    spent_by(runs)
    while (following := start(next(names))) is not None:
        runs.append(following)
        spent_by([following])
    spent = spent_by(runs)
    assert 20 < spent <= 30
    key = client.keys.get(made.key.id)
    assert key.committed == spent
    assert client.wallet.get().balance == 200 - spent

    with (
        EvalRouter(api_key=made.secret, base_url=root_of(client)) as ci,
        open_run(ci, provider, provider.connect(client), dearest, coverage=TWELVE_TASKS) as opened,
    ):
        with (
            EvalRouter(api_key=opened.run.gateway_key().secret, base_url=root_of(client)) as impostor,
            pytest.raises(AuthenticationError),
        ):
            impostor.runs.create(benchmark="first-steps", model=model)
        opened.ask()
        with pytest.raises(openai.APIStatusError, match="budget"):
            opened.ask(max_tokens=100_000)
    assert client.keys.get(made.key.id).committed == spent + opened.run.cost <= 30


RETRIES: dict[str, tuple[Handler, Callable[[Call], bool]]] = {
    "refused again and again": (refuse(503), lambda call: call.charge == 0),
    "lost again and again": (faults.cut(), lambda call: call.charge == sum(t.reservation for t in call.tries)),
}


@pytest.mark.parametrize(("fault", "is_fair"), RETRIES.values(), ids=RETRIES.keys())
def test_retries_never_multiply_the_bill(
    client: EvalRouter, provider: Provider, fault: Handler, is_fair: Callable[[Call], bool]
) -> None:
    """The caller's own client retries as well as the gateway: each try is reserved first, so no bill is a surprise."""
    with open_run(client, provider, provider.connect(client), fault, max_cost="0.5") as opened:
        asked = len(provider.requests)
        eager = opened.agent.with_options(max_retries=2)
        with pytest.raises(openai.APIStatusError):
            eager.chat.completions.create(model=opened.model, messages=QUESTION, max_tokens=100)
        calls = opened.calls()
        tries = [attempt for call in calls for attempt in call.tries]
        assert len(tries) == len(provider.requests) - asked
        assert all(map(is_fair, calls))
        assert all(len(call.tries) <= 5 for call in calls)
        assert all(sum(t.status == "unknown" for t in call.tries) <= 2 for call in calls)
    assert opened.run.cost <= Decimal("0.5")


UNTOLD: dict[str, Handler] = {
    "no usage": answer("Paris it is.", report=None),
    "usage of zeros": answer("Paris it is.", report=usage(0, 0)),
    "usage of nulls": answer("Paris it is.", report={"prompt_tokens": None, "completion_tokens": None}),
    "usage that was not asked for by the caller": answer("Paris it is."),
}


@pytest.mark.parametrize("told", UNTOLD.values(), ids=UNTOLD.keys())
def test_a_stream_is_never_metered_as_zero(client: EvalRouter, provider: Provider, told: Handler) -> None:
    with open_run(client, provider, provider.connect(client), told, max_cost="0.5") as opened:
        with opened.ask(stream=True) as stream:
            text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
        assert text == "Paris it is."
        call = opened.settled_call()
        assert call.charge > 0
        assert call.usage.output_tokens > 0


def test_a_stream_that_breaks_off_is_never_metered_as_zero(client: EvalRouter, provider: Provider) -> None:
    broken = stream_of(chunks("Paris it is.", {"model": MODEL}, None)[:2], done=False)
    with open_run(client, provider, provider.connect(client), broken, max_cost="0.5") as opened:
        with pytest.raises(openai.APIError), opened.ask(stream=True) as stream:
            list(stream)
        (call,) = opened.calls()
        assert call.charge == sum(attempt.reservation for attempt in call.tries) > 0


def test_a_stream_whose_reader_leaves_is_never_metered_as_zero(client: EvalRouter, provider: Provider) -> None:
    handler = faults.slow_stream(seconds=0.05)
    with open_run(client, provider, provider.connect(client), handler, max_cost="0.5") as opened:
        with opened.ask(stream=True) as stream:
            next(iter(stream))
        call = opened.settled_call()
        assert (call.usage_source, call.usage.output_tokens) == ("reported", 5)


@pytest.mark.parametrize("streamed", [False, True])
def test_cache_hits_are_never_billed_twice(client: EvalRouter, provider: Provider, streamed: bool) -> None:
    """The provider counts cached tokens among its input tokens; they are one kind of input, at one price."""
    cached = answer("Paris", report=usage(1000, 5, prompt_tokens_details={"cached_tokens": 900}))
    client.connections.create(
        "caching",
        base_url=provider.base_url,
        model=MODEL,
        input_price=10,
        output_price=0,
        cached_input_price=1,
    )
    with open_run(client, provider, "connection:caching", cached, max_cost=1) as opened:
        long: Any = [{"role": "user", "content": "x" * 1000}]
        whole = opened.ask(messages=long, stream=streamed)
        if streamed:
            list(whole)
        call = opened.settled_call()
        assert (call.usage.input_tokens, call.usage.cached_input_tokens) == (100, 900)
        assert call.charge == Decimal("0.0019")
        assert call.overage == 0


def test_unpriced_models_never_escape_the_cap(
    client: EvalRouter, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model without a price is never taken as free: neither as a run's model nor by name within another's run."""
    monkeypatch.setenv("MISTRAL_API_KEY", "test")
    unpriced = next(model for model in client.models.list() if model.price is None and model.provider == "mistral")
    for ask in (client.runs.create, client.quotes.create):
        with pytest.raises(StatusError) as told:
            ask(benchmark="first-steps", model=unpriced.id)
        assert told.value.code == "unpriced_model"
    with pytest.raises(ValueError, match="price"):
        client.connections.create("untold", base_url=provider.base_url, model=MODEL)
    with open_run(client, provider, provider.connect(client), dearest, max_cost="0.5") as opened:
        for name in (unpriced.slug, "double-1-mini", "gpt-5"):
            with pytest.raises(openai.NotFoundError) as refused:
                opened.ask(model=name)
            assert refused.value.code == "model_not_in_run"
        assert opened.calls() == []


@pytest.mark.parametrize("name", ["gpt-5-nano-next", "gpt-5-", "gpt-", "openai/gpt-5-minima", "claude-opus-5-20270101"])
def test_prices_are_never_matched_by_prefix(client: EvalRouter, name: str) -> None:
    """A name that only begins like a priced model's is nobody's: it gets neither that model nor its price."""
    with pytest.raises(NotFoundError) as missing:
        client.quotes.create(benchmark="first-steps", model=name)
    assert name in str(missing.value)


def test_two_names_with_one_prefix_have_their_own_prices(client: EvalRouter) -> None:
    quotes = [client.quotes.create(benchmark="first-steps", model=f"gpt-5{tail}") for tail in ("", "-mini", "-nano")]
    slugs = [str(quote.plan.model) for quote in quotes]
    assert slugs == ["gpt-5", "gpt-5-mini", "gpt-5-nano"]
    assert len({quote.plan.price for quote in quotes}) == 3
