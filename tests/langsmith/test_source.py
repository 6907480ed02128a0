"""Reading LangSmith: pages, windows, pace, versions, addresses."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from evalrouter.langsmith.closed import FirstRead, Reading, judge
from evalrouter.langsmith.errors import SourceError, SourceRefusedError, SourceUnavailableError
from evalrouter.langsmith.importer import MOST_ROOTS
from evalrouter.langsmith.patience import LONGEST_WAIT_SECONDS
from evalrouter.langsmith.runs import Malformed, read_v1, read_v2
from evalrouter.langsmith.settings import find_source
from evalrouter.langsmith.source.calls import Answer, Pace
from evalrouter.langsmith.source.interface import Window
from evalrouter.langsmith.source.paging import pages
from evalrouter.langsmith.source.service import Service
from evalrouter.langsmith.stopping import Stop
from tests.langsmith.history import History, uuid_of
from tests.langsmith.holding import Holding
from tests.langsmith.importing import HastyStop, Setting
from tests.langsmith.langsmith_service import KEY, LangSmithService, langsmith_service, refusing, saying
from tests.langsmith.test_sync import assert_holds, ours

EVER = Window(0, 2**62)


class Noting(Stop):
    """Does not wait, and notes how long it was asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def service_of(langsmith: LangSmithService, stop: Stop | None = None, path: str = "") -> Service:
    settings = find_source({"LANGSMITH_API_KEY": KEY, "LANGSMITH_ENDPOINT": langsmith.url + path})
    return Service(settings, stop or HastyStop())


def test_the_api_follows_the_services_version(langsmith: LangSmithService) -> None:
    assert service_of(langsmith).version == ("v2" if langsmith.has_v2 else "v1")


def test_a_service_that_says_it_has_the_second_api_and_has_not_is_read_over_the_first() -> None:
    with langsmith_service(version="0.20.0", has_v2=False) as langsmith:
        assert service_of(langsmith).version == "v1"


@pytest.mark.parametrize("path", ["", "/api/v1", "/api/v1/"])
def test_a_self_hosted_address_is_taken_with_and_without_its_path(langsmith: LangSmithService, path: str) -> None:
    History(langsmith).trace("agent")
    service = service_of(langsmith, path=path)
    assert len(list(service.roots(langsmith.project(), EVER))) == 1
    assert [project.name for project in service.projects()] == ["agents"]


def test_more_than_a_page_of_everything(langsmith: LangSmithService) -> None:
    history = History(langsmith)
    names = {history.trace(number, children=0) for number in range(250)}
    large = history.trace("large", children=1100)
    for number in range(130):
        langsmith.project(f"project {number}")
    service = service_of(langsmith)
    roots = [root for root in service.roots(langsmith.project(), EVER) if not isinstance(root, Malformed)]
    assert {str(root.run_id) for root in roots} == {*names, large}
    assert len({str(run) for run in service.runs(langsmith.project(), large, with_content=False)}) == 1101
    assert len(list(service.projects())) == 131


def test_traces_of_long_ago_are_read(langsmith: LangSmithService) -> None:
    old = History(langsmith, datetime(2019, 1, 1, tzinfo=UTC)).trace("old")
    service = service_of(langsmith)
    assert len(list(service.roots(langsmith.project(), EVER))) == 1
    assert len(list(service.runs(langsmith.project(), old, with_content=True))) == 3


@pytest.mark.parametrize("circle", [["a", "a"], ["a", "b", "a"]])
def test_a_repeated_cursor_is_not_followed(circle: list[str]) -> None:
    cursors = iter([*circle, *"cdefgh"])
    with pytest.raises(SourceError, match="circle"):
        list(pages("things", lambda cursor: ([], next(cursors))))


def test_a_repeated_cursor_of_the_service_is_not_followed(langsmith: LangSmithService) -> None:
    project_id = langsmith.project()
    service = service_of(langsmith)
    assert service.version
    if langsmith.has_v2:
        langsmith.faults.extend([saying(b'{"items": [], "next_cursor": "again"}')] * 5)
    else:
        langsmith.faults.extend([saying(b'{"runs": [], "cursors": {"next": "again"}}')] * 5)
    with pytest.raises(SourceError, match="circle"):
        list(service.roots(project_id, EVER))
    assert len(langsmith.faults) == 3


@pytest.mark.parametrize(("status", "asked", "waits"), [(429, "3", 3.0), (503, "86400", LONGEST_WAIT_SECONDS)])
def test_retry_after_is_followed_up_to_a_limit(
    langsmith: LangSmithService, status: int, asked: str, waits: float
) -> None:
    stop = Noting()
    service = service_of(langsmith, stop)
    langsmith.faults.append(refusing(status, asked))
    assert service.now_ns()
    assert waits <= max(stop.slept) <= waits * 1.2
    assert len(langsmith.asked) == 2


def test_our_tries_are_the_only_ones(langsmith: LangSmithService) -> None:
    service = service_of(langsmith)
    assert service.version
    for status, tries, kind in ((500, 6, SourceUnavailableError), (403, 1, SourceRefusedError), (422, 1, SourceError)):
        before = len(langsmith.asked)
        langsmith.faults.extend([refusing(status)] * 20)
        with pytest.raises(kind):
            list(service.roots(langsmith.project(), EVER))
        assert len(langsmith.asked) - before == tries
        langsmith.faults.clear()


def test_the_pace_slows_down_at_a_429_and_recovers() -> None:
    now, slept = [0.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    pace = Pace(lambda: now[0], sleep)
    for _ in range(3):
        pace.wait()
    assert slept == []
    for _ in range(20):
        pace.note(429)
    assert pace.interval == 10.0
    pace.wait()
    pace.wait()
    assert slept == [10.0]
    for _ in range(50 * 60):
        pace.note(200)
    assert pace.interval == 0.0
    assert Answer(200).status == 200


def test_the_rule_of_two_reads() -> None:
    first = FirstRead(Reading(5, ("a:1", "b:2"), 0.0).digest, 2, 0.0)
    assert judge(first, Reading(5, ("b:2", "a:1"), 30.0), 30.0) == "closed"
    assert judge(first, Reading(5, ("a:1",), 30.0), 30.0) == "changing"
    assert judge(first, Reading(5, ("a:1", "b:3"), 30.0), 30.0) == "changing"
    assert judge(first, Reading(None, ("a:1", "b:2"), 30.0), 30.0) == "open"
    with pytest.raises(ValueError, match="too close"):
        judge(first, Reading(5, ("a:1", "b:2"), 29.9), 30.0)


ROW = {
    "id": str(uuid.UUID(int=2)), "trace_id": str(uuid.UUID(int=1)), "parent_run_id": str(uuid.UUID(int=1)),
    "parent_run_ids": [str(uuid.UUID(int=1))], "session_id": str(uuid.UUID(int=9)),
    "project_id": str(uuid.UUID(int=9)), "run_type": "llm", "start_time": "2026-01-01T00:00:00.5", "status": "success",
}  # fmt: skip
WRONG: list[object] = [None, 7, "x", [], {}, True, 1e400]


@pytest.mark.parametrize("name", sorted(ROW))
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_a_row_with_any_wrong_field_never_raises(name: str, value: object) -> None:
    for read in (read_v1, read_v2):
        found = read({**ROW, name: value}, str(uuid.UUID(int=9)), with_content=True)
        if isinstance(found, Malformed):
            assert repr(value) not in found.reason or found.reason in ROW


@pytest.mark.parametrize(
    "at", ["1900-01-01T00:00:00", "9999-12-31T23:59:59", "2026-13-01", "-1", "0001-01-01T00:00:00+14:00"]
)
def test_a_time_that_no_span_can_have_is_malformed(at: str) -> None:
    assert isinstance(read_v1({**ROW, "start_time": at}, str(uuid.UUID(int=9)), with_content=False), Malformed)


def test_many_roots_are_read_in_windows_and_in_bounded_number(
    setting: Setting, langsmith: LangSmithService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalrouter.langsmith import importer as module

    assert MOST_ROOTS <= 5000
    monkeypatch.setattr(module, "MOST_ROOTS", 7)
    monkeypatch.setattr(module, "FEW_ROOTS", 3)
    traces = [
        History(langsmith, datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=7 * n)).trace(n, 0) for n in range(60)
    ]
    sizes: list[int] = []
    with setting.importer() as importer:
        windows = module.Importer._windows

        def noting(self: module.Importer, start: int, end: int) -> object:
            for window, roots in windows(self, start, end):
                sizes.append(len(roots))
                yield window, roots

        monkeypatch.setattr(module.Importer, "_windows", noting)
        importer.cycle(look_at_all=True)
        assert importer.counts.imported == len(traces)
    assert max(sizes) <= 7


@pytest.mark.parametrize("most", [700, pytest.param(25_000, marks=pytest.mark.soak)])
def test_a_trace_of_as_many_runs_as_may_be_is_imported_and_one_of_more_is_not(
    setting: Setting, history: History, destination: Holding, langsmith: LangSmithService, most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from evalrouter.langsmith import reader

    assert reader.MOST_RUNS == 25_000
    monkeypatch.setattr(reader, "MOST_RUNS", most)
    full, over = history.trace("full", children=most - 1), history.trace("over", children=most)
    with setting.importer() as importer:
        importer.cycle(look_at_all=True)
        assert (importer.counts.imported, importer.counts.too_large) == (1, 1)
        importer.cycle(look_at_all=True)
        assert importer.counts.too_large == 1
    assert len(destination.traces[ours(full)]) == most
    assert destination.is_complete(ours(full))
    assert ours(over) not in destination.traces
    assert max(len(request.raw) for request in destination.requests) <= 4 * 1024 * 1024


def test_a_deleted_trace_is_let_go(setting: Setting, history: History, langsmith: LangSmithService) -> None:
    trace_id = history.trace("open", closed=False)
    with setting.importer() as importer:
        importer.cycle(look_at_all=True)
        assert importer.counts.open == 1
        for name in [trace_id, uuid_of(trace_id, 1), uuid_of(trace_id, 2)]:
            del langsmith.runs[name]
        importer.cycle(look_at_all=True)
        assert importer.counts.open == 0


def test_a_clock_that_is_days_wrong_loses_nothing(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    traces = []
    for number, days in enumerate((0, 30, -30, 0.4, 0)):
        langsmith.clock_ahead = timedelta(days=days)
        traces.append(history.trace(number))
        with setting.importer() as importer:
            importer.cycle(look_at_all=False)
    with setting.importer() as importer:
        importer.cycle(look_at_all=True)
    assert json.loads(setting.state.read_bytes())["imported"] >= len(traces)
    assert_holds(destination, langsmith, *traces)
