"""The command's words, codes and documents, and that both names of it are one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evalrouter.langsmith.command import main
from tests.langsmith.history import History
from tests.langsmith.holding import Holding
from tests.langsmith.importing import Setting
from tests.langsmith.langsmith_service import LangSmithService
from tests.tracing.receiver import refusing


def test_projects_are_listed(setting: Setting, langsmith: LangSmithService, capsys: pytest.CaptureFixture[str]) -> None:
    other = langsmith.project("zoo\x1b[31m")
    assert main(["projects"], setting.environment) == 0
    assert capsys.readouterr().out == f"{langsmith.project()}  agents\n{other}  zoo?[31m\n"
    assert main(["projects", "--json"], setting.environment) == 0
    items = json.loads(capsys.readouterr().out)["items"]
    assert items[0] == {"id": langsmith.project(), "name": "agents"}


def test_a_dry_run_sends_and_writes_nothing_and_needs_no_destination(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    history.trace("closed", children=3)
    history.trace("open", closed=False)
    environment = {name: value for name, value in setting.environment.items() if name.startswith("LANGSMITH")}
    given = ["sync", "--project", langsmith.project(), "--state", str(setting.state), "--dry-run", "--json"]
    assert main(given, environment) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["traces"], found["open"], found["runs"]) == (1, 1, 4)
    assert found["bytes"] > 100
    assert destination.requests == []
    assert not setting.folder.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--project"),
        (["--project", "agents"], "no project's ID"),
        (["--project", "ID", "--watch", "--once"], "not allowed"),
        (["--project", "ID", "--since", "yesterday"], "--since"),
        (["--project", "ID", "--since", "2026-01-01T00:00:00"], "offset"),
        (["--project", "ID", "--poll-interval", "0"], "--poll-interval"),
        (["--project", "ID", "--poll-interval", "nan"], "--poll-interval"),
        (["--project", "ID", "--wat"], "not allowed|unrecognized|ambiguous"),
    ],
)
def test_what_is_not_valid_is_refused_in_one_line(
    setting: Setting, langsmith: LangSmithService, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    given = [langsmith.project() if argument == "ID" else argument for argument in arguments]
    assert main(["sync", "--state", str(setting.state), *given], setting.environment) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert any(word in line for word in words.split("|"))
    assert langsmith.asked == []


@pytest.mark.parametrize("name", ["LANGSMITH_API_KEY", "EVALROUTER_TRACE_KEY", "EVALROUTER_BASE_URL"])
def test_a_missing_variable_is_named(
    setting: Setting, langsmith: LangSmithService, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    environment = {variable: value for variable, value in setting.environment.items() if variable != name}
    assert main(["sync", "--project", langsmith.project(), "--state", str(setting.state)], environment) == 2
    assert name in capsys.readouterr().err


def test_a_project_that_is_not_there_is_refused(
    setting: Setting, langsmith: LangSmithService, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["sync", "--project", "00000000-0000-0000-0000-000000000000", "--state", str(setting.state), "--json"]
    assert main(given, setting.environment) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["error"]["exit_code"] == 2
    assert not setting.state.exists()


def test_a_destination_that_takes_nothing_ends_it_and_keeps_the_delivery(
    setting: Setting, history: History, destination: Holding, capsys: pytest.CaptureFixture[str]
) -> None:
    history.trace("agent")
    destination.faults.append(refusing(403, "traces_not_enabled"))
    assert setting.sync() == 1
    assert "traces_not_enabled" in capsys.readouterr().err
    assert (setting.folder / "state.json.delivery.json").exists()
    assert setting.sync() == 0
    assert len(destination.sealed) == 1


def test_a_trace_that_is_refused_stops_no_other(
    setting: Setting, history: History, destination: Holding, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        history.trace(number)
    destination.faults.append(refusing(422, "invalid_request"))
    assert setting.sync("--json") == 0
    counts = json.loads(capsys.readouterr().out)
    assert (counts["imported"], counts["refused"]) == (2, 1)
    before = len(destination.requests)
    assert setting.sync("--json") == 0
    assert len(destination.requests) == before


@pytest.mark.parametrize("langsmith", ["v2"], indirect=True)
def test_the_command_of_the_other_package_is_the_same(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    history.trace("agent")
    command = str(Path(sys.executable).with_name("evalrouter"))
    environment = {**os.environ, **setting.environment}
    done = subprocess.run(
        [command, "langsmith", "projects", "--json"],
        env=environment, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert (done.returncode, json.loads(done.stdout)["items"][0]["name"]) == (0, "agents"), done.stderr
    shown = subprocess.run(
        [sys.executable, "-m", "evalrouter.langsmith", "sync"],
        env=environment, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert shown.returncode == 2
    assert shown.stderr.startswith("error: ")


@pytest.mark.parametrize("langsmith", ["v2"], indirect=True)
def test_a_watch_survives_what_fails_and_its_memory_is_steady(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    import gc
    import tracemalloc

    from evalrouter.langsmith.errors import StopRequestedError
    from evalrouter.langsmith.watch import Watch

    sizes: list[int] = []
    with setting.importer() as importer:
        watch = Watch(importer, 60.0)
        waits = importer.stop.sleep

        def sleep(seconds: float) -> None:
            if seconds >= 60.0:  # between two cycles
                number = len(sizes)
                if number == 30:
                    raise StopRequestedError
                if number % 10 == 5:
                    destination.faults.extend([refusing(503, "unavailable")] * 6)
                history.trace(number)
                langsmith.asked.clear()
                destination.requests.clear()
                gc.collect()
                sizes.append(tracemalloc.get_traced_memory()[0])
            waits(seconds)

        importer.stop.sleep = sleep  # type: ignore[method-assign]
        tracemalloc.start()
        try:
            watch.run()
        finally:
            tracemalloc.stop()
        assert importer.counts.failed_cycles == 3
        assert importer.counts.imported == 30
    assert setting.events("stopped")
    assert {row["state"] for row in setting.events("health")} == {"ok", "failing"}
    assert sizes[-1] - sizes[10] < 3_000_000
