"""The plan of a run as frozen into a quote: which calls may be made, and the most that they can cost."""

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from evalrouter_server.quoting.bounds import Message, worst_case_input_tokens
from evalrouter_server.quoting.price import Price, worst_case_microusd

CALLS_PER_LOST_TRY = 20
"""One try in this many calls may be lost (its outcome unknown, so charged in full) and made again."""

RECORDED_ROUTE = "recorded"
"""The way to answers that are there already."""

JUDGE_CALLS = 2
"""How often a task's judge may be asked: once, and once more where its reply is not of the right form."""

type ConcurrencyReason = Literal["requested", "auto", "task_count", "gateway_limit", "adapter_limit", "budget_limit"]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Coverage(_Frozen):
    """Which of a benchmark's items a run covers.

    Attributes:
        mode: `full` for every item, `sample` for a seeded sample.
        sample_count: How many items a sample has; None for `full`.
        seed: The seed of a sample; the same seed with a larger count gives a sample that contains the smaller one.
            None for `full`.
        stratify: `group` for a sample that takes from each group in proportion to its size; None for any other.
        benchmark_task_count: How many items the benchmark has in all.
    """

    mode: Literal["full", "sample"]
    sample_count: int | None
    seed: int | None
    stratify: Literal["group"] | None = None
    benchmark_task_count: int


class PlannedBenchmark(_Frozen):
    """The benchmark version that the plan is for.

    Attributes:
        id: The version's ID.
        slug: Its slug.
        version: Its number.
        name: Its display name.
        content_digest: The digest over its normalised rows.
    """

    id: str
    slug: str
    version: str
    name: str
    content_digest: str


class PlannedModel(_Frozen):
    """The model, the way to it, and its price.

    Attributes:
        id: The model's ID.
        provider: The provider's slug.
        slug: The model's slug.
        name: Its display name.
        upstream_name: The name that the provider knows the model by.
        route: Which connection of the server leads to it.
        price: Its price at the time of the quote.
    """

    id: str
    provider: str
    slug: str
    name: str
    upstream_name: str
    route: str
    price: Price

    @property
    def is_recorded(self) -> bool:
        """Whether no model is called, because the answers were recorded before the run."""
        return self.route == RECORDED_ROUTE


class PlannedCall(_Frozen):
    """The call that each repeat of one item makes.

    Attributes:
        item_id: The item.
        input_tokens: Upper bound of its input tokens.
        output_tokens: Its output limit in tokens.
        worst_case_microusd: The most that it can be charged, in micro-USD.
        judge_input_tokens: Upper bound of the input tokens of each call of the task's judge.
        judge_microusd: The most that each call of the task's judge can be charged, in micro-USD.
    """

    item_id: str
    input_tokens: int
    output_tokens: int
    worst_case_microusd: int
    judge_input_tokens: int = 0
    judge_microusd: int = 0

    @property
    def task_microusd(self) -> int:
        """The most that a task can be charged, its judge included, in micro-USD."""
        return self.worst_case_microusd + JUDGE_CALLS * self.judge_microusd

    @property
    def dearest_microusd(self) -> int:
        """The most that one call of a task can be charged, in micro-USD."""
        return max(self.worst_case_microusd, self.judge_microusd)


class PlannedJudge(_Frozen):
    """The judge of a run's answers.

    Attributes:
        model: The model and its price.
        output_token_limit: Output tokens that each of its calls is limited to.
    """

    model: PlannedModel
    output_token_limit: int


class PlannedAgent(_Frozen):
    """The agent that works on the tasks; the names are those of the contract.

    Attributes:
        kind: `python`, `local`, `registry` or `remote`.
        name: Its name; of a remote agent its connection's.
        digest: Names exactly what runs; of a remote agent its connection's ID.
        version: Its version, where it has one.
        integrity: Of a registry agent: how its files are known to be right.
        command: Of a local agent: its command line.
        model_aliases: Names that its calls may give the model beside the model's own.
        task_seconds: The most time for a task.
        hosted: Whether the server runs it.
        protocol: How a remote agent is called, such as `A2A 1.0 over JSONRPC`.
    """

    kind: str
    name: str
    digest: str
    version: str | None = None
    integrity: str | None = None
    command: str | None = None
    model_aliases: tuple[str, ...] = ()
    task_seconds: float
    hosted: bool = False
    protocol: str | None = None

    @property
    def is_remote(self) -> bool:
        """Whether the server calls it, and what it spends is outside the meter."""
        return self.kind == "remote"


class Concurrency(_Frozen):
    """How many tasks run side by side.

    Attributes:
        requested: What was asked for; None: left to the server.
        admitted: What the run gets.
        reason: Why: `requested` where it is what was asked for, otherwise what stands in the way.
    """

    requested: int | None
    admitted: int
    reason: ConcurrencyReason


class ConcurrencyLimits(_Frozen):
    """What bounds the number of tasks side by side.

    Attributes:
        auto: What a run gets that asks for nothing.
        gateway: The most that the gateway lets one run have.
        adapter: The most that the model's adapter or connection can take; None: no limit of its own.
    """

    auto: int = Field(ge=1)
    gateway: int = Field(ge=1)
    adapter: int | None = Field(default=None, ge=1)


class Plan(_Frozen):
    """A frozen plan.

    Attributes:
        benchmark: The benchmark version.
        model: The model and its price; None: a remote agent brings its own.
        coverage: Which items were asked for.
        repeats: How often each item is run.
        output_token_limit: Output tokens that each call is limited to.
        calls: The chosen items in the benchmark's order, each with the bounds of its call.
        judge: The judge of the answers; None: there is none.
        concurrency: How many tasks run side by side, and why.
        lost_tries: How many tries of unknown outcome the maximum allows for.
        lost_tries_microusd: What they add, in micro-USD.
        maximum_charge_microusd: The most that the run can charge, in micro-USD.
        agent: Who works on the tasks; None: the server asks the model itself. An agent's calls cannot be counted
            beforehand: then the bounds are of one plain call for each task, and the maximum is the cap itself. A
            remote agent makes none that are charged.
    """

    benchmark: PlannedBenchmark
    model: PlannedModel | None
    coverage: Coverage
    repeats: int
    output_token_limit: int
    calls: tuple[PlannedCall, ...]
    concurrency: Concurrency
    lost_tries: int
    lost_tries_microusd: int
    maximum_charge_microusd: int
    judge: PlannedJudge | None = None
    agent: PlannedAgent | None = None

    @property
    def item_ids(self) -> tuple[str, ...]:
        """The chosen items in order."""
        return tuple(call.item_id for call in self.calls)

    @property
    def task_count(self) -> int:
        """How many tasks the run has: items times repeats."""
        return len(self.calls) * self.repeats

    @property
    def input_token_bound(self) -> int:
        """The upper bound of all calls' input tokens together."""
        judged = sum(call.judge_input_tokens for call in self.calls) * JUDGE_CALLS
        return (sum(call.input_tokens for call in self.calls) + judged) * self.repeats

    @property
    def call_count(self) -> int:
        """How many calls there are at most, those of the judge included."""
        return self.task_count * _calls_per_task(self.model, self.judge)

    @property
    def judge_microusd(self) -> int:
        """The sum of the worst cases of all calls of the judge, in micro-USD."""
        return sum(call.judge_microusd for call in self.calls) * JUDGE_CALLS * self.repeats

    @property
    def calls_microusd(self) -> int:
        """The sum of the worst cases of all calls of the evaluated model, in micro-USD."""
        return self.maximum_charge_microusd - self.lost_tries_microusd - self.judge_microusd


def bound_calls(
    price: Price, requests: Iterable[tuple[str, Sequence[Message]]], *, output_tokens: int
) -> tuple[PlannedCall, ...]:
    """Bound one call for each item.

    Args:
        price: The model's price.
        requests: Item IDs with the chat messages of their calls.
        output_tokens: The output limit of every call, in tokens.

    Returns:
        One bounded call for each request, in the same order.
    """

    def bound(item_id: str, messages: Sequence[Message]) -> PlannedCall:
        tokens = worst_case_input_tokens(messages)
        return PlannedCall(
            item_id=item_id,
            input_tokens=tokens,
            output_tokens=output_tokens,
            worst_case_microusd=worst_case_microusd(price, tokens, output_tokens),
        )

    return tuple(bound(item_id, messages) for item_id, messages in requests)


def build_plan(
    *,
    benchmark: PlannedBenchmark,
    model: PlannedModel | None,
    coverage: Coverage,
    calls: Sequence[PlannedCall],
    limits: ConcurrencyLimits,
    repeats: int = 1,
    concurrency: int | None = None,
    budget_microusd: int | None = None,
    judge: PlannedJudge | None = None,
    agent: PlannedAgent | None = None,
) -> Plan:
    """Put a plan together from its parts.

    Args:
        benchmark: The benchmark version.
        model: The model and its price; None: a remote agent brings its own.
        coverage: What was asked for.
        calls: The bounded calls of the chosen items, in the benchmark's order, as `bound_calls` gives them.
        limits: What bounds the number of tasks side by side.
        repeats: How often each item is run.
        concurrency: How many tasks side by side were asked for; None leaves it to the server.
        budget_microusd: What the run may hold at most, in micro-USD; None: its maximum charge.
        judge: The judge of the answers, whose bounds the calls have; None: there is none.
        agent: Who works on the tasks, if not the server: then the maximum charge is the budget, and 0 for a free model.
            With a remote agent it is what the judge may cost.

    Returns:
        The plan.

    Raises:
        ValueError: There are no calls, or `repeats` or `concurrency` is below 1.
    """
    if not calls:
        raise ValueError(
            f"the coverage {coverage.model_dump()} of {benchmark.slug}@{benchmark.version} selects no item"
        )
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, not {repeats}")
    dearest = max(call.dearest_microusd for call in calls)
    tasks = len(calls) * repeats
    is_counted = agent is None or agent.is_remote
    lost = lost_tries(tasks * _calls_per_task(model, judge)) if is_counted else 0
    allowance = lost * dearest
    maximum = sum(call.task_microusd for call in calls) * repeats + allowance
    if not is_counted and budget_microusd is not None and maximum > 0:
        maximum = budget_microusd
    budget = maximum if budget_microusd is None else min(budget_microusd, maximum)
    return Plan(
        benchmark=benchmark,
        model=model,
        coverage=coverage,
        repeats=repeats,
        output_token_limit=max(call.output_tokens for call in calls),
        calls=tuple(calls),
        concurrency=admit_concurrency(
            concurrency, tasks=tasks, limits=limits, largest_call_microusd=dearest, budget_microusd=budget
        ),
        lost_tries=lost,
        lost_tries_microusd=allowance,
        maximum_charge_microusd=maximum,
        judge=judge,
        agent=agent,
    )


def _calls_per_task(model: PlannedModel | None, judge: PlannedJudge | None) -> int:
    return (0 if model is None or model.is_recorded else 1) + (0 if judge is None else JUDGE_CALLS)


def lost_tries(calls: int) -> int:
    """How many lost tries a plan of this many calls allows for: one in 20 calls rounded up, so none of none."""
    return math.ceil(calls / CALLS_PER_LOST_TRY)


def admit_concurrency(
    requested: int | None, *, tasks: int, limits: ConcurrencyLimits, largest_call_microusd: int, budget_microusd: int
) -> Concurrency:
    """Decide how many tasks run side by side.

    The smallest of the bounds is admitted and named; where several are equal, the first of: `requested` or
    `auto`, `task_count`, `gateway_limit`, `adapter_limit`, `budget_limit`.

    Args:
        requested: What was asked for; None leaves it to the server.
        tasks: How many tasks there are.
        limits: What the server can take.
        largest_call_microusd: The worst case of the dearest call, in micro-USD.
        budget_microusd: What the run may hold, in micro-USD; its calls in flight must fit.

    Returns:
        The admitted number with its reason.

    Raises:
        ValueError: Fewer than one was asked for.
    """
    if requested is not None and requested < 1:
        raise ValueError(f"concurrency must be at least 1, not {requested}")
    bounds: list[tuple[int, ConcurrencyReason]] = [
        (limits.auto, "auto") if requested is None else (requested, "requested"),
        (tasks, "task_count"),
        (limits.gateway, "gateway_limit"),
    ]
    if limits.adapter is not None:
        bounds.append((limits.adapter, "adapter_limit"))
    if largest_call_microusd > 0:
        bounds.append((max(1, budget_microusd // largest_call_microusd), "budget_limit"))
    admitted, reason = min(bounds, key=lambda bound: bound[0])
    return Concurrency(requested=requested, admitted=admitted, reason=reason)


def largest_sample_that_fits(
    calls: Sequence[PlannedCall],
    *,
    model: PlannedModel | None,
    repeats: int,
    max_cost_microusd: int,
    judge: PlannedJudge | None = None,
) -> int:
    """The largest sample whose plan is accepted for a given cap.

    Args:
        calls: The bounded calls of all items, in the order of the sample's seed.
        model: The model; None: a remote agent brings its own.
        repeats: How often each item is run.
        max_cost_microusd: The cap, in micro-USD.
        judge: The judge of the answers; None: there is none.

    Returns:
        A count from 0 (not even one item fits) to the number of calls. The maximum charge grows with the count, so
        every smaller sample of the same seed fits too.
    """
    total = largest = 0
    for count, call in enumerate(calls, start=1):
        total += call.task_microusd * repeats
        largest = max(largest, call.dearest_microusd)
        if total + lost_tries(count * repeats * _calls_per_task(model, judge)) * largest > max_cost_microusd:
            return count - 1
    return len(calls)
