"""Quotes: frozen plans with a maximum charge."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from attrs import field, frozen

from evalrouter.money import format_usd
from evalrouter.types.catalog import AgentRef, BenchmarkRef, ModelRef, Price


@frozen
class CoveragePlan:
    """Which items a plan covers.

    Attributes:
        mode: `full` or `sample`.
        sample_count: Items in the sample, if it is one.
        seed: Seed of the sample, if it is one.
        stratify: `group` if the sample takes from each group in proportion to its size.
        benchmark_task_count: How many items the benchmark has in all.
    """

    mode: str
    sample_count: int | None
    seed: int | None
    stratify: str | None
    benchmark_task_count: int


@frozen
class ConcurrencyPlan:
    """How many calls a plan makes at once.

    Attributes:
        requested: What was asked for, if anything.
        admitted: What the plan has.
        reason: `requested`, `auto`, `task_count`, `gateway_limit`, `adapter_limit` or `budget_limit`.
    """

    requested: int | None
    admitted: int
    reason: str


@frozen
class PlanLine:
    """One step of how the maximum charge comes about.

    Attributes:
        label: What it is.
        detail: How it was worked out.
        amount: USD, where the step has an amount.
    """

    label: str
    detail: str
    amount: Decimal | None


@frozen
class Plan:
    """Exactly what would be run, frozen.

    Attributes:
        benchmark: The benchmark's version.
        content_digest: sha256 over its normalised rows.
        model: The model; None where a remote agent brings its own.
        agent: The agent that works on the tasks; None where the model itself is asked.
        price: Its price, frozen; None where there is no model.
        coverage: Which items.
        item_ids: The exact items, in the benchmark's order.
        repeats: How often each item is tried.
        concurrency: Calls at once.
        call_count: Model calls in all.
        input_token_bound: Upper bound of all calls' input tokens together.
        output_token_limit: Output tokens that each call is limited to.
        lost_try_allowance: Tries whose answer may be lost and which are paid for again.
        lines: How the maximum charge comes about.
    """

    benchmark: BenchmarkRef
    content_digest: str
    model: ModelRef | None
    agent: AgentRef | None
    price: Price | None
    coverage: CoveragePlan
    item_ids: tuple[str, ...] = field(repr=lambda ids: f"<{len(ids)} items>")
    repeats: int
    concurrency: ConcurrencyPlan
    call_count: int
    input_token_bound: int
    output_token_limit: int
    lost_try_allowance: int
    lines: tuple[PlanLine, ...]


@frozen
class Quote:
    """What a run would cost at most. It costs nothing and holds nothing.

    Attributes:
        id: Pass it to `runs.create(quote_id=...)`.
        created_at: When it was made.
        expires_at: Until when it can be started.
        plan: Exactly what would be run.
        maximum_charge: The most that the run can charge, in USD.
        max_cost: The limit that was asked for, in USD.
        within_max_cost: Whether the maximum charge fits that limit.
        shortfall: What the limit lacks, in USD; 0 where it fits.
        largest_sample_count: The largest sample with the same seed that fits the limit; None where all fits.
        name: The run's name.
        metadata: The run's labels.
        run_id: The run that this quote started, if any.
    """

    id: str
    created_at: datetime
    expires_at: datetime
    plan: Plan
    maximum_charge: Decimal
    max_cost: Decimal | None
    within_max_cost: bool
    shortfall: Decimal
    largest_sample_count: int | None
    name: str | None
    metadata: Mapping[str, Any]
    run_id: str | None

    def explain(self) -> str:
        """How the maximum charge comes about, as lines of text."""
        plan = self.plan
        subject = plan.model or plan.agent
        lines = [f"{plan.benchmark} with {subject}: at most {format_usd(self.maximum_charge)}"]
        for line in plan.lines:
            text = f"  {line.label}: {line.detail}"
            if line.amount is not None and f"{line.amount:f}" not in line.detail:
                text += f" = {format_usd(line.amount)}"
            lines.append(text)
        if not self.within_max_cost and self.max_cost is not None:
            lines.append(
                f"above max_cost {format_usd(self.max_cost)} by {format_usd(self.shortfall)}"
                + (f"; a sample of {self.largest_sample_count} fits" if self.largest_sample_count else "")
            )
        return "\n".join(lines)
