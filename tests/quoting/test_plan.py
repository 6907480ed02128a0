"""Plans: the maximum charge, the admitted concurrency, the sample that fits, and the contract's document."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from evalrouter_server.quoting.document import plan_document
from evalrouter_server.quoting.explain import explain
from evalrouter_server.quoting.plan import (
    ConcurrencyLimits,
    Coverage,
    Plan,
    PlannedBenchmark,
    PlannedCall,
    PlannedModel,
    admit_concurrency,
    bound_calls,
    build_plan,
    largest_sample_that_fits,
    lost_tries,
)
from evalrouter_server.quoting.price import Price
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

PRICE = Price.model_validate(
    {"input_usd_per_mtok": "1.25", "output_usd_per_mtok": "10", "source": "genai-prices", "version": "0.0.1"}
)
LIMITS = ConcurrencyLimits(auto=10, gateway=50)
CHARGES = st.lists(st.integers(0, 10_000), min_size=1, max_size=80)


def calls(charges: list[int]) -> tuple[PlannedCall, ...]:
    return tuple(
        PlannedCall(item_id=f"item_{place}", input_tokens=100, output_tokens=20, worst_case_microusd=charge)
        for place, charge in enumerate(charges)
    )


MODEL = PlannedModel(
    id="model_1", provider="openai", slug="gpt-5", name="GPT-5", upstream_name="gpt-5", route="env", price=PRICE
)


def plan(chosen: tuple[PlannedCall, ...], **more: Any) -> Plan:
    return build_plan(
        benchmark=PlannedBenchmark(id="bench_1", slug="gsm8k", version="2", name="GSM8K", content_digest="0" * 64),
        model=MODEL,
        coverage=Coverage(mode="sample", sample_count=len(chosen), seed=42, benchmark_task_count=1319),
        calls=chosen,
        limits=LIMITS,
        **more,
    )


@given(CHARGES, st.integers(1, 4))
def test_maximum_charge_is_every_call_and_the_lost_tries(charges: list[int], repeats: int) -> None:
    made = plan(calls(charges), repeats=repeats)
    count = len(charges) * repeats
    assert made.task_count == count
    assert made.lost_tries == max(1, -(-count // 20))
    assert made.maximum_charge_microusd == sum(charges) * repeats + made.lost_tries * max(charges)
    assert made.maximum_charge_microusd == made.calls_microusd + made.lost_tries_microusd


@given(CHARGES, st.integers(1, 4), st.integers(0, 1_000_000))
def test_the_sample_that_fits_is_accepted_and_the_next_is_not(charges: list[int], repeats: int, cap: int) -> None:
    ordered = calls(charges)
    count = largest_sample_that_fits(ordered, model=MODEL, repeats=repeats, max_cost_microusd=cap)
    if count:
        assert plan(ordered[:count], repeats=repeats).maximum_charge_microusd <= cap
    if count < len(ordered):
        assert plan(ordered[: count + 1], repeats=repeats).maximum_charge_microusd > cap


@given(CHARGES)
def test_a_larger_sample_never_costs_less(charges: list[int]) -> None:
    ordered = calls(charges)
    maxima = [plan(ordered[:count]).maximum_charge_microusd for count in range(1, len(ordered) + 1)]
    assert maxima == sorted(maxima)


@pytest.mark.parametrize(("count", "allowed"), [(1, 1), (20, 1), (21, 2), (1319, 66)])
def test_lost_tries(count: int, allowed: int) -> None:
    assert lost_tries(count) == allowed


@pytest.mark.parametrize(
    ("requested", "tasks", "limits", "largest", "budget", "admitted", "reason"),
    [
        (None, 100, LIMITS, 10, 1000, 10, "auto"),
        (None, 3, LIMITS, 10, 1000, 3, "task_count"),
        (8, 100, LIMITS, 10, 1000, 8, "requested"),
        (8, 8, LIMITS, 10, 1000, 8, "requested"),
        (80, 100, LIMITS, 10, 1000, 50, "gateway_limit"),
        (20, 100, ConcurrencyLimits(auto=10, gateway=50, adapter=4), 10, 1000, 4, "adapter_limit"),
        (20, 100, LIMITS, 100, 1000, 10, "budget_limit"),
        (20, 100, LIMITS, 5000, 1000, 1, "budget_limit"),
        (20, 100, LIMITS, 0, 0, 20, "requested"),
    ],
)
def test_concurrency(
    requested: int | None,
    tasks: int,
    limits: ConcurrencyLimits,
    largest: int,
    budget: int,
    admitted: int,
    reason: str,
) -> None:
    found = admit_concurrency(
        requested, tasks=tasks, limits=limits, largest_call_microusd=largest, budget_microusd=budget
    )
    assert (found.admitted, found.reason) == (admitted, reason)


def test_what_makes_no_plan_is_refused() -> None:
    with pytest.raises(ValueError, match="selects no item"):
        plan(())
    with pytest.raises(ValueError, match="repeats must be"):
        plan(calls([1]), repeats=0)
    with pytest.raises(ValueError, match="concurrency must be"):
        plan(calls([1]), concurrency=0)


def test_calls_are_bounded_by_their_messages() -> None:
    short, long = bound_calls(
        PRICE,
        [("item_a", [{"role": "user", "content": "x"}]), ("item_b", [{"role": "user", "content": "x" * 801}])],
        output_tokens=20,
    )
    assert long.input_tokens == short.input_tokens + 800
    assert long.worst_case_microusd == short.worst_case_microusd + 1000


def test_the_explanation_adds_up() -> None:
    lines = explain(plan(calls([300, 500, 400]), repeats=2))
    *parts, total = [line.amount_microusd for line in lines if line.amount_microusd is not None]
    assert sum(parts) == total == 2 * 1200 + 500
    assert lines[0].detail == "3 of 1,319 items of gsm8k@2, drawn with seed 42, 2 times each: 6 tasks"
    assert lines[-1].detail == "0.002900 USD"


def test_a_plan_survives_json() -> None:
    made = plan(calls([300, 500]))
    assert Plan.model_validate_json(made.model_dump_json()) == made


def test_the_document_is_the_contracts() -> None:
    contract = yaml.safe_load((Path(__file__).parents[2] / "openapi.yaml").read_text())
    schema = {"$ref": "#/components/schemas/Plan", "components": contract["components"]}
    document = plan_document(plan(calls([300, 500])))
    Draft202012Validator(schema).validate(document)
    assert set(document) == set(contract["components"]["schemas"]["Plan"]["properties"])
