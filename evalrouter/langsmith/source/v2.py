"""The second API, over LangSmith's `Langsmith` client.

What it leaves out is taken for granted nowhere: without `min_start_time` it tells the last 24 hours only, without
`selects` only IDs, and its order is no order.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from langsmith import APIStatusError, Langsmith

from evalrouter.langsmith.runs import Malformed, Run, moment, read_v2
from evalrouter.langsmith.source.calls import Answer, Calls
from evalrouter.langsmith.source.interface import Project, Window, project_of
from evalrouter.langsmith.source.paging import cursor_of, page_of, pages
from evalrouter.retry import parse_retry_after

SESSIONS, RUNS = "/api/v2/sessions", "/api/v2/runs/query"
PAGE = 1000
CONTENT_PAGE = 100
"""Rows a page where they carry content, so that a page fits into memory."""

FIELDS = (
    *("ID", "TRACE_ID", "PARENT_RUN_IDS", "PROJECT_ID", "RUN_TYPE", "START_TIME", "END_TIME", "STATUS"),
    *("PROMPT_TOKENS", "COMPLETION_TOKENS", "TOTAL_TOKENS", "TOTAL_COST"),
    *("PROMPT_TOKEN_DETAILS", "COMPLETION_TOKEN_DETAILS"),
)
CONTENT_FIELDS = ("NAME", "INPUTS", "OUTPUTS", "ERROR", "TAGS", "EVENTS", "EXTRA", "METADATA")
EVER = moment(0), "9999-01-01T00:00:00+00:00"
"""All of time: the runs of a trace may start at any."""


class V2Source:
    """A service that is read over its second API.

    Args:
        client: LangSmith's client, without retries of its own.
        calls: Makes the calls.
    """

    version = "v2"

    def __init__(self, client: Langsmith, calls: Calls) -> None:
        self._client = client
        self._calls = calls

    def projects(self) -> Iterator[Project]:
        """The workspace's projects."""

        def get(cursor: str | None) -> Any:
            params = {"page_size": 100} | ({"cursor": cursor} if cursor else {})
            return self._client.get(SESSIONS, cast_to=object, options={"params": params})

        for row in self._rows(SESSIONS, get):
            yield project_of(row)

    def roots(self, project_id: str, window: Window) -> Iterator[Run | Malformed]:
        """The roots that start within a window."""
        query = {
            "is_root": True,
            "min_start_time": moment(window.start_ns),
            "max_start_time": moment(window.end_ns),
            "page_size": PAGE,
            "selects": list(FIELDS),
        }
        return self._query(project_id, query, with_content=False)

    def runs(self, project_id: str, trace_id: str, *, with_content: bool) -> Iterator[Run | Malformed]:
        """The runs of a trace."""
        query = {
            "trace_id": trace_id,
            "min_start_time": EVER[0],
            "max_start_time": EVER[1],
            "page_size": CONTENT_PAGE if with_content else PAGE,
            "selects": [*FIELDS, *(CONTENT_FIELDS if with_content else ())],
        }
        return self._query(project_id, query, with_content=with_content)

    def _query(self, project_id: str, query: Mapping[str, Any], *, with_content: bool) -> Iterator[Run | Malformed]:
        def post(cursor: str | None) -> Any:
            body = {"project_ids": [project_id], **query} | ({"cursor": cursor} if cursor else {})
            return self._client.post(RUNS, cast_to=object, body=body)

        for row in self._rows(RUNS, post):
            yield read_v2(row, project_id, with_content=with_content)

    def _rows(self, path: str, call: Callable[[str | None], Any]) -> Iterator[Any]:
        def fetch(cursor: str | None) -> tuple[list[Any], str | None]:
            document = self._calls.make(path, lambda: _answer(call, cursor)).document
            return page_of(document, "items", path), cursor_of(document.get("next_cursor"))

        for page in pages(path, fetch):
            yield from page


def _answer(call: Callable[[str | None], Any], cursor: str | None) -> Answer:
    try:
        return Answer(200, call(cursor))
    except APIStatusError as error:
        return Answer(error.status_code, retry_after=parse_retry_after(error.response.headers.get("retry-after")))
