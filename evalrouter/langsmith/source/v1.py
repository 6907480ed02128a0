"""The first API, over LangSmith's `Client`. It tells the whole history, 100 rows a page."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from langsmith import Client
from langsmith.utils import LangSmithError

from evalrouter.langsmith.errors import SourceError
from evalrouter.langsmith.runs import Malformed, Run, moment, read_v1
from evalrouter.langsmith.source.calls import Answer, Calls
from evalrouter.langsmith.source.interface import Project, Window, project_of
from evalrouter.langsmith.source.paging import cursor_of, page_of, pages
from evalrouter.retry import parse_retry_after

PAGE = 100
"""Rows a page: more is refused."""

FIELDS = (
    *("id", "trace_id", "parent_run_id", "session_id", "run_type", "start_time", "end_time", "status"),
    *("prompt_tokens", "completion_tokens", "total_tokens", "total_cost"),
)
CONTENT_FIELDS = ("name", "inputs", "outputs", "error", "tags", "events", "extra")


class V1Source:
    """A service that is read over its first API.

    Args:
        client: LangSmith's client, without retries of its own.
        calls: Makes the calls.
    """

    version = "v1"

    def __init__(self, client: Client, calls: Calls) -> None:
        self._client = client
        self._calls = calls

    def info(self) -> Answer:
        """What the service says of itself."""
        return self._call("GET", "/info")

    def projects(self) -> Iterator[Project]:
        """The workspace's projects."""

        def fetch(cursor: str | None) -> tuple[list[Any], str | None]:
            offset = int(cursor or 0)
            found = self._call("GET", "/sessions", {"limit": PAGE, "offset": offset}).document
            if not isinstance(found, list):
                raise SourceError("The answer to /sessions is not a list: another program answers there.")
            return found, str(offset + len(found)) if len(found) >= PAGE else None

        for page in pages("the projects", fetch):
            yield from map(project_of, page)

    def roots(self, project_id: str, window: Window) -> Iterator[Run | Malformed]:
        """The roots that start within a window."""
        query = {
            "is_root": True,
            "start_time": moment(window.start_ns),
            "filter": f'and(gte(start_time, "{moment(window.start_ns)}"), lt(start_time, "{moment(window.end_ns)}"))',
            "select": list(FIELDS),
        }
        return self._query(project_id, query, with_content=False)

    def runs(self, project_id: str, trace_id: str, *, with_content: bool) -> Iterator[Run | Malformed]:
        """The runs of a trace."""
        fields = [*FIELDS, *(CONTENT_FIELDS if with_content else ())]
        return self._query(project_id, {"trace": trace_id, "select": fields}, with_content=with_content)

    def _query(self, project_id: str, query: Mapping[str, Any], *, with_content: bool) -> Iterator[Run | Malformed]:
        def fetch(cursor: str | None) -> tuple[list[Any], str | None]:
            body = {"session": [project_id], "limit": PAGE, **query} | ({"cursor": cursor} if cursor else {})
            document = self._call("POST", "/runs/query", body).document
            rows = page_of(document, "runs", "/runs/query")
            cursors = document.get("cursors")
            return rows, cursor_of(cursors.get("next")) if isinstance(cursors, dict) else None

        for page in pages("runs", fetch):
            for row in page:
                yield read_v1(row, project_id, with_content=with_content)

    def _call(self, method: Literal["GET", "POST"], path: str, values: Mapping[str, Any] | None = None) -> Answer:
        request: dict[str, Any] = {}
        if method == "GET":
            request["params"] = dict(values or {})
        else:
            request["data"] = json.dumps(values).encode()

        def call() -> Answer:
            response = self._client.request_with_retries(
                method, path, request_kwargs=request, to_ignore=(LangSmithError,)
            )
            headers = response.headers
            return Answer(
                response.status_code,
                response.json() if response.ok else None,
                parse_retry_after(headers.get("Retry-After")),
                headers.get("Date"),
            )

        return self._calls.make(path, call)
