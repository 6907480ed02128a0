"""An import from first to last, over each API."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from evalrouter.langsmith.mapping import span_id_of
from tests.langsmith.history import History, uuid_of
from tests.langsmith.holding import Holding
from tests.langsmith.importing import Setting
from tests.langsmith.langsmith_service import Asked, LangSmithService


def ours(trace_id: str) -> str:
    return uuid.UUID(trace_id).hex


def span(run_id: str) -> str:
    return span_id_of(uuid.UUID(run_id))


def assert_holds(destination: Holding, langsmith: LangSmithService, *trace_ids: str) -> None:
    """Each trace of the source is held once, whole, as the tree that it is, and sealed; nothing else is."""
    assert set(destination.traces) == set(map(ours, trace_ids))
    for trace_id in trace_ids:
        rows = [row for row in langsmith.runs.values() if row.get("trace_id", row["id"]) == trace_id]
        parents = {span(row["id"]): span(p) if (p := row.get("parent_run_id")) else None for row in rows}
        assert destination.parents(ours(trace_id)) == parents
        assert destination.is_complete(ours(trace_id))
    assert set(destination.inserted.values()) <= {1}


def test_a_project_is_imported_once(
    setting: Setting,
    history: History,
    langsmith: LangSmithService,
    destination: Holding,
    capsys: pytest.CaptureFixture[str],
) -> None:
    traces = [history.trace(number, children=number) for number in range(4)]
    assert setting.sync("--metadata-only", "--json") == 0
    assert_holds(destination, langsmith, *traces)
    counts = json.loads(capsys.readouterr().out)
    assert (counts["imported"], counts["spans"], counts["open"]) == (4, 4 + 6, 0)
    before = len(destination.requests)
    assert setting.sync("--metadata-only", "--json") == 0
    assert len(destination.requests) == before
    assert json.loads(capsys.readouterr().out)["imported"] == 0


def test_a_lost_checkpoint_doubles_nothing(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    traces = [history.trace(number) for number in range(3)]
    assert setting.sync() == 0
    setting.state.unlink()
    assert setting.sync() == 0
    assert_holds(destination, langsmith, *traces)


def test_an_open_trace_is_reported_and_not_waited_for(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    closed, still_open = history.trace("closed"), history.trace("open", closed=False)
    with setting.importer() as importer:
        importer.cycle(look_at_all=True)
        assert importer.counts.open == 1
        assert_holds(destination, langsmith, closed)
        langsmith.clock_ahead = timedelta(hours=25)
        importer.cycle(look_at_all=False)
        assert importer.counts.never_closed == 1
        importer.cycle(look_at_all=False)
        assert [row["langsmith_trace_id"] for row in setting.events("never_closed")] == [still_open]
        history.close(still_open)
        langsmith.clock_ahead = timedelta(hours=32)
        importer.cycle(look_at_all=False)
        assert importer.counts.open == 0
    assert_holds(destination, langsmith, closed, still_open)


def test_two_reads_that_differ_are_not_closed(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    trace_id = history.trace("busy")
    reads: list[str] = []

    def notice(asked: Asked) -> None:
        if asked.trace_id:
            reads.append(asked.trace_id)
            if len(reads) == 2:
                history.late_child(trace_id)

    langsmith.notice = notice
    with setting.importer() as importer:
        importer.cycle(look_at_all=False)
        assert (importer.counts.changing, importer.counts.imported) == (1, 0)
        assert destination.traces == {}
        importer.cycle(look_at_all=False)
    assert reads == [trace_id] * 4
    assert_holds(destination, langsmith, trace_id)


def test_late_children_and_updates_after_the_seal(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    trace_id = history.trace("agent")
    with setting.importer() as importer:
        importer.cycle(look_at_all=False)
        assert_holds(destination, langsmith, trace_id)
        history.late_child(trace_id)
        langsmith.put({"id": uuid_of(trace_id, 1), "prompt_tokens": 99, "status": "error"})
        langsmith.clock_ahead = timedelta(minutes=16)
        importer.cycle(look_at_all=False)
        assert (importer.counts.late_spans, importer.counts.changed_spans) == (1, 1)
        assert_holds(destination, langsmith, trace_id)
        langsmith.put({"id": trace_id, "status": "error"})
        langsmith.clock_ahead = timedelta(minutes=80)
        importer.cycle(look_at_all=False)
        assert importer.counts.changed_spans > 1
    assert_holds(destination, langsmith, trace_id)
    assert destination.traces[ours(trace_id)][span(trace_id)]["status"] == "ok"


def test_malformed_rows_and_unknown_types_are_counted(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    good, odd = history.trace("good"), history.trace("odd", children=0, run_type="teleport")
    foreign = dict(
        langsmith.put({"id": uuid_of("x"), "trace_id": uuid_of("x"), "start_time": "2026-01-01T00:00:00"}, "other")
    )
    langsmith.extra_rows = [
        None,
        7,
        {"id": "no"},
        {"trace_id": good},
        {"id": good, "trace_id": good, "start_time": "?"},
        foreign,
    ]
    with setting.importer() as importer:
        importer.cycle(look_at_all=True)
        assert importer.counts.unknown_types == 1
        assert importer.counts.malformed_rows >= 5
        rows = importer.counts.malformed_rows
        importer.cycle(look_at_all=True)
        assert importer.counts.malformed_rows == rows
    assert_holds(destination, langsmith, good, odd)
    assert destination.traces[ours(odd)][span(odd)]["kind"] == "unknown"


def test_since_starts_the_window(setting: Setting, langsmith: LangSmithService, destination: Holding) -> None:
    old = History(langsmith, datetime(2025, 1, 1, tzinfo=UTC)).trace("old")
    new = History(langsmith, datetime(2026, 2, 1, tzinfo=UTC)).trace("new")
    assert setting.sync("--since", "2026-01-31T00:00:00Z") == 0
    assert_holds(destination, langsmith, new)
    assert setting.sync() == 0
    assert setting.sync("--since", "2026-01-30T00:00:00Z") == 2
    assert_holds(destination, langsmith, new)
    setting.state.unlink()
    assert setting.sync() == 0
    assert_holds(destination, langsmith, old, new)
