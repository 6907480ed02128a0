"""Budgets: refused with what would fit, capped by the wallet, never exceeded however many calls are open at once."""

from decimal import Decimal
from typing import Any

import pytest
from aiohttp import web

from evalrouter import EvalRouter
from evalrouter.errors import InsufficientFundsError, MaxCostTooLowError
from tests.e2e.audit import audit_calls
from tests.e2e.programs import PATIENCE_SECONDS
from tests.e2e.provider import Provider
from tests.upstreams.scripted import Handler, answer, usage


def as_dear_as_possible() -> Handler:
    """Answers that use each call's whole output limit, and an input token a byte."""

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        prompt = "".join(message["content"] for message in body["messages"])
        return await answer("ANSWER: 7", report=usage(len(prompt.encode()), body["max_tokens"]))(request, body)

    return handle


def test_too_low_a_max_cost_is_refused_with_what_fits(client: EvalRouter, provider: Provider) -> None:
    model = provider.connect(client)
    whole = client.quotes.create(benchmark="first-steps", model=model)
    limit = (whole.maximum_charge / 3).quantize(Decimal("0.000001"))
    before = client.wallet.get()

    with pytest.raises(MaxCostTooLowError) as refused:
        client.runs.create(benchmark="first-steps", model=model, max_cost=limit)
    fits = refused.value.largest_sample_count
    assert refused.value.quote is not None
    assert refused.value.quote.maximum_charge == whole.maximum_charge
    assert refused.value.shortfall == whole.maximum_charge - limit
    assert fits is not None
    assert 0 < fits < 120
    assert client.wallet.get() == before
    assert list(client.runs.list()) == []
    assert provider.requests == []

    with pytest.raises(MaxCostTooLowError):
        client.runs.create(
            benchmark="first-steps",
            model=model,
            max_cost=limit,
            coverage={"mode": "sample", "sample_count": fits + 1, "seed": 0},
        )
    run = client.runs.create(
        benchmark="first-steps",
        model=model,
        max_cost=limit,
        coverage={"mode": "sample", "sample_count": fits, "seed": 0},
        wait=True,
    )
    assert (run.status, run.coverage.graded, run.is_sample) == ("completed", fits, True)
    assert run.cost <= run.cap <= limit
    audit_calls(client, run, list(run.calls()))


def test_a_small_wallet_caps_a_run_that_ends_partial(client: EvalRouter, provider: Provider) -> None:
    """The wallet is brought down to a third of the next run's maximum charge by a run of the dearest answers."""
    provider.handler = as_dear_as_possible()
    model = provider.connect(client)
    quote = client.quotes.create(benchmark="first-steps", model=model)
    dear = "connection:dear"
    wallet = client.wallet.get().available
    factor = int(wallet / quote.maximum_charge * 3)
    client.connections.create(
        "dear",
        base_url=provider.base_url,
        model="double-1",
        input_price=Decimal("1.25") * factor,
        output_price=10 * factor,
    )
    provider.delay_seconds = 0.02
    run = client.runs.create(benchmark="first-steps", model=dear, concurrency=50)
    assert run.cap == wallet < run.data.maximum_charge
    assert run.data.max_cost is None
    assert client.wallet.get().available == 0
    with pytest.raises(InsufficientFundsError, match=run.id):
        client.runs.create(benchmark="first-steps", model=model)

    run.wait(PATIENCE_SECONDS)
    assert run.status == "partial"
    assert (run.data.status_reason or "").startswith("budget_exhausted:")
    assert run.is_partial
    assert run.score is not None
    assert 0 < run.coverage.graded < 120
    assert run.coverage.graded + run.coverage.missing == 120
    assert run.coverage.failed == 0
    calls = list(run.calls())
    dearest = max(call.charge for call in calls)
    assert run.cap - dearest < run.cost <= run.cap
    assert run.cost == sum(call.charge for call in calls)
    assert run.data.overage == 0
    assert client.wallet.get().available == wallet - run.cost
    verification = client.wallet.verify()
    assert verification.ok, verification.differences
