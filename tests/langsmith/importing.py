"""Imports as a user runs them, with short pauses."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

from attrs import define, field

from evalrouter.langsmith.checkpoint import binding_of
from evalrouter.langsmith.command import main
from evalrouter.langsmith.courier import Courier
from evalrouter.langsmith.importer import Importer, Options
from evalrouter.langsmith.mapping import Policy
from evalrouter.langsmith.outbox import Outbox
from evalrouter.langsmith.settings import find_source
from evalrouter.langsmith.source.service import Service
from evalrouter.langsmith.stopping import Stop
from evalrouter.langsmith.store import Store
from evalrouter.langsmith.telling import Counts, Log
from evalrouter.tracing.destination import find_destination
from tests.langsmith.langsmith_service import KEY, LangSmithService

DESTINATION_KEY = "er_tr_destinationcanary"
PAUSE = 0.01


class HastyStop(Stop):
    """Waits no longer than a moment."""

    def sleep(self, seconds: float) -> None:
        super().sleep(min(seconds, PAUSE))


@define
class Setting:
    """Where an import reads, writes and sends.

    Attributes:
        service: LangSmith's double.
        destination_url: The trace connection's server.
        folder: Where the files are.
        log: The log lines of imports in this process.
    """

    service: LangSmithService
    destination_url: str
    folder: Path
    workspace_id: str = "ws_1"
    connection_id: str = "conn_1"
    key: str = DESTINATION_KEY
    log: StringIO = field(factory=StringIO)

    @property
    def state(self) -> Path:
        return self.folder / "state.json"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LANGSMITH_API_KEY": KEY,
            "LANGSMITH_ENDPOINT": self.service.url,
            "EVALROUTER_BASE_URL": self.destination_url,
            "EVALROUTER_WORKSPACE_ID": self.workspace_id,
            "EVALROUTER_TRACE_CONNECTION_ID": self.connection_id,
            "EVALROUTER_TRACE_KEY": self.key,
        }

    def sync(self, *arguments: str) -> int:
        """Runs `sync` in this process."""
        given = ["sync", "--project", self.service.project(), "--state", str(self.state), *arguments]
        return main(given, self.environment, pause=PAUSE)

    @contextmanager
    def importer(self, policy: Policy = "metadata-only", answer_seconds: float = 10.0) -> Iterator[Importer]:
        """An import between two cycles."""
        source, destination = find_source(self.environment), find_destination(self.environment)
        project_id = self.service.project()
        counts, log, stop = Counts(), Log(True, self.log), HastyStop()
        with Store(self.state, binding_of(source.api_url, project_id, destination, policy), None) as store:
            outbox = Outbox(store, Courier(destination, stop, answer_seconds), counts, log)
            service = Service(source, stop)
            yield Importer(service, store, outbox, Options(project_id, policy, PAUSE), counts, log, stop)

    def events(self, name: str) -> list[dict[str, Any]]:
        """The log lines of an event."""
        rows = [json.loads(line) for line in self.log.getvalue().splitlines()]
        return [row for row in rows if row["event"] == name]
