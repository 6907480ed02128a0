"""The model of a benchmark's manifest, a reviewed YAML file."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from evalrouter_server.catalog.origins import Frozen, Sha256, Source
from evalrouter_server.catalog.rows import Columns, RowMapping
from evalrouter_server.grading import GraderSpec
from evalrouter_server.ids import derived_id

type Slug = Annotated[str, Field(pattern="^[a-z0-9]+([-_][a-z0-9]+)*$", max_length=64)]


class FirstExamples(Frozen):
    """The first examples, of the item's own group where the examples have groups.

    Attributes:
        count: How many.
    """

    kind: Literal["first"]
    count: int = Field(ge=1)


class ListedExamples(Frozen):
    """The same examples for every item.

    Attributes:
        rows: Their places, from 0, in the order in which they are shown.
    """

    kind: Literal["listed"]
    rows: tuple[int, ...] = Field(min_length=1)


class DrawnExamples(Frozen):
    """Other examples for every item, as lm-eval's default sampler draws them.

    One generator of Python's `random` goes through the items in the benchmark's order and draws without replacement.

    Attributes:
        count: How many for each item.
        seed: The generator's seed.
    """

    kind: Literal["drawn"]
    count: int = Field(ge=1)
    seed: int


type Selection = Annotated[FirstExamples | ListedExamples | DrawnExamples, Field(discriminator="kind")]


class Examples(Frozen):
    """Worked examples, or other words of the authors, that a prompt shows before an item; data of their own.

    Attributes:
        sources: Where they can be had, in the order in which they are tried.
        row_count: How many rows they are in all.
        content_digest: sha256 over their normalised rows; None where one source's own digest says it all.
        rows: How a source's row becomes an example's inputs.
        select: Which of them an item is shown.
    """

    sources: tuple[Source, ...] = Field(min_length=1)
    row_count: int = Field(ge=1)
    content_digest: Sha256 | None = None
    rows: Columns
    select: Selection

    @model_validator(mode="after")
    def _can_be_verified(self) -> Self:
        if self.content_digest is None and len(self.sources) > 1:
            raise ValueError("examples with several sources need a content digest")
        return self


class ExampleText(Frozen):
    """Examples as text: they stand where a template says `{examples}`.

    Attributes:
        text: The template of one, with its inputs in braces.
        separator: What stands between two.
    """

    form: Literal["text"]
    text: str
    separator: str = "\n\n"


class ExampleTurns(Frozen):
    """Examples as turns of a conversation that come before the item's own.

    Attributes:
        user: The template of the user's message, with the example's inputs in braces.
        assistant: The template of the assistant's.
    """

    form: Literal["turns"]
    user: str
    assistant: str


class Protocol(Frozen):
    """How an item becomes a prompt.

    Attributes:
        description: The protocol in a few words.
        system: The system message; None: none.
        user: The user message's template, with the item's inputs in braces.
        list_line: How an element of an input that is a list is written, with its `letter`, `number` and `text`.
        examples: How examples are written, where the benchmark has any.
        stop: Texts at which the model is asked to stop.
        temperature: The sampling temperature; 0 is greedy.
        reasoning_effort: What to ask of a model that reasons before it answers; None: its own default.
    """

    description: str
    system: str | None = None
    user: str
    list_line: str = "{letter}. {text}"
    examples: Annotated[ExampleText | ExampleTurns, Field(discriminator="form")] | None = None
    stop: tuple[str, ...] = Field(default=(), max_length=4)
    temperature: float = Field(default=0.0, ge=0, le=2)
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None


class Limits(Frozen):
    """What bounds each task.

    Attributes:
        max_output_tokens: Output tokens of each call.
        task_seconds: Seconds for a task, its retries included.
    """

    max_output_tokens: int = Field(ge=1)
    task_seconds: float = Field(gt=0)


class Manifest(Frozen):
    """A version of a benchmark.

    Attributes:
        slug: Its slug.
        version: Its version; results of different versions are never compared.
        default: Whether the bare slug means this version.
        name: Its display name.
        description: What it measures.
        licence: The data's licence, as an SPDX identifier where there is one.
        citation: What to cite.
        homepage: Where the authors present it.
        item_count: How many items it has.
        content_digest: sha256 over the normalised rows; every source must produce it.
        groups: Its groups, in the order in which they are shown.
        rows: How a source's row becomes an item.
        sources: Where the rows can be had, in the order in which they are tried.
        examples: What a prompt shows before an item; None: nothing.
        protocol: How an item becomes a prompt.
        grader: How an answer is graded.
        limits: What bounds each task.
        attempts: How often each item is tried where a run does not say.
        metric: The headline metric.
    """

    slug: Slug
    version: Annotated[str, Field(pattern="^[1-9][0-9]*$")]
    default: bool
    name: str
    description: str
    licence: str
    citation: str
    homepage: str | None = None
    item_count: int = Field(ge=1)
    content_digest: Sha256
    groups: tuple[str, ...] = ()
    rows: RowMapping
    sources: tuple[Source, ...] = Field(min_length=1)
    examples: Examples | None = None
    protocol: Protocol
    grader: GraderSpec
    limits: Limits
    attempts: int = Field(default=1, ge=1, le=100)
    metric: Literal["accuracy", "mean_score"] = "accuracy"

    @property
    def id(self) -> str:
        """The version's ID."""
        return derived_id("bench", self.slug, self.version)

    @property
    def reference(self) -> str:
        """`slug@version`."""
        return f"{self.slug}@{self.version}"

    def all_sources(self) -> tuple[Source, ...]:
        """The sources of the rows and those of the examples."""
        return self.sources + (() if self.examples is None else self.examples.sources)

    @model_validator(mode="after")
    def _groups_agree(self) -> Self:
        for source in self.sources:
            if bool(self.groups) != (self.rows.group is not None or source.has_groups):
                raise ValueError(f"{self.reference} must name its groups and the field that holds them, or neither")
        if (self.examples is None) != (self.protocol.examples is None):
            raise ValueError(f"{self.reference} must say where its examples are and how they are written, or neither")
        return self
