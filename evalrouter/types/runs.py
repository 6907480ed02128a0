"""Runs, their results, calls, events and progress."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from attrs import field, frozen

from evalrouter.types.catalog import AgentRef, BenchmarkRef, ModelRef

type RunStatus = Literal["queued", "running", "paused", "cancelling", "completed", "partial", "cancelled", "failed"]
"""The statuses of this version of the contract; a newer server may send others, so fields hold `str`."""

type ExportFormat = Literal["json", "jsonl", "csv", "parquet", "html"]
"""The file formats of an export."""

ENDED_STATUSES = frozenset({"completed", "partial", "cancelled", "failed"})
"""The statuses of a run that has ended and never changes again."""


@frozen
class Coverage:
    """What part of a benchmark a run covers, and how far it has come.

    Attributes:
        mode: `full` or `sample`.
        sample_count: Items in the sample, if it is one.
        seed: Seed of the sample, if it is one.
        stratify: `group` if the sample takes from each group in proportion to its size.
        benchmark_task_count: How many items the benchmark has in all.
        selected: Tasks in the plan.
        graded: Tasks with a grade.
        failed: Tasks that ended in an error; never counted as wrong.
        missing: Tasks that were not run or have not ended.
    """

    mode: str
    sample_count: int | None
    seed: int | None
    stratify: str | None
    benchmark_task_count: int
    selected: int
    graded: int
    failed: int
    missing: int


@frozen
class Metric:
    """One metric with its uncertainty.

    Attributes:
        name: `accuracy` or `mean_score`, with errors clustered by question; `..._across_groups`, the same with errors
            clustered by group; with repeats `pass@k` and `pass^k`.
        value: Its value over the graded tasks.
        n: How many tasks it is over; of `pass@k` and `pass^k` how many questions.
        standard_error: Its standard error, where defined.
        low: Lower end of the 95% interval.
        high: Upper end of the 95% interval.
        method: How the interval was made: `wilson`, `t`, ...
    """

    name: str
    value: float
    n: int
    standard_error: float | None
    low: float | None
    high: float | None
    method: str


@frozen
class GroupScore:
    """The score of one group of items.

    Attributes:
        name: The group.
        score: The primary metric over its graded tasks; None where there is none.
        n: How many tasks it is over.
        standard_error: Its standard error, where defined.
        low: Lower end of the 95% interval.
        high: Upper end of the 95% interval.
        method: How the interval was made, as of a metric.
    """

    name: str
    score: float | None
    n: int
    standard_error: float | None
    low: float | None
    high: float | None
    method: str | None


@frozen
class Usage:
    """Tokens of a call or a task, in disjoint buckets; reasoning is part of output.

    Attributes:
        input_tokens: Input that was not cached.
        cached_input_tokens: Input read from the provider's cache.
        cache_write_tokens: Input written to the provider's cache.
        output_tokens: Output.
        reasoning_tokens: The part of output that was reasoning.
    """

    input_tokens: int
    cached_input_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int


@frozen
class RunData:
    """What the server said of a run at one moment.

    Attributes:
        id: Exact ID.
        status: `queued`, `running`, `paused`, `cancelling`, then one of `completed`, `partial`, `cancelled`, `failed`.
        status_reason: Why the run is paused, partial, cancelled or failed.
        benchmark: The benchmark's version.
        model: The model that was asked for; None where a remote agent brought its own.
        agent: The agent that works on its tasks; None where the model itself is asked.
        models_served: The models that the provider says answered.
        name: Name of your own.
        metadata: Labels of your own.
        quote_id: The quote that it runs.
        coverage: What part of the benchmark, and how far.
        is_sample: Whether it covers a sample only.
        is_partial: Whether some selected tasks have no grade.
        concurrency: Calls at once.
        repeats: How often each item is tried.
        score: The primary metric over graded tasks; None where nothing was graded.
        metrics: Every metric by its name.
        groups: The score of each group by its name.
        cap: The most that it may charge, in USD.
        max_cost: The limit that was asked for, in USD.
        maximum_charge: The quote's maximum charge, in USD.
        cost: What it has charged so far, in USD.
        reserved: What calls in flight have reserved, in USD.
        overage: What providers reported beyond a call's bound, in USD; not charged.
        flags: What a reader of the score must know.
        created_at: When it was created.
        started_at: When its work started.
        ended_at: When it ended.
        last_seq: Number of its newest event.
    """

    id: str
    status: str
    status_reason: str | None
    benchmark: BenchmarkRef
    model: ModelRef | None
    agent: AgentRef | None
    models_served: tuple[str, ...]
    name: str | None
    metadata: Mapping[str, Any]
    quote_id: str
    coverage: Coverage
    is_sample: bool
    is_partial: bool
    concurrency: int
    repeats: int
    score: float | None
    metrics: Mapping[str, Metric]
    groups: Mapping[str, GroupScore]
    cap: Decimal
    max_cost: Decimal | None
    maximum_charge: Decimal
    cost: Decimal
    reserved: Decimal
    overage: Decimal
    flags: tuple[str, ...]
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    last_seq: int

    @property
    def has_ended(self) -> bool:
        """Whether it will never change again."""
        return self.status in ENDED_STATUSES


@frozen
class TaskError:
    """Why a task has no grade.

    Attributes:
        code: Stable; branch on this.
        message: For a reader.
    """

    code: str
    message: str


@frozen
class TaskResult:
    """One item's outcome in a run.

    Attributes:
        task_id: Exact ID.
        item_id: The benchmark's item.
        index: Place in the plan, from 0.
        repeat: Which repeat of the item, from 0.
        group: The item's group, if it has one.
        status: `graded` or `failed`.
        inputs: What the model was given.
        output: What it answered.
        target: The right answer.
        score: The grade, from 0 to 1.
        correct: Whether it is right, for a binary grade.
        extracted: The answer that the grader found in the output.
        rule: The rule that found it.
        details: What the grader notes beside its verdict, such as the last words of a program that failed.
        finish_reason: Why the output ended.
        usage: Tokens.
        charge: USD.
        latency_seconds: How long the model took.
        model_served: The model that the provider says answered.
        error: Why there is no grade.
        ended_at: When the task ended.
    """

    task_id: str
    item_id: str
    index: int
    repeat: int
    group: str | None
    status: str
    inputs: Mapping[str, Any]
    output: str | None
    target: Mapping[str, Any]
    score: float | None
    correct: bool | None
    extracted: str | None
    rule: str | None
    details: Mapping[str, Any] | None
    finish_reason: str | None
    usage: Usage
    charge: Decimal
    latency_seconds: float | None
    model_served: str | None
    error: TaskError | None
    ended_at: datetime


@frozen
class CallTry:
    """One HTTP request of a model call, a reservation of its own.

    Attributes:
        number: Which try, from 1.
        status: `open`, `settled`, `released` or `unknown`.
        reservation: USD that it reserved.
        charge: USD that it cost.
        http_status: What the provider answered, if anything.
        error: What went wrong, if anything.
        started_at: When it was sent.
        ended_at: When it was settled.
    """

    number: int
    status: str
    reservation: Decimal
    charge: Decimal
    http_status: int | None
    error: str | None
    started_at: datetime
    ended_at: datetime | None


@frozen
class Call:
    """One logical model call; every charge of a run is explained by exactly one.

    Attributes:
        id: Exact ID.
        task_id: The task that it was for; None where it cannot be attributed.
        purpose: `task` for a call of the evaluated model, `judge` for one of the grader's judge.
        wire: The wire's name: `chat`.
        streamed: Whether the answer was streamed.
        model_requested: The model that was asked for.
        model_served: The model that the provider says answered.
        status: `open`, `settled`, `released` or `unknown`.
        usage: Tokens.
        usage_source: `reported`, `estimated` or `unknown`.
        charge: USD.
        overage: USD that the provider reported beyond the bound; not charged.
        provider_cost: USD that the provider itself says it cost.
        tries: Its HTTP requests.
        started_at: When it started.
        ended_at: When it was settled.
    """

    id: str
    task_id: str | None
    purpose: str
    wire: str
    streamed: bool
    model_requested: str
    model_served: str | None
    status: str
    usage: Usage
    usage_source: str | None
    charge: Decimal
    overage: Decimal
    provider_cost: Decimal | None
    tries: tuple[CallTry, ...]
    started_at: datetime
    ended_at: datetime | None


@frozen
class RunEvent:
    """Something that happened to a run.

    Attributes:
        run_id: The run.
        seq: Its number, counted from 1 in each run; pass it as `after` to go on from here.
        type: `run.created`, `run.started`, `run.paused`, `run.resumed`, `run.cancelling`, `task.graded`, `task.failed`,
            `run.ended`; with an agent also `task.leased`, `task.note`, `task.returned`, `task.dropped`; or one that a
            newer server knows.
        at: When.
        data: What else is known of it.
    """

    run_id: str
    seq: int
    type: str
    at: datetime
    data: Mapping[str, Any]

    @property
    def task_id(self) -> str | None:
        """The task that it is about; None where it is about the run."""
        found = self.data.get("task_id")
        return found if isinstance(found, str) else None

    @property
    def note(self) -> str | None:
        """What an agent noted (`task.note`); None of any other event."""
        found = self.data.get("text")
        return found if self.type == "task.note" and isinstance(found, str) else None


@frozen
class GatewayKey:
    """A key that can only call a run's model through the gateway, within the run's cap.

    Attributes:
        id: Exact ID.
        run_id: The run.
        secret: The key itself, shown once.
        base_url: What an OpenAI client takes as its base URL.
        model: The model name that the key may ask for.
    """

    id: str
    run_id: str
    secret: str = field(repr=False)
    base_url: str
    model: str


@frozen
class Progress:
    """How far a run has come, for a progress display.

    Attributes:
        run: The run at this moment.
        elapsed_seconds: Since waiting began.
        tasks_per_second: Tasks that ended a second since waiting began; None at its start.
        seconds_left: Estimated from that rate; None where there is none yet.
    """

    run: RunData
    elapsed_seconds: float
    tasks_per_second: float | None
    seconds_left: float | None

    @property
    def done(self) -> int:
        """Tasks that were graded or failed."""
        return self.run.coverage.graded + self.run.coverage.failed

    @property
    def total(self) -> int:
        """Tasks in the plan."""
        return self.run.coverage.selected

    @property
    def cost(self) -> Decimal:
        """USD charged so far."""
        return self.run.cost

    @property
    def cap(self) -> Decimal:
        """USD that the run may charge at most."""
        return self.run.cap
