"""The manifest of a benchmark of one's own, a subset of the catalog's, and the catalog's manifest that it becomes."""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from evalrouter_server.catalog.manifest import Limits, Manifest, Protocol, Slug
from evalrouter_server.catalog.origins import Commit, Frozen, HubSource, Sha256, SourceFile, TraceSource, UploadSource
from evalrouter_server.catalog.rows import RowMapping, Value
from evalrouter_server.grading import CodeGrader, CustomGrader, GraderSpec, JudgeGrader, LimitGrader, RepositoryGrader
from evalrouter_server.grading.plain_template import check_template
from evalrouter_server.problems import Problem

LARGEST_VERSION = 1_000_000
LARGEST_ATTEMPTS = 100
MOST_TRACES = 5_000

TRACE_ROWS = {"inputs": {"input": "input"}, "target": "target"}
TRACE_PROTOCOL = {"user": "{input}", "description": "What the agent was asked, as it was captured."}

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}
"""The formats of rows by the ending of a file's name."""

type Format = Literal["jsonl", "csv", "parquet"]
type ShortText = Annotated[str, Field(min_length=1, max_length=200)]
type LongText = Annotated[str, Field(max_length=20_000)]
type Path = Annotated[str, Field(min_length=1, max_length=500)]


class FileSource(Frozen):
    """A file that the client uploads.

    Attributes:
        path: Its path beside the manifest; only its name is kept.
        format: What it holds; None: by the ending of its name.
    """

    kind: Literal["file"]
    path: Path
    format: Format | None = None


class HubFile(Frozen):
    """A file of a dataset hub's repository at a commit, which the server fetches.

    Attributes:
        repository: `owner/name` on the Hugging Face hub.
        commit: The full commit.
        path: The file's path in it.
        sha256: The digest of its bytes.
        format: What it holds; None: by the ending of its name.
    """

    kind: Literal["hub"]
    commit: Commit
    sha256: Sha256
    repository: Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}$")]
    path: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)*$", max_length=500)]
    format: Format | None = None

    def as_source(self, format: Format) -> HubSource:
        """The catalog's form of it."""
        file = SourceFile(path=self.path, sha256=self.sha256)
        return HubSource(kind="hub", repository=self.repository, commit=self.commit, files=(file,), format=format)


UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What no database keeps as text: NUL and halves of surrogate pairs."""


def _storable(text: str) -> str:
    if UNSTORABLE.search(text):
        raise ValueError("the text holds NUL or half of a surrogate pair, which is no text")
    return text


type Pointer = Annotated[str, Field(pattern=r"^(/([^~/]|~[01])*)*$", max_length=500)]
type TraceId = Annotated[str, Field(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
type AnswerText = Annotated[LongText, AfterValidator(_storable)]
type Answer = AnswerText | Annotated[tuple[AnswerText, ...], Field(min_length=1, max_length=100)]


class TracesGiven(Frozen):
    """Traces of the workspace, each of which becomes a row with the answer that was recorded.

    Attributes:
        ids: The traces, by the server's IDs.
        input: Where in a root's input the question stands, as a JSON pointer; empty: all of it.
        output: Where in a root's output the answer stands, as a JSON pointer; empty: all of it.
        target: What a grader compares every answer with, one accepted answer or several; None: nothing.
        targets: What it compares the answers of some traces with, by trace.
    """

    kind: Literal["traces"]
    ids: Annotated[tuple[TraceId, ...], Field(min_length=1, max_length=MOST_TRACES)]
    input: Pointer = ""
    output: Pointer = ""
    target: Answer | None = None
    targets: dict[str, Answer] = Field(default_factory=dict)

    @property
    def format(self) -> Format:
        """The form of the rows that are made of them."""
        return "jsonl"

    def target_of(self, trace_id: str) -> Answer | None:
        """What the answer of a trace is compared with."""
        return self.targets.get(trace_id, self.target)

    @model_validator(mode="after")
    def _names_agree(self) -> Self:
        if len(set(self.ids)) != len(self.ids):
            raise ValueError("source.ids names a trace twice")
        if unknown := next((each for each in self.targets if each not in self.ids), None):
            raise ValueError(f"source.targets has {unknown!r}, which is none of source.ids")
        return self


class OwnProtocol(Protocol):
    """How an item becomes a prompt; the description may be left out, and there are no examples yet."""

    description: LongText = "The author's own protocol."
    examples: None = None


class OwnRows(RowMapping):
    """How a row becomes an item: columns hold texts, numbers and lists of them, and no regular expression is run."""

    @property
    def values(self) -> dict[str, Value]:
        """Every value that is made of a row, by where the manifest has it."""
        group = {} if self.group is None else {"group": self.group}
        inputs = {f"inputs.{name}": value for name, value in self.inputs.items()}
        more = {f"target_more.{name}": value for name, value in self.target_more.items()}
        target = {} if self.target is None else {"target": self.target}
        return {**inputs, **target, **more, **group}

    @model_validator(mode="after")
    def _columns_only(self) -> Self:
        for place, value in self.values.items():
            if value.pattern is not None:
                raise ValueError(f"rows.{place} has a pattern, which only benchmarks of the catalog may have")
            if not columns_of(value) or any("." in column for column in columns_of(value)):
                raise ValueError(f"rows.{place} must name a column, without a dot in its name")
        return self


def columns_of(value: Value) -> list[str]:
    """The columns that a value is made of."""
    return [column for column in (value.field, *value.fields, value.position_in) if column is not None]


def _version_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Definition(Frozen):
    """The manifest of a benchmark of one's own, as its author writes it.

    Attributes:
        slug: Its slug, which no benchmark of the catalog may have.
        version: The version; None: the one with this content, else the next.
        name: Its display name; None: the slug.
        description: What it measures.
        licence: The data's licence.
        citation: What to cite.
        homepage: A page about it.
        source: Where the rows are.
        rows: How a row becomes an item.
        protocol: How an item becomes a prompt.
        grader: How an answer is graded.
        limits: What bounds each task.
        attempts: How often each item is tried where a run does not say.
        metric: The headline metric.
    """

    slug: Slug
    version: Annotated[Annotated[str, Field(pattern="^[1-9][0-9]{0,5}$")] | None, BeforeValidator(_version_text)] = None
    name: ShortText | None = None
    description: LongText = ""
    licence: ShortText = "not stated"
    citation: LongText = ""
    homepage: Annotated[str, Field(pattern="^https?://[^\\s]+$", max_length=500)] | None = None
    source: Annotated[FileSource | HubFile | TracesGiven, Field(discriminator="kind")]
    rows: OwnRows
    protocol: OwnProtocol
    grader: GraderSpec
    limits: Limits = Limits(max_output_tokens=512, task_seconds=300)
    attempts: int = Field(default=1, ge=1, le=LARGEST_ATTEMPTS)
    metric: Literal["accuracy", "mean_score"] = "accuracy"

    @model_validator(mode="before")
    @classmethod
    def _rows_of_traces(cls, given: Any) -> Any:
        """Traces have rows of one form, so that a manifest need not say how they become items."""
        source = given.get("source") if isinstance(given, dict) else None
        if not isinstance(source, dict) or source.get("kind") != "traces":
            return given
        if "rows" in given and OwnRows.model_validate(given["rows"]) != OwnRows.model_validate(TRACE_ROWS):
            raise ValueError("rows must be left out where the source is traces")
        return {"protocol": TRACE_PROTOCOL, "rows": TRACE_ROWS, **given}

    @model_validator(mode="after")
    def _templates_are_plain(self) -> Self:
        check_template(self.protocol.user, self.rows.inputs)
        check_template(self.protocol.system or "", self.rows.inputs)
        check_template(self.protocol.list_line, ("letter", "number", "text"))
        if isinstance(self.grader, CodeGrader):
            check_template(self.grader.call or "", (self.rows.target_name, *self.rows.target_more))
        return self

    @model_validator(mode="after")
    def _has_no_repositories(self) -> Self:
        if isinstance(self.grader, RepositoryGrader):
            raise ValueError("grader.kind repository is for benchmarks of the catalog: a column cannot hold files")
        return self

    @model_validator(mode="after")
    def _has_a_target(self) -> Self:
        if isinstance(self.grader, JudgeGrader | CustomGrader | LimitGrader):
            return self
        if isinstance(self.source, TracesGiven):
            if lacking := next((each for each in self.source.ids if self.source.target_of(each) is None), None):
                raise ValueError(
                    f"the trace {lacking} has no target, which a {self.grader.kind} grader compares with: state"
                    " source.target or source.targets"
                )
        elif self.rows.target is None:
            raise ValueError(f"rows.target is missing: a {self.grader.kind} grader compares with it")
        return self

    @property
    def format(self) -> Format:
        """What the file holds.

        Raises:
            Problem: `invalid_request`: its name does not say.
        """
        if not isinstance(self.source, FileSource | HubFile):
            return self.source.format
        if self.source.format is not None:
            return self.source.format
        ending = next((known for known in FORMATS if self.source.path.lower().endswith(known)), None)
        if ending is None:
            name = self.source.path.replace("\\", "/").rpartition("/")[2]
            raise Problem(
                "invalid_request",
                f"{name!r} ends in none of {', '.join(FORMATS)}: name a file of JSON lines, CSV or Parquet, or state"
                " source.format.",
                fields=[{"field": "manifest.source.path", "message": "the name does not say the format"}],
            )
        return FORMATS[ending]  # type: ignore[return-value]

    def digest(self, content_digest: str) -> str:
        """The sha256 of all that a version fixes: the manifest without version and source, and the rows.

        Args:
            content_digest: The sha256 over the normalised rows.
        """
        fixed = self.model_dump(mode="json", exclude={"version", "source"}, exclude_defaults=True)
        text = json.dumps([fixed, self.grader.kind, content_digest], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


class OwnManifest(Manifest):
    """A version of a workspace's own benchmark.

    Attributes:
        row_id: Its ID, which says nothing of its slug: two workspaces may use one slug.
        workspace_id: The only workspace that sees it.
        archived: Whether it is archived.
    """

    row_id: str
    workspace_id: str
    archived: bool

    @property
    def id(self) -> str:
        """The version's ID."""
        return self.row_id

    @property
    def has_answers(self) -> bool:
        """Whether its items came with answers, which can be graded as they are."""
        return any(isinstance(source, TraceSource) for source in self.sources)


def read_definition(document: dict[str, Any]) -> Definition:
    """Read a manifest.

    Raises:
        Problem: `invalid_request`, with each field that is not valid.
    """
    try:
        return Definition.model_validate(document)
    except ValidationError as error:
        fields = [
            {
                "field": ".".join(["manifest", *map(str, each["loc"])]),
                "message": each["msg"].removeprefix("Value error, "),
            }
            for each in error.errors(include_url=False, include_input=False)
        ]
    listed = "; ".join(f"{each['field']}: {each['message']}" for each in fields[:5])
    raise Problem("invalid_request", f"The manifest is not valid: {listed}.", fields=fields[:50])


def own_manifest(
    definition: Definition,
    *,
    row_id: str,
    workspace_id: str,
    version: int,
    default: bool,
    archived: bool,
    item_count: int,
    content_digest: str,
    groups: Sequence[str],
    source_sha256: str,
) -> OwnManifest:
    """The catalog's form of a version, which is what runs use.

    Args:
        definition: The manifest as its author wrote it.
        row_id: The version's ID.
        workspace_id: Whose it is.
        version: Its version.
        default: Whether the bare slug means it.
        archived: Whether it is archived.
        item_count: How many items it has.
        content_digest: The sha256 over its normalised rows.
        groups: Its groups.
        source_sha256: The digest of the file that the rows came from.
    """
    source = definition.source
    if isinstance(source, FileSource):
        name = source.path.replace("\\", "/").rpartition("/")[2]
        uploaded = SourceFile(path=name, sha256=source_sha256)
        kept: UploadSource | HubSource | TraceSource = UploadSource(
            kind="file", files=(uploaded,), format=definition.format
        )
    elif isinstance(source, TracesGiven):
        kept = TraceSource(kind="traces", files=(SourceFile(path="traces", sha256=source_sha256),))
    else:
        kept = source.as_source(definition.format)
    return OwnManifest(
        row_id=row_id,
        workspace_id=workspace_id,
        archived=archived,
        slug=definition.slug,
        version=str(version),
        default=default,
        name=definition.name or definition.slug,
        description=definition.description,
        licence=definition.licence,
        citation=definition.citation,
        homepage=definition.homepage,
        item_count=item_count,
        content_digest=content_digest,
        groups=tuple(groups),
        rows=definition.rows,
        sources=(kept,),
        protocol=definition.protocol,
        grader=definition.grader,
        limits=definition.limits,
        attempts=definition.attempts,
        metric=definition.metric,
    )
