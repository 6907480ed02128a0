# Generated from openapi.yaml by scripts/regen; do not edit.

from typing import Annotated, Any, Literal, TypeAliasType

from evalrouter_server.contract.request import RequestModel
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class A2aSettings(BaseModel):
    card_url: str
    key_header: str | None
    origins: list[str]


type AgentDigestValue = Annotated[str, Field(max_length=200, min_length=1)]
"""Names exactly what runs; part of what makes two runs the same."""


type AgentNameValue = Annotated[str, Field(max_length=200, min_length=1)]


class AgentRef(BaseModel):
    """The agent that works on a run's tasks."""

    kind: str
    """`python`, `local`, `registry` or `remote`."""
    name: str
    """Of a remote agent its connection's name."""
    digest: str
    """Of a remote agent its connection's ID."""
    version: str | None
    """Of a remote agent what its card said when the quote was made."""
    integrity: str | None
    """Of a registry agent: `pinned`, `package-registry` or `unverified-upstream`."""
    command: str | None
    """Of a local agent."""
    task_seconds: float
    hosted: bool
    """Whether the server runs it."""


type AgentVersionValue = Annotated[str, Field(max_length=200, min_length=1)]


type BenchmarkIdValue = Annotated[str, Field(pattern="^bench_[0-9a-hjkmnp-tv-z]{26}$")]


class BenchmarkRef(BaseModel):
    id: str
    slug: str
    version: str
    name: str


class BenchmarkSource(BaseModel):
    kind: str
    """`package`, `repository`, `hub`, `wheel`, or `file` for one that was uploaded."""
    location: str
    sha256: str


class ConcurrencyPlan(BaseModel):
    requested: int | None
    admitted: int
    reason: str
    """`requested`, `auto`, `task_count`, `gateway_limit`, `adapter_limit` or `budget_limit`."""


type ConnectionIdValue = Annotated[str, Field(pattern="^conn_[0-9a-hjkmnp-tv-z]{26}$")]


class Coverage(BaseModel):
    mode: str
    sample_count: int | None
    seed: int | None
    stratify: str | None
    """`group` where each group is drawn from in proportion to its size."""
    benchmark_task_count: int
    selected: int
    """Tasks in the plan."""
    graded: int
    failed: int
    """Tasks that ended in an error; never counted as wrong."""
    missing: int
    """Tasks that were not run or have not ended."""


class CoveragePlan(BaseModel):
    mode: str
    sample_count: int | None
    seed: int | None
    stratify: str | None
    """`group` where each group is drawn from in proportion to its size."""
    benchmark_task_count: int
    """How many items the benchmark has in all."""


type CursorValue = Annotated[str, Field(max_length=200, min_length=1, pattern="^[A-Za-z0-9_.:=-]+$")]


type DecimalUsd = Annotated[str, Field(pattern="^[0-9]{1,9}([.][0-9]{1,12})?$")]
"""An exact decimal amount of USD."""


type DedupeKey = Annotated[str, Field(max_length=200, min_length=1)]
"""
Names the run that is meant: a later create with the same key, or from a quote with the same key, gets the same run, whatever became of it. Without it
the key is a digest of the spec.

"""


class DeliveryKey(BaseModel):
    id: str
    run_id: str
    secret: str
    """The key, shown once."""


type DeliveryKeyIdValue = Annotated[str, Field(pattern="^dkey_[0-9a-hjkmnp-tv-z]{26}$")]


class Difference(BaseModel):
    """The run's score less the baseline's."""

    value: float
    standard_error: float | None
    low: float | None
    """Lower end of the 95% interval."""
    high: float | None
    """Upper end of the 95% interval."""
    method: str
    """How the interval was made: `newcombe`, `bootstrap`, or `wilson` where all questions differ by the same."""


type DigestValue = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


type EventScopeValue = Literal["all", "run"]


type EventStream = str
"""A stream of server-sent events."""


type ExportBytes = bytes


type ExportFormatValue = Literal["json", "jsonl", "csv", "parquet", "html"]


type FileBytes = bytes


type ForeignBody = dict[str, Any]
"""A body of the wire's own form, which this contract does not describe."""


class FreePricing(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["free"]


class FullCoverage(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    mode: Literal["full"]


class GatewayKey(BaseModel):
    id: str
    run_id: str
    secret: str
    """The key, shown once."""
    base_url: str
    """The root that an OpenAI client takes as its base URL."""
    model: str
    """The model name that the key may ask for."""


class GivenAnswer(BaseModel):
    task_id: str
    answer: str | None
    """What the grader extracted, else how the output begins."""
    is_extracted: bool


class FlipSide(BaseModel):
    score: float
    """The mean over the repeats."""
    answers: list[GivenAnswer]
    """One for each repeat."""


class GroupScore(BaseModel):
    name: str
    score: float | None
    """The primary metric over the group's graded tasks."""
    n: int
    standard_error: float | None
    low: float | None
    """Lower end of the 95% interval."""
    high: float | None
    """Upper end of the 95% interval."""
    method: str | None
    """How the interval was made, as of a metric."""


class Health(BaseModel):
    status: str
    version: str
    """The server's version."""


type IdempotencyKeyValue = Annotated[str, Field(max_length=255, min_length=1, pattern="^[!-~]+$")]


class Identity(BaseModel):
    workspace_id: str
    workspace_name: str
    key_id: str
    key_name: str
    scopes: list[str]
    server_version: str
    embedded: bool
    """Whether the server lives inside a user's process and pauses with it."""


type IntegrityValue = Literal["pinned", "package-registry", "unverified-upstream"]


type JsonObject = dict[str, Any]


class BenchmarkExample(BaseModel):
    """A row as it would be asked and graded."""

    row: int
    messages: list[JsonObject]
    target: JsonObject
    group: str | None


class Flip(BaseModel):
    item_id: str
    group: str | None
    question: str
    """How the question begins, without the instructions and examples of its prompt."""
    target: JsonObject
    kind: str
    """`gained` or `lost`."""
    baseline: FlipSide
    run: FlipSide


class Key(BaseModel):
    id: str
    name: str
    prefix: str
    """The first characters of the secret."""
    scopes: list[str]
    ceiling_microusd: int | None
    committed_microusd: int
    """Charged and held for what the key started."""
    remaining_microusd: int | None
    created_at: AwareDatetime
    revoked_at: AwareDatetime | None


class KeyCreated(BaseModel):
    key: Key
    secret: str
    """The API key, shown once."""


type KeyIdValue = Annotated[str, Field(pattern="^key_[0-9a-hjkmnp-tv-z]{26}$")]


class KeyPage(BaseModel):
    items: list[Key]
    next_cursor: str | None


class KeyUpdate(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    ceiling_microusd: Annotated[int | None, Field(ge=1, le=1000000000000000)]
    """Null lifts the ceiling."""


class Lease(BaseModel):
    """The right to work on a task for a while. It holds everything but what is right."""

    id: str
    run_id: str
    task_id: str
    index: int
    """Place in the plan, from 0."""
    repeat: int
    """From 0."""
    inputs: JsonObject
    gateway_key: str
    """A key that can only call the run's model for this task, until the lease ends."""
    gateway_base_url: str
    """The root that an OpenAI client takes as its base URL."""
    model: str
    """The model name that the key may ask for."""
    task_seconds: float
    """The most time for the task."""
    expires_at: AwareDatetime


class LeaseBatch(BaseModel):
    leases: list[Lease]
    run_status: str
    status_reason: str | None
    unfinished: int
    """Tasks that are pending, leased or being graded."""


type LeaseIdValue = Annotated[str, Field(pattern="^lease_[0-9a-hjkmnp-tv-z]{26}$")]


class LeaseRenewalRequest(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    lease_ids: Annotated[list[LeaseIdValue], Field(max_length=1000)]


class LeaseRequest(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    count: Annotated[int, Field(ge=1, le=64)]
    """The most tasks to lease."""


class LeaseState(BaseModel):
    id: str
    task_id: str
    status: str
    """`open`, `submitted`, `done`, `graded`, `failed`, `returned` or `ended`."""
    reason: str | None
    """Why it ended, where the client did not end it."""


class LeaseRenewal(BaseModel):
    expires_at: AwareDatetime
    """Of every lease that goes on."""
    ended: list[LeaseState]
    """The leases that are over."""
    run_status: str


type LeftOut = Annotated[str, Field(max_length=300, min_length=1)]


MetadataAdditionalProperty = TypeAliasType("MetadataAdditionalProperty", Annotated[str, Field(max_length=500)])


type Metadata = Annotated[dict[str, MetadataAdditionalProperty], Field(max_length=50)]
"""Labels of your own."""


class Metric(BaseModel):
    name: str
    """
    `accuracy` or `mean_score`, with errors clustered by question; `..._across_groups`, the same with errors clustered by group; with repeats `pass@k` and `pass^k`.

    """
    value: float
    n: int
    """Graded tasks that it covers; of `pass@k` and `pass^k` questions."""
    standard_error: float | None
    low: float | None
    """Lower end of the 95% interval."""
    high: float | None
    """Upper end of the 95% interval."""
    method: str
    """How the interval was made: `wilson`, `t`, ..."""


type MicroUsd = int
"""Micro-USD; 1,000,000 is one dollar."""


class CallTry(BaseModel):
    """One HTTP request of a call, a reservation of its own."""

    number: int
    status: str
    """`open`, `settled`, `released` or `unknown`."""
    reservation_microusd: MicroUsd
    charge_microusd: MicroUsd
    http_status: int | None
    error: str | None
    started_at: AwareDatetime
    ended_at: AwareDatetime | None


class LedgerDifference(BaseModel):
    what: str
    reference: str
    expected_microusd: MicroUsd
    found_microusd: MicroUsd


class LedgerEntry(BaseModel):
    id: str
    posted_at: AwareDatetime
    kind: str
    """`top_up`, `hold`, `charge` or `release`."""
    account: str
    amount_microusd: MicroUsd
    run_id: str | None
    call_id: str | None
    note: str | None


class LedgerEntryPage(BaseModel):
    items: list[LedgerEntry]
    next_cursor: str | None


type ModelAliase = Annotated[str, Field(max_length=200, min_length=1)]


type ModelAliases = Annotated[list[ModelAliase], Field(max_length=20)]
"""Names that the agent's calls may give the model beside the model's own."""


type ModelIdValue = Annotated[str, Field(pattern="^model_[0-9a-hjkmnp-tv-z]{26}$")]


class ModelRef(BaseModel):
    id: str
    slug: str
    provider: str
    name: str


type NameQuery = Annotated[str, Field(max_length=200, min_length=1)]


type NoteText = Annotated[str, Field(max_length=2000, min_length=1)]


class ObservedTokens(BaseModel):
    """Counters as the source reports them; null where it reports none. A trace's are the sums over its model and embedding spans."""

    input: int | None
    output: int | None
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None
    total: int | None


type OriginValue = Annotated[str, Field(max_length=300, pattern="^https?://[^\\s/?#@]+$")]
"""Scheme, host and port of a URL."""


class A2aConnectionCreate(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
    kind: Literal["a2a"]
    card_url: Annotated[str, Field(max_length=500, pattern="^https?://[^\\s]+$")]
    """The agent's card, if it ends in `.json`, else the address below which the card is at its well-known place."""
    key: Annotated[str | None, Field(max_length=4096, min_length=1)] = None
    """The agent's key; stored encrypted."""
    key_env: Annotated[str | None, Field(pattern="^[A-Za-z_][A-Za-z0-9_]{0,199}$")] = None
    """The server's environment variable that holds the key, read when work on a run begins."""
    key_header: Annotated[str | None, Field(pattern="^[A-Za-z0-9-]{1,100}$")] = None
    """The header that carries the key, as it is. Without it the card says how the key is sent; a card that does not gets a bearer token."""
    origins: Annotated[list[OriginValue] | None, Field(max_length=10)] = None
    """Origins beside the card's own at which the agent may be called and gets the key."""


class PairedTest(BaseModel):
    name: str
    """`mcnemar_exact`, `paired_bootstrap`, or `sign_exact` where all questions differ by the same."""
    p_value: float
    p_value_adjusted: float
    """Adjusted for the number of comparisons (Holm); the same for one."""


class PlanLine(BaseModel):
    """One step of how the maximum charge comes about."""

    label: str
    detail: str
    amount_microusd: int | None


class PriceTier(BaseModel):
    """Prices of a call whose input is longer than `above_input_tokens`."""

    above_input_tokens: int
    input_usd_per_mtok: str
    cached_input_usd_per_mtok: str | None
    cache_write_usd_per_mtok: str | None
    output_usd_per_mtok: str


class Price(BaseModel):
    """Exact prices in USD per million tokens. Reasoning tokens are output."""

    input_usd_per_mtok: str
    cached_input_usd_per_mtok: str | None
    """Null where cached input costs what input costs."""
    cache_write_usd_per_mtok: str | None
    output_usd_per_mtok: str
    tiers: list[PriceTier]
    source: str
    """`genai-prices`, `override`, `connection` or `built-in`."""
    version: str


class Model(BaseModel):
    id: str
    slug: str
    """`gpt-5`, or `connection:NAME`."""
    provider: str
    name: str
    reference: str
    """`provider/slug`, which names it without doubt."""
    is_makers: bool
    """Whether the bare slug means this one."""
    connection_id: str | None
    price: Price | None
    context_window: int | None
    """Tokens."""
    callable: bool
    """Whether this server can call it now."""
    unavailable_reason: str | None
    """What to do to make it callable."""


class ModelPage(BaseModel):
    items: list[Model]
    next_cursor: str | None
    suggestions: list[str]


class Plan(BaseModel):
    """Exactly what would be run, frozen."""

    benchmark: BenchmarkRef
    content_digest: str
    model: ModelRef | None
    """Null: a remote agent brings its own."""
    agent: AgentRef | None
    """Who works on the tasks; null: the server asks the model itself."""
    price: Price | None
    """The model's; null where there is none."""
    coverage: CoveragePlan
    item_ids: list[str]
    """The exact items chosen, in the order of the benchmark."""
    repeats: int
    concurrency: ConcurrencyPlan
    call_count: int
    input_token_bound: int
    """Upper bound of all calls' input tokens together."""
    output_token_limit: int
    """Output tokens that each call is limited to."""
    lost_try_allowance: int
    """Tries whose answer may be lost and which are paid for again."""
    lines: list[PlanLine]


class Problem(BaseModel):
    """What was wrong, with a stable code and what to do about it. Never holds a key, a prompt or a payload."""

    code: str
    """Stable; branch on this."""
    message: str
    """For a human reader."""
    details: JsonObject
    request_id: str
    """Quote this when you ask for help."""


class Protocol(BaseModel):
    """How a row becomes a prompt."""

    system: str | None
    user: str
    """The user message's template."""
    temperature: float
    description: str


class Benchmark(BaseModel):
    id: str
    slug: str
    version: str
    is_own: bool
    """Whether it is the workspace's own, and no other workspace sees it."""
    attempts: int
    """How often each item is tried where a run does not say."""
    is_default: bool
    """Whether the bare slug means this version."""
    name: str
    description: str
    licence: str
    """The data's licence, as an SPDX identifier where there is one."""
    citation: str
    homepage: str | None
    task_count: int
    content_digest: str
    """sha256 over the normalised rows; every source must produce it."""
    groups: list[str]
    grader: str
    """The grader's kind: `numeric`, `short_answer`, ..."""
    protocol: Protocol
    grader_settings: JsonObject
    task_seconds: float
    """Seconds for a task, its retries included."""
    max_output_tokens: int
    sources: list[BenchmarkSource]
    primary_metric: str


class BenchmarkPage(BaseModel):
    items: list[Benchmark]
    next_cursor: str | None
    suggestions: list[str]
    """The nearest slugs where `match` found nothing."""


class Quote(BaseModel):
    id: str
    created_at: AwareDatetime
    expires_at: AwareDatetime
    plan: Plan
    maximum_charge_microusd: MicroUsd
    max_cost_microusd: int | None
    within_max_cost: bool
    shortfall_microusd: MicroUsd
    largest_sample_count: int | None
    """The largest sample with the same seed that fits `max_cost_microusd`; null where all fits."""
    name: str | None
    metadata: JsonObject
    run_id: str | None
    """The run that this quote started."""


type QuoteIdValue = Annotated[str, Field(pattern="^quote_[0-9a-hjkmnp-tv-z]{26}$")]


class RowProblem(BaseModel):
    row: int | None
    """From 1, a header not counted; null for the file as a whole."""
    column: str | None
    code: str
    message: str


class BenchmarkCheck(BaseModel):
    """What reading every row found."""

    slug: str
    version: str
    """The version that a create would make, or that is there with the same content."""
    exists: bool
    """Whether this version is there already."""
    item_count: int
    """Rows without an error."""
    content_digest: str
    """sha256 over the normalised rows without an error."""
    groups: list[str]
    problem_count: int
    """All errors, those beyond the list included."""
    problems: list[RowProblem]
    """The first errors."""
    examples: list[BenchmarkExample]


class Run(BaseModel):
    id: str
    status: str
    """`queued`, `running`, `paused`, `cancelling`, then one of `completed`, `partial`, `cancelled`, `failed`."""
    status_reason: str | None
    """Why the run is paused, partial, cancelled or failed."""
    benchmark: BenchmarkRef
    model: ModelRef | None
    """Null: a remote agent brings its own."""
    agent: AgentRef | None
    """Who works on the tasks; null: the server asks the model itself."""
    models_served: list[str]
    """The models that the provider says answered."""
    name: str | None
    metadata: JsonObject
    quote_id: str
    coverage: Coverage
    is_sample: bool
    is_partial: bool
    """Whether some selected tasks have no grade."""
    concurrency: int
    repeats: int
    score: float | None
    """The primary metric over graded tasks; null where nothing was graded."""
    metrics: list[Metric]
    groups: list[GroupScore]
    cap_microusd: MicroUsd
    max_cost_microusd: int | None
    maximum_charge_microusd: MicroUsd
    charge_microusd: MicroUsd
    reserved_microusd: MicroUsd
    overage_microusd: int
    """What providers reported beyond a call's bound; not charged."""
    flags: list[str]
    """What a reader of the score must know: `overage`, `usage_estimated`, `usage_unknown`, `other_model_served`, `unattributed_calls`, `provider_cost_differs`, `hosted_tools_left_out`, `unmetered` (the agent finished tasks without a metered call), `external_cost` (a remote agent's own cost is outside the meter)."""
    created_at: AwareDatetime
    started_at: AwareDatetime | None
    ended_at: AwareDatetime | None
    last_seq: int
    """The newest event's number."""


class RunComparison(BaseModel):
    """One run beside the baseline, on the questions that both graded."""

    run: Run
    shared: int
    """Questions that both graded."""
    baseline_only: int
    """Questions that only the baseline graded; they do not count."""
    run_only: int
    """Questions that only the run graded; they do not count."""
    baseline_metric: Metric
    run_metric: Metric
    difference: Difference
    test: PairedTest
    smallest_detectable_difference: float | None
    """The smallest true difference that this many questions would show at the 5% level in 80% of comparisons; null where it cannot be told."""
    differing: int
    """Questions with another score; 0: there is nothing to test, and the p-value is 1 whatever the models are."""
    both_right: int
    """Questions that both get right: whose mean score over the repeats is one half at least."""
    both_wrong: int
    gained: int
    """Questions that only the run gets right."""
    lost: int
    """Questions that only the baseline gets right."""
    flips: list[Flip]
    """The gained and the lost, in the order of the baseline's plan."""
    baseline_charge_microusd: int
    """What the shared questions were charged in the baseline."""
    run_charge_microusd: int
    """What they were charged in the run."""


class Comparison(BaseModel):
    baseline: Run
    others: list[RunComparison]


class RunEvent(BaseModel):
    run_id: str
    seq: int
    type: str
    """`run.created`, `run.started`, `run.paused`, `run.resumed`, `run.cancelling`, `task.graded`, `task.failed`, `run.ended`; with an agent also `task.leased`, `task.note`, `task.returned`, `task.dropped`; with a remote one `task.sent`."""
    at: AwareDatetime
    data: JsonObject


class RunEventPage(BaseModel):
    items: list[RunEvent]
    last_seq: int
    """The newest event's number."""
    run_status: str


class RunFromQuote(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    source: Literal["quote"]
    quote_id: QuoteIdValue


type RunIdValue = Annotated[str, Field(pattern="^run_[0-9a-hjkmnp-tv-z]{26}$")]


type ComparedRuns = Annotated[list[RunIdValue], Field(max_length=9, min_length=1)]


class RunPage(BaseModel):
    items: list[Run]
    next_cursor: str | None


type RunStatusValue = Literal[
    "queued", "running", "paused", "cancelling", "completed", "partial", "cancelled", "failed"
]


class SampleCoverage(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    mode: Literal["sample"]
    sample_count: Annotated[int, Field(ge=1, le=1000000)]
    seed: Annotated[int, Field(ge=0, le=9007199254740991)] = 0
    stratify: Literal["group"] | None = None
    """Draw from each of the benchmark's groups in proportion to its size."""


type ScopeValue = Literal["read", "run", "admin"]


class KeyCreate(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[str, Field(max_length=100, min_length=1)]
    scopes: Annotated[list[ScopeValue] | None, Field(max_length=3, min_length=1)] = None
    """`read` sees, `run` spends, `admin` manages connections, keys and the wallet. Default: read and run."""
    ceiling_microusd: Annotated[int | None, Field(ge=1, le=1000000000000000)] = None
    """The most that everything this key starts may charge."""


type SourceTraceIdValue = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]


class Span(BaseModel):
    span_id: str
    parent_span_id: str | None
    depth: int
    """0 for a root."""
    parent_missing: bool
    """Whether it names a parent that is not there."""
    name: str | None
    kind: str
    status: str
    """`unset` is never success."""
    started_at: AwareDatetime
    ended_at: AwareDatetime | None
    duration_seconds: float | None
    tokens: ObservedTokens
    cost_usd: str | None
    attributes: JsonObject
    input: Any
    """Any JSON value; null where there is none."""
    output: Any
    """Any JSON value; null where there is none."""
    error: Any
    """Any JSON value; null where there is none."""
    origin: str
    coverage: str
    late: bool
    """Whether it arrived after a seal."""


type SpanCoverageValue = Literal["recorded", "observed"]
"""`observed`: seen from outside, which proves nothing about what was not seen."""


type SpanIdValue = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


type SpanOriginValue = Literal["capture", "attach", "langsmith"]
"""What recorded it."""


class SpanPage(BaseModel):
    items: list[Span]
    next_cursor: str | None


type SpanStatusValue = Literal["ok", "error", "unset"]


class SpanTokens(RequestModel):
    """Counters as the source reports them. They enter neither cost nor ledger."""

    model_config = ConfigDict(
        extra="forbid",
    )
    input: Annotated[int | None, Field(ge=0, le=9007199254740991)] = None
    output: Annotated[int | None, Field(ge=0, le=9007199254740991)] = None
    cache_read: Annotated[int | None, Field(ge=0, le=9007199254740991)] = None
    cache_write: Annotated[int | None, Field(ge=0, le=9007199254740991)] = None
    reasoning: Annotated[int | None, Field(ge=0, le=9007199254740991)] = None
    total: Annotated[int | None, Field(ge=0, le=9007199254740991)] = None


class SubmittedFile(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    path: Annotated[str, Field(max_length=200, min_length=1)]
    """Its path from the working folder, parts separated by `/`."""
    text: Annotated[str | None, Field(max_length=262144)]
    """Its whole new content; null where it was removed."""


class Submission(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    output: Annotated[str, Field(max_length=1000000)]
    """The whole text of the answer."""
    files: Annotated[list[SubmittedFile] | None, Field(max_length=200)] = None
    """
    The files that the agent changed, where the task came with files; the result's `output` then is a JSON object
    with `answer`, `files` and `left_out`, of at most 1,000,000 characters.

    """
    left_out: Annotated[list[LeftOut] | None, Field(max_length=50)] = None
    """What was changed and cannot be handed in, each with the reason."""


class TaskError(BaseModel):
    code: str
    message: str


class TaskFailure(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    code: Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,59}$")]
    message: Annotated[str, Field(max_length=2000, min_length=1)]
    details: Annotated[str | None, Field(max_length=16000)] = None
    """A traceback, or the end of a log."""


type TaskIdValue = Annotated[str, Field(pattern="^task_[0-9a-hjkmnp-tv-z]{26}$")]


class TaskNotes(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    notes: Annotated[list[NoteText], Field(max_length=100, min_length=1)]


type TaskSeconds = Annotated[float, Field(ge=1.0, le=86400.0)]
"""The most time for a task, in seconds; not part of what makes two runs the same."""


class LocalAgent(RequestModel):
    """An agent that is started by a command on the client's machine."""

    model_config = ConfigDict(
        extra="forbid",
    )
    kind: Literal["local"]
    name: AgentNameValue
    digest: AgentDigestValue
    version: AgentVersionValue | None = None
    command: Annotated[str, Field(max_length=4000, min_length=1)]
    """The command line, without secrets."""
    model_aliases: ModelAliases | None = None
    task_seconds: TaskSeconds | None = 1800


class PythonAgent(RequestModel):
    """An agent that is written in Python."""

    model_config = ConfigDict(
        extra="forbid",
    )
    kind: Literal["python"]
    name: AgentNameValue
    digest: AgentDigestValue
    version: AgentVersionValue | None = None
    model_aliases: ModelAliases | None = None
    task_seconds: TaskSeconds | None = 1800


class RegistryAgent(RequestModel):
    """An agent of the registry, started on the client's machine, or by the server where it is hosted."""

    model_config = ConfigDict(
        extra="forbid",
    )
    kind: Literal["registry"]
    name: AgentNameValue
    digest: AgentDigestValue
    version: AgentVersionValue
    integrity: IntegrityValue
    model_aliases: ModelAliases | None = None
    task_seconds: TaskSeconds | None = 1800
    hosted: bool = False
    """Whether the server runs it, in a sandbox."""


class RemoteAgent(RequestModel):
    """
    An A2A agent that the server calls over a connection. What it spends is outside the meter: the maximum charge is that of the benchmark's judge, 0 where
    there is none, and the run has the flag `external_cost`.

    """

    model_config = ConfigDict(
        extra="forbid",
    )
    kind: Literal["remote"]
    connection_id: ConnectionIdValue
    task_seconds: TaskSeconds | None = 1800


class RunSpec(RequestModel):
    """
    What to evaluate, on what, and for how much at most. `model_id` is required, but for a remote agent, which brings its own model and takes none.

    """

    model_config = ConfigDict(
        extra="forbid",
    )
    benchmark_id: BenchmarkIdValue
    model_id: ModelIdValue | None = None
    max_cost_microusd: Annotated[int | None, Field(ge=1, le=1000000000000000)] = None
    """The most that the run may charge. Without it the run is bounded by the quote's maximum, the wallet and the key's ceiling."""
    coverage: Annotated[FullCoverage | SampleCoverage | None, Field(discriminator="mode")] = None
    concurrency: Annotated[int | None, Field(ge=1, le=1000)] = None
    """Calls at once. The server chooses without it."""
    repeats: Annotated[int, Field(ge=1, le=100)] = 1
    """How often each item is tried."""
    name: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    metadata: Metadata | None = None
    dedupe_key: DedupeKey | None = None
    agent: Annotated[
        PythonAgent | LocalAgent | RegistryAgent | RemoteAgent | None,
        Field(discriminator="kind"),
    ] = None
    """Who works on the tasks: an agent, by way of a delivery key, or a remote one that the server calls. Without it the server asks the model itself."""


class RunFromSpec(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    source: Literal["spec"]
    spec: RunSpec


type RunCreate = Annotated[RunFromSpec | RunFromQuote, Field(discriminator="source")]


class TokenPricing(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["per_token"]
    input_usd_per_mtok: DecimalUsd
    output_usd_per_mtok: DecimalUsd
    cached_input_usd_per_mtok: DecimalUsd | None = None


class ModelConnectionCreate(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
    kind: Literal["model"]
    base_url: Annotated[str, Field(max_length=500, pattern="^https?://[^\\s]+$")]
    """The OpenAI-compatible root, usually ending in `/v1`."""
    upstream_model: Annotated[str, Field(max_length=200, min_length=1)]
    """The model's name at the endpoint."""
    pricing: Annotated[FreePricing | TokenPricing, Field(discriminator="type")]
    key: Annotated[str | None, Field(max_length=4096, min_length=1)] = None
    """The endpoint's key; stored encrypted."""
    key_env: Annotated[str | None, Field(pattern="^[A-Za-z_][A-Za-z0-9_]{0,199}$")] = None
    """The server's environment variable that holds the key, read at each call."""


class TopUp(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    amount_microusd: Annotated[int, Field(ge=1, le=1000000000000000)]
    note: Annotated[str | None, Field(max_length=200)] = None


class Trace(BaseModel):
    id: str
    """A UUID."""
    connection_id: str
    source_trace_id: str
    """Its ID where it was recorded."""
    name: str | None
    """The root's name."""
    status: str
    """The root's: `ok`, `error` or `unset`, which means that nobody said; it is never success."""
    coverage: str
    """`recorded`, or `observed` where any span is."""
    origins: list[str]
    started_at: AwareDatetime
    ended_at: AwareDatetime | None
    duration_seconds: float | None
    span_count: int
    error_span_count: int
    late_span_count: int
    tokens: ObservedTokens
    cost_usd: str | None
    """Sum of what the source reports, in USD; observed, not charged."""
    sealed_at: AwareDatetime | None
    complete: bool
    received_at: AwareDatetime
    """When its last span arrived."""
    expires_at: AwareDatetime
    """When it is deleted."""


class TraceConnectionCreate(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
    kind: Literal["trace"]
    stores_content: bool = True
    """Whether inputs, outputs and error texts are stored; else they are dropped on arrival."""
    retention_days: Annotated[int, Field(ge=1, le=3650)] = 90
    """Days after its last span that a trace is kept."""


type ConnectionCreate = Annotated[
    ModelConnectionCreate | TraceConnectionCreate | A2aConnectionCreate,
    Field(discriminator="kind"),
]


type TraceIdValue = Annotated[str, Field(pattern="^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]


class TraceLimits(BaseModel):
    span_bytes: int
    """Bytes of a span, written as for its content digest."""
    batch_bytes: int
    """Bytes of a request's body, unpacked."""
    batch_spans: int
    trace_spans: int
    requests_per_minute: int


class TraceDestination(BaseModel):
    connection_id: str
    workspace_id: str
    name: str
    stores_content: bool
    retention_days: int
    limits: TraceLimits


class TraceName(BaseModel):
    trace_id: str
    server_trace_id: str
    """The server's ID of the trace, a UUID."""


class TraceBatchReceipt(BaseModel):
    batch_id: str
    received: int
    """Spans in the batch."""
    inserted: int
    """Spans that were new; 0 for a batch that was taken before."""
    duplicates: int
    """Spans that were there with the same content."""
    late: int
    """New spans of traces that had been sealed."""
    content_dropped: int
    """New spans whose content was dropped, because the connection stores none."""
    replayed: bool
    """Whether the batch had been taken before."""
    traces: list[TraceName]
    """The traces of the batch that the server holds."""


class TracePage(BaseModel):
    items: list[Trace]
    next_cursor: str | None


class TraceReceipt(BaseModel):
    """What the server holds of a trace."""

    trace_id: str
    server_trace_id: str | None
    """A UUID; null while nothing is held."""
    complete: bool
    """Sealed, and exactly the sealed spans are held. A seal's answer: whether that seal holds."""
    span_count: int
    """Spans held."""
    digest: str | None
    """Of the spans held, as a seal states it; null while nothing is held."""
    sealed_at: AwareDatetime | None
    """The last seal that was met."""
    sealed_span_count: int | None
    late_span_count: int
    """Spans that arrived after a seal."""


class TraceSeal(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    trace_id: SourceTraceIdValue
    span_count: Annotated[int, Field(ge=1, le=1000000)]
    digest: DigestValue


class TraceSettings(BaseModel):
    stores_content: bool
    retention_days: int
    key_prefix: str
    """The key's first characters."""
    key_revoked_at: AwareDatetime | None
    limits: TraceLimits


class Connection(BaseModel):
    """Of the fields after `kind`, those of another kind are null."""

    id: str
    name: str
    kind: str
    """`model`, `trace` or `a2a`."""
    base_url: str | None
    upstream_model: str | None
    model_id: str | None
    price: Price | None
    has_key: bool
    key_env: str | None
    trace: TraceSettings | None
    a2a: A2aSettings | None
    secret: str | None
    """A trace connection's key, only in the answer of the request that made it."""
    created_at: AwareDatetime


class ConnectionPage(BaseModel):
    items: list[Connection]
    next_cursor: str | None


class TraceSpan(RequestModel):
    """One finished piece of work. Named in its connection by `trace_id` and `span_id`."""

    model_config = ConfigDict(
        extra="forbid",
    )
    trace_id: SourceTraceIdValue
    span_id: SpanIdValue
    parent_span_id: Annotated[str | None, Field(pattern="^[0-9a-f]{16}$")]
    """Null for the root."""
    name: Annotated[str | None, Field(max_length=500)]
    kind: Annotated[str, Field(max_length=40, min_length=1, pattern="^[a-z][a-z0-9_]*$")]
    """`agent`, `model`, `tool`, `retrieval`, `embedding`, `chain` or `unknown`; others are kept as they are."""
    status: SpanStatusValue
    start_unix_nano: Annotated[int, Field(ge=0, le=9223372036854775807)]
    end_unix_nano: Annotated[int | None, Field(ge=0, le=9223372036854775807)]
    """Null for what never ended."""
    tokens: SpanTokens | None = None
    cost_usd: DecimalUsd | None = None
    attributes: Annotated[dict[str, Any] | None, Field(max_length=128)] = None
    input: Any | None = None
    """Content: any JSON value but null."""
    output: Any | None = None
    """Content: any JSON value but null."""
    error: Any | None = None
    """Content: any JSON value but null."""
    origin: SpanOriginValue | None = "capture"
    coverage: SpanCoverageValue | None = "recorded"


class TraceBatch(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    batch_id: Annotated[str, Field(max_length=128, min_length=1, pattern="^[A-Za-z0-9._:-]+$")]
    """Unique in the connection."""
    digest: DigestValue
    spans: Annotated[list[TraceSpan], Field(max_length=1000, min_length=1)]


class Upload(BaseModel):
    id: str
    sha256: str
    byte_count: int
    part_bytes: int
    """Bytes of every part but the last."""
    part_count: int
    parts_received: int
    """How many parts from the first on are there."""


class UploadCreate(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    byte_count: Annotated[int, Field(ge=0, le=9007199254740991)]


type UploadIdValue = Annotated[str, Field(pattern="^upload_[0-9a-hjkmnp-tv-z]{26}$")]


class BenchmarkCreate(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    manifest: JsonObject
    upload_id: UploadIdValue | None = None


class Usage(BaseModel):
    """Disjoint token buckets. Reasoning tokens are part of output."""

    input_tokens: int
    cached_input_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int


class Call(BaseModel):
    id: str
    task_id: str | None
    """Null where the call cannot be attributed to a task."""
    purpose: str
    """`task` for a call of the evaluated model, `judge` for one of the grader's judge."""
    wire: str
    """`chat`, `responses` or `messages`."""
    streamed: bool
    model_requested: str
    model_served: str | None
    status: str
    """`open`, `settled`, `released` or `unknown`."""
    usage: Usage
    usage_source: str | None
    """`reported`, `estimated` or `unknown`."""
    charge_microusd: MicroUsd
    overage_microusd: MicroUsd
    provider_cost_microusd: int | None
    """What the provider itself says it cost."""
    tries: list[CallTry]
    started_at: AwareDatetime
    ended_at: AwareDatetime | None


class CallPage(BaseModel):
    items: list[Call]
    next_cursor: str | None


class TaskResult(BaseModel):
    task_id: str
    item_id: str
    index: int
    """Place in the plan, from 0."""
    repeat: int
    """From 0."""
    group: str | None
    status: str
    """`graded` or `failed`."""
    inputs: JsonObject
    output: str | None
    target: JsonObject
    score: float | None
    correct: bool | None
    extracted: str | None
    """The answer that the grader found in the output."""
    rule: str | None
    """The rule that found it."""
    details: JsonObject | None
    """What the grader notes beside its verdict, such as the last words of a program that failed."""
    finish_reason: str | None
    usage: Usage
    charge_microusd: MicroUsd
    latency_seconds: float | None
    model_served: str | None
    error: TaskError | None
    ended_at: AwareDatetime


class ExportDocument(BaseModel):
    run: Run
    results: list[TaskResult]


class TaskResultPage(BaseModel):
    items: list[TaskResult]
    next_cursor: str | None


class Wallet(BaseModel):
    balance_microusd: int
    """What is left of all that was put in."""
    held_microusd: int
    """Held for runs that have not ended."""
    available_microusd: int
    """Balance less holds."""


class WalletVerification(BaseModel):
    ok: bool
    entries: int
    """Entries that were added up."""
    calls: int
    runs: int
    differences: list[LedgerDifference]


class Workspace(BaseModel):
    id: str
    name: str
    traces_enabled: bool


class WorkspaceUpdate(RequestModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    traces_enabled: bool
