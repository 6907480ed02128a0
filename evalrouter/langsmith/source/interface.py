"""What is read from LangSmith, whichever of its APIs it comes over."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Protocol

from attrs import frozen

from evalrouter.langsmith.errors import SourceError
from evalrouter.langsmith.runs import Malformed, Run, nanoseconds


@frozen
class Project:
    """A project.

    Attributes:
        project_id: A UUID.
        name: Its name.
        started_at: When it was made, as LangSmith writes it; empty where it does not say.
    """

    project_id: str
    name: str
    started_at: str


@frozen
class Window:
    """A stretch of time.

    Attributes:
        start_ns: Nanoseconds since 1970.
        end_ns: Nanoseconds since 1970.
    """

    start_ns: int
    end_ns: int


class Source(Protocol):
    """A LangSmith service. Every call may raise `SourceError` and what derives from it."""

    @property
    def version(self) -> str:
        """Which of its APIs is read."""
        ...

    def projects(self) -> Iterator[Project]:
        """The workspace's projects."""
        ...

    def roots(self, project_id: str, window: Window) -> Iterator[Run | Malformed]:
        """The roots that start within a window, without content, in any order; one may come twice."""
        ...

    def runs(self, project_id: str, trace_id: str, *, with_content: bool) -> Iterator[Run | Malformed]:
        """The runs of a trace, in any order; one may come twice."""
        ...


def project_of(row: Any) -> Project:
    """A project's row.

    Raises:
        SourceError: It is none.
    """
    fields = row if isinstance(row, dict) else {}
    project_id, name = fields.get("id"), fields.get("name")
    if not isinstance(project_id, str):
        raise SourceError("A row of the projects has no id: another program, or another version, answers there.")
    started = fields.get("start_time")
    return Project(project_id, name if isinstance(name, str) else "", started if isinstance(started, str) else "")


def started_ns(project: Project) -> int:
    """When a project was made, in nanoseconds since 1970; 0 where LangSmith does not say."""
    try:
        return max(0, nanoseconds(datetime.fromisoformat(project.started_at)))
    except (ValueError, OverflowError):
        return 0
