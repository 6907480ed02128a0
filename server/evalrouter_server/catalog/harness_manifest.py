"""The model of a benchmark that another harness runs: which of its tasks, with which data and what bounds."""

import json
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from evalrouter_server.catalog.manifest import Limits
from evalrouter_server.catalog.origins import Frozen, Sha256, Source
from evalrouter_server.ids import derived_id

type Runner = Literal["inspect", "lm-eval"]
type RepositoryName = Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$")]
type FolderName = Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9_.-]*$")]


class SplitData(Frozen):
    """One split of a data set that the task loads by its name on the Hugging Face hub, from elsewhere.

    Attributes:
        repository: The name that the task loads.
        config: The configuration that the task asks for; `default` where it asks for none.
        split: The split.
        sources: Where the same rows can be had, in the order in which they are tried.
    """

    repository: RepositoryName
    config: FolderName = "default"
    split: FolderName
    sources: tuple[Source, ...] = Field(min_length=1)


class HarnessManifest(Frozen):
    """A version of a benchmark that is a task of another harness, run by that harness unmodified.

    Attributes:
        runner: The harness.
        task: The task's name there.
        arguments: The task's arguments, for Inspect.
        filter: Which of lm-eval's filters the score is taken from; None: the task's first.
        version: The version of the package that has the task.
        default: Whether the bare slug means this version.
        known: Whether it is one of those that this package lists as working; the rest is at the user's risk.
        name: Its display name.
        description: What it measures.
        licence: The data's licence, as an SPDX identifier where there is one.
        citation: What to cite.
        homepage: Where the authors present it.
        item_count: How many samples the task has.
        content_digest: sha256 over what the task asks and expects.
        groups: Its groups, in the order in which they are shown.
        data: The data that the task loads, where it can be had elsewhere than from the hub.
        limits: What bounds each task.
        metric: The headline metric.
        attempts: How often each sample is tried where a run does not say.
    """

    runner: Runner
    task: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9_./-]*$", max_length=120)]
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    filter: str | None = None
    version: str
    default: bool = True
    known: bool = True
    name: str
    description: str
    licence: str
    citation: str
    homepage: str | None = None
    item_count: int = Field(ge=1)
    content_digest: Sha256
    groups: tuple[str, ...] = ()
    data: tuple[SplitData, ...] = ()
    limits: Limits
    metric: Literal["accuracy", "mean_score"] = "accuracy"
    attempts: int = Field(default=1, ge=1, le=100)

    @property
    def slug(self) -> str:
        """The task's full name: `lm-eval/gsm8k_cot`, `inspect/inspect_evals/gsm8k,fewshot=0`."""
        arguments = "".join(f",{name}={json.dumps(value)}" for name, value in sorted(self.arguments.items()))
        return f"{self.runner}/{self.task}{arguments}"

    @property
    def id(self) -> str:
        """The version's ID."""
        return derived_id("bench", self.slug, self.version)

    @property
    def reference(self) -> str:
        """`slug@version`."""
        return f"{self.slug}@{self.version}"

    def all_sources(self) -> tuple[Source, ...]:
        """Where its data can be had."""
        return self.sources

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where its data can be had."""
        return tuple(source for split in self.data for source in split.sources)
