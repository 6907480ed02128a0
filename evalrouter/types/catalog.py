"""Benchmarks, models and their prices."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from attrs import field, frozen


@frozen
class BenchmarkRef:
    """The version of a benchmark that a quote or a run resolved to; as text `slug@version`.

    Attributes:
        id: Exact ID.
        slug: Short name.
        version: Version of the benchmark.
        name: Display name.
    """

    id: str
    slug: str
    version: str
    name: str

    def __str__(self) -> str:
        return f"{self.slug}@{self.version}"


@frozen
class AgentRef:
    """The agent that works on a run's tasks; as text its name.

    Attributes:
        kind: `python`, `local`, `registry` or `remote`.
        name: Its name; of a registry agent its ID, of a remote one its connection's name.
        digest: Names exactly what runs; of a remote agent its connection's ID.
        version: Its version, where it has one; of a remote agent what its card said when the quote was made.
        integrity: Of a registry agent: how its files are known to be right.
        command: Of a local agent: the command line that starts it.
        task_seconds: The most time for a task, in seconds.
        hosted: Whether the server runs it.
    """

    kind: str
    name: str
    digest: str
    version: str | None
    integrity: str | None
    command: str | None
    task_seconds: float
    hosted: bool = False

    def __str__(self) -> str:
        return self.name


@frozen
class ModelRef:
    """The model that a quote or a run resolved to; as text its slug.

    Attributes:
        id: Exact ID.
        slug: Short name, `connection:NAME` for a connected endpoint.
        provider: Who serves it.
        name: Display name.
    """

    id: str
    slug: str
    provider: str
    name: str

    def __str__(self) -> str:
        return self.slug


@frozen
class Protocol:
    """How a row of a benchmark becomes a prompt.

    Attributes:
        system: The system message's template, if any.
        user: The user message's template.
        temperature: Sampling temperature.
        description: What the protocol is, for a reader.
    """

    system: str | None
    user: str
    temperature: float
    description: str


@frozen
class BenchmarkSource:
    """One place that a benchmark's rows may come from.

    Attributes:
        kind: `package`, `repository`, `hub`, `wheel`, or `file` for one that was uploaded.
        location: Where it is.
        sha256: Digest of the file there.
    """

    kind: str
    location: str
    sha256: str


@frozen
class Benchmark:
    """One version of one benchmark; it never changes.

    Attributes:
        id: Exact ID.
        slug: Short name.
        version: Version.
        is_default: Whether the bare slug means this version.
        name: Display name.
        description: What it measures.
        licence: The data's licence.
        citation: How to cite it.
        homepage: Its authors' page, if any.
        task_count: Items in all.
        content_digest: sha256 over the normalised rows.
        groups: Names of its groups of items.
        grader: Kind of the grader.
        grader_settings: What the grader is told beyond its defaults.
        protocol: How a row becomes a prompt.
        max_output_tokens: Output limit of each call, in tokens.
        task_seconds: Time limit of a task, in seconds, its retries included.
        sources: Where the rows may come from.
        primary_metric: The metric that is a run's score.
        is_own: Whether it is the workspace's own, and no other workspace sees it.
        attempts: How often each item is tried where a run does not say.
    """

    id: str
    slug: str
    version: str
    is_default: bool
    name: str
    description: str
    licence: str
    citation: str
    homepage: str | None
    task_count: int
    content_digest: str
    groups: tuple[str, ...]
    grader: str
    grader_settings: dict[str, Any]
    protocol: Protocol
    max_output_tokens: int
    task_seconds: float
    sources: tuple[BenchmarkSource, ...]
    primary_metric: str
    is_own: bool
    attempts: int

    def __str__(self) -> str:
        return f"{self.slug}@{self.version}"


@frozen
class RowProblem:
    """Something that is wrong with a row of a benchmark of your own, or with its file.

    Attributes:
        row: The row's number, from 1, a header not counted; None for the file as a whole.
        column: The column that it is about.
        code: A stable code.
        message: What is wrong and what to do.
    """

    row: int | None
    column: str | None
    code: str
    message: str

    def __str__(self) -> str:
        return f"{'file' if self.row is None else f'row {self.row}'}: {self.message}"


@frozen
class BenchmarkExample:
    """A row of a benchmark as it is asked and graded.

    Attributes:
        row: The row's number, from 1.
        messages: The chat messages.
        target: What the grader compares with.
        group: Its group, if any.
    """

    row: int
    messages: tuple[dict[str, Any], ...]
    target: dict[str, Any]
    group: str | None


@frozen
class BenchmarkCheck:
    """What reading every row of a benchmark of your own found; nothing was made.

    Attributes:
        slug: Short name.
        version: The version that a create would make, or that is there with the same content.
        exists: Whether this version is there already.
        item_count: Rows without an error.
        content_digest: sha256 over the normalised rows without an error.
        groups: Names of its groups of items.
        problem_count: All errors, those beyond `problems` included.
        problems: The first errors.
        examples: Some rows as they would be asked.
    """

    slug: str
    version: str
    exists: bool
    item_count: int
    content_digest: str
    groups: tuple[str, ...]
    problem_count: int
    problems: tuple[RowProblem, ...]
    examples: tuple[BenchmarkExample, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return self.problem_count == 0

    def __str__(self) -> str:
        return f"{self.slug}@{self.version}"


@frozen
class PriceTier:
    """Prices of a call whose input is longer than `above_input_tokens`, in USD per million tokens.

    Attributes:
        above_input_tokens: Input tokens above which the tier holds.
        input: Input.
        cached_input: Cached input; None where it costs what input costs.
        cache_write: Writing to the cache; None where it costs what input costs.
        output: Output, reasoning included.
    """

    above_input_tokens: int
    input: Decimal
    cached_input: Decimal | None
    cache_write: Decimal | None
    output: Decimal


@frozen
class Price:
    """Exact prices in USD per million tokens.

    Attributes:
        input: Input.
        cached_input: Cached input; None where it costs what input costs.
        cache_write: Writing to the cache; None where it costs what input costs.
        output: Output, reasoning included.
        tiers: Prices of long inputs.
        source: `genai-prices`, `override`, `connection` or `built-in`.
        version: Version of the source.
    """

    input: Decimal
    cached_input: Decimal | None
    cache_write: Decimal | None
    output: Decimal
    tiers: tuple[PriceTier, ...]
    source: str
    version: str

    @property
    def is_free(self) -> bool:
        """Whether every call costs nothing."""
        amounts = (self.input, self.cached_input, self.cache_write, self.output)
        tiers = ((tier.input, tier.cached_input, tier.cache_write, tier.output) for tier in self.tiers)
        return not any(amount for row in (amounts, *tiers) for amount in row)


@frozen
class Model:
    """A model that can be evaluated.

    Attributes:
        id: Exact ID.
        slug: Short name, `connection:NAME` for a connected endpoint.
        provider: Who serves it.
        name: Display name.
        reference: `provider/slug`, which names it without doubt.
        is_makers: Whether the bare slug means this one.
        connection_id: The connection that it belongs to, if any.
        price: Its price; None where no price is known, and then it cannot be run.
        context_window: Tokens, if known.
        callable: Whether the server can call it now.
        unavailable_reason: What to do to make it callable.
    """

    id: str
    slug: str
    provider: str
    name: str
    reference: str
    is_makers: bool
    connection_id: str | None
    price: Price | None
    context_window: int | None
    callable: bool
    unavailable_reason: str | None

    def __str__(self) -> str:
        return self.slug


@frozen
class TraceSettings:
    """What a trace connection takes and keeps.

    Attributes:
        stores_content: Whether inputs, outputs and error texts are stored.
        retention_days: Days after its last span that a trace is kept.
        key_prefix: The first characters of its key.
        key_revoked_at: When the key was revoked; None while it is good.
    """

    stores_content: bool
    retention_days: int
    key_prefix: str
    key_revoked_at: datetime | None


@frozen
class A2aSettings:
    """Where a remote agent is.

    Attributes:
        card_url: Its card, or the address below which the card is.
        key_header: The header that carries its key; None: as the card says.
        origins: Origins beside the card's at which it may be called.
    """

    card_url: str
    key_header: str | None
    origins: tuple[str, ...]


@frozen
class Connection:
    """A model endpoint of the workspace's own, a remote agent, or what agents send traces to.

    What is another kind's is None.

    Attributes:
        id: Exact ID.
        name: Name; a model endpoint's model is `connection:NAME`, a remote agent `remote:NAME`.
        kind: `model`, `trace` or `a2a`.
        base_url: The OpenAI-compatible root.
        upstream_model: The model's name at the endpoint.
        model_id: ID of the model that it offers.
        price: Its price.
        has_key: Whether a key is stored for it.
        key_env: The server's environment variable that holds its key, if any.
        trace: What a trace connection takes.
        a2a: Where a remote agent is.
        secret: A trace connection's key, only from the call that made it.
        created_at: When it was made.
    """

    id: str
    name: str
    kind: str
    base_url: str | None
    upstream_model: str | None
    model_id: str | None
    price: Price | None
    has_key: bool
    key_env: str | None
    created_at: datetime
    trace: TraceSettings | None = None
    a2a: A2aSettings | None = None
    secret: str | None = field(default=None, repr=False)

    @property
    def model(self) -> str:
        """The name to pass wherever a model is named."""
        return f"connection:{self.name}"

    @property
    def agent(self) -> str:
        """The name to pass as `agent=`, of a remote agent."""
        return f"remote:{self.name}"
