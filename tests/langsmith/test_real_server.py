"""The import and the real server agree: seals, late children, changed runs, content."""

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.langsmith.history import History, uuid_of
from tests.langsmith.importing import Setting
from tests.langsmith.langsmith_service import LangSmithService
from tests.server.conftest import Workspace
from tests.traces.conftest import database, database_kind, database_url, sender, service, templates, workspace
from tests.traces.sender import Sender

__all__ = ["database", "database_kind", "database_url", "sender", "service", "templates", "workspace"]


@pytest.fixture
def real(langsmith: LangSmithService, workspace: Workspace, sender: Sender, tmp_path: Path) -> Setting:
    """LangSmith's double and a real server."""
    return Setting(
        langsmith,
        workspace.service.endpoint.base_url,
        tmp_path / "private",
        workspace.id,
        sender.id,
        sender.secret,
        StringIO(),
    )


@pytest.mark.parametrize("langsmith", ["v2"], indirect=True)
def test_what_is_imported_is_sealed_and_shown_as_observed(
    real: Setting, langsmith: LangSmithService, workspace: Workspace
) -> None:
    history = History(langsmith)
    first = history.trace("first", children=6)
    history.trace("second", error="no such tool")

    def listed() -> dict[str, Any]:
        traces = workspace.client.get("/v1/traces").json()["items"]
        return {trace["source_trace_id"]: trace for trace in traces}

    with real.importer("content") as importer:
        importer.cycle(look_at_all=True)
        assert importer.counts.imported == 2
        traces = listed()
        assert {trace["status"] for trace in traces.values()} == {"ok", "error"}
        for trace in traces.values():
            assert (trace["complete"], trace["coverage"], trace["origins"]) == (True, "observed", ["langsmith"])
        trace = traces[first.replace("-", "")]
        spans = workspace.client.get(f"/v1/traces/{trace['id']}/spans").json()["items"]
        assert [span["depth"] for span in spans].count(0) == 1
        assert len(spans) == 7
        assert not any(span["parent_missing"] for span in spans)
        assert spans[0]["output"]["answer"] == 0
        history.late_child(first)
        langsmith.put({"id": uuid_of(first, 1), "status": "error"})
        langsmith.clock_ahead = timedelta(minutes=16)
        importer.cycle(look_at_all=True)
        counts = importer.counts
        assert (counts.late_spans, counts.changed_spans, counts.refused) == (1, 1, 0)
    trace = listed()[first.replace("-", "")]
    assert (trace["complete"], trace["span_count"]) == (True, 8)
