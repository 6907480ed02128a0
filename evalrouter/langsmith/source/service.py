"""Which of LangSmith's two APIs is read: the second where the service and the installed client have it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from evalrouter.errors import ConfigurationError
from evalrouter.langsmith.errors import MissingInterfaceError
from evalrouter.langsmith.runs import Malformed, Run, nanoseconds
from evalrouter.langsmith.settings import SourceSettings
from evalrouter.langsmith.source.calls import Calls
from evalrouter.langsmith.source.interface import Project, Source, Window
from evalrouter.langsmith.stopping import Stop

FIRST_WITH_V2 = (0, 16)
CONNECT_SECONDS, READ_SECONDS = 10, 120


class Service:
    """A LangSmith service, over the newest API that works.

    Args:
        settings: Where it is.
        stop: Ends pauses and breaks off calls.

    Raises:
        ConfigurationError: LangSmith's client is not installed.
    """

    def __init__(self, settings: SourceSettings, stop: Stop) -> None:
        try:
            from evalrouter.langsmith.source import v1
        except ImportError as error:
            raise ConfigurationError(
                "evalrouter.langsmith needs LangSmith's client: install the extra, such as with pip install "
                "'evalrouter-sdk[langsmith]' from where you have this package."
            ) from error
        self._settings = settings
        self._calls = Calls(settings.api_url, stop)
        self._old = v1.V1Source(_old_client(settings), self._calls)
        self._new = self._newer()
        self._chosen: Source | None = None

    @property
    def version(self) -> str:
        """Which of its APIs is read."""
        return self._source().version

    def now_ns(self) -> int:
        """The service's own time, so that a clock here that is wrong does no harm; nanoseconds since 1970."""
        date = self._old.info().date
        try:
            return nanoseconds(parsedate_to_datetime(date)) if date else nanoseconds(datetime.now(UTC))
        except ValueError:
            return nanoseconds(datetime.now(UTC))

    def projects(self) -> Iterator[Project]:
        """The workspace's projects."""
        return self._source().projects()

    def roots(self, project_id: str, window: Window) -> Iterator[Run | Malformed]:
        """The roots that start within a window."""
        return self._source().roots(project_id, window)

    def runs(self, project_id: str, trace_id: str, *, with_content: bool) -> Iterator[Run | Malformed]:
        """The runs of a trace."""
        return self._source().runs(project_id, trace_id, with_content=with_content)

    def _source(self) -> Source:
        if self._chosen is None:
            self._chosen = self._choose()
        return self._chosen

    def _choose(self) -> Source:
        if self._new is None or _is_older(self._old.info().document):
            return self._old
        try:
            next(iter(self._new.projects()), None)
        except MissingInterfaceError:
            return self._old
        return self._new

    def _newer(self) -> Source | None:
        try:
            from langsmith import Langsmith

            from evalrouter.langsmith.source import v2
        except ImportError:  # clients before 0.14 have no second API
            return None
        settings = self._settings
        client = Langsmith(
            api_key=settings.api_key,
            tenant_id=settings.workspace_id,
            base_url=settings.base_url,
            max_retries=0,
            timeout=READ_SECONDS,
        )
        return v2.V2Source(client, self._calls)


def _old_client(settings: SourceSettings) -> Any:
    from langsmith import Client
    from urllib3.util import Retry

    client = Client(
        api_url=settings.api_url,
        api_key=settings.api_key,
        retry_config=Retry(0),
        timeout_ms=(CONNECT_SECONDS * 1000, READ_SECONDS * 1000),
        auto_batch_tracing=False,
    )
    if settings.workspace_id:
        client.session.headers["X-Tenant-Id"] = settings.workspace_id
    return client


def _is_older(info: Any) -> bool:
    """Whether the service says that it is of a version without the second API."""
    version = info.get("version") if isinstance(info, dict) else None
    found = re.match(r"v?(\d+)\.(\d+)", version) if isinstance(version, str) else None
    return found is not None and (int(found[1]), int(found[2])) < FIRST_WITH_V2
