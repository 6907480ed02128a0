"""The checkpoint: private, whole, bound, locked, upgraded, refused unharmed."""

import json
import os
import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.langsmith.history import History
from tests.langsmith.holding import Holding
from tests.langsmith.importing import Setting
from tests.langsmith.langsmith_service import LangSmithService
from tests.langsmith.test_sync import assert_holds, ours

FIXTURE = Path(__file__).parent / "checkpoint_v1.json"


@pytest.fixture(params=["v2"])
def langsmith(request: pytest.FixtureRequest) -> Any:
    """One API is enough here."""
    from tests.langsmith.langsmith_service import langsmith_service

    with langsmith_service() as service:
        service.project()
        yield service


def refused(setting: Setting, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """That an import is refused, leaves every file as it was and asks nothing of either side; its words."""
    before = {path.name: path.read_bytes() for path in setting.folder.iterdir() if path.suffix != ".lock"}
    asked = len(setting.service.asked)
    capsys.readouterr()
    assert setting.sync(*arguments) == 2
    after = {path.name: path.read_bytes() for path in setting.folder.iterdir() if path.suffix != ".lock"}
    assert before == after
    assert len(setting.service.asked) == asked
    return capsys.readouterr().err


def test_every_file_and_a_new_folder_is_private(setting: Setting, history: History) -> None:
    history.trace("agent")
    previous = os.umask(0)
    try:
        assert setting.sync() == 0
    finally:
        os.umask(previous)
    assert stat.S_IMODE(setting.folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in setting.folder.iterdir()}
    assert set(modes.values()) == {0o600}
    assert set(modes) == {"state.json", "state.json.seen", "state.json.lock"}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_may_open_is_refused(
    setting: Setting, history: History, capsys: pytest.CaptureFixture[str], mode: int
) -> None:
    history.trace("agent")
    assert setting.sync() == 0
    setting.state.chmod(mode)
    assert f"chmod 600 {setting.state}" in refused(setting, capsys)
    assert stat.S_IMODE(setting.state.stat().st_mode) == mode


def test_a_link_and_a_folder_are_refused(
    setting: Setting, history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.trace("agent")
    assert setting.sync() == 0
    moved = setting.state.rename(setting.folder / "elsewhere.json")
    setting.state.symlink_to(moved)
    assert "link" in refused(setting, capsys)
    setting.state.unlink()
    setting.state.mkdir()
    capsys.readouterr()
    assert setting.sync() == 2


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"version": "2"}', b'{"version": 2}', b'{"version": true}', b'{"version": 0}'],
)
def test_a_damaged_checkpoint_is_refused_unharmed(
    setting: Setting, history: History, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    history.trace("agent")
    assert setting.sync() == 0
    setting.state.write_bytes(content)
    assert "unchanged" in refused(setting, capsys)


def test_each_field_of_a_checkpoint_is_checked(
    setting: Setting, history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.trace("agent")
    history.trace("open", closed=False)
    assert setting.sync() == 0
    good = json.loads(setting.state.read_bytes())
    assert good["waiting"]
    assert good["late"]
    for name, value in good.items():
        wrong: tuple[Any, ...] = ({}, [7], -1, 2**63, 0.5, "x")
        for bad in wrong:
            if type(bad) is type(value) and (bad in ({}, "x")):
                continue
            setting.state.write_text(json.dumps({**good, name: bad}))
            if name == "since_ns" and bad is None:
                continue
            assert refused(setting, capsys)
        setting.state.write_text(json.dumps({field: known for field, known in good.items() if field != name}))
        assert refused(setting, capsys)


def test_a_newer_checkpoint_is_refused_unharmed(
    setting: Setting, history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.trace("agent")
    assert setting.sync() == 0
    setting.state.write_text(json.dumps({"version": 3, "anything": 1}))
    assert "newer" in refused(setting, capsys)


def test_another_policy_is_refused_with_what_to_do(
    setting: Setting, history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.trace("agent")
    assert setting.sync("--metadata-only") == 0
    told = refused(setting, capsys)
    assert "once more with --metadata-only" in told
    assert "new --state and a new trace connection" in told


def test_another_destination_or_project_is_refused(
    setting: Setting, history: History, langsmith: LangSmithService, capsys: pytest.CaptureFixture[str]
) -> None:
    history.trace("agent")
    assert setting.sync() == 0
    setting.connection_id = "conn_2"
    assert "conn_1" in refused(setting, capsys)
    setting.connection_id = "conn_1"
    url, setting.destination_url = setting.destination_url, "http://127.0.0.1:1"
    assert url in refused(setting, capsys)
    setting.destination_url = url
    other = langsmith.project("other")
    from evalrouter.langsmith.command import main

    assert main(["sync", "--project", other, "--state", str(setting.state)], setting.environment) == 2
    setting.key = "er_tr_rotated"
    assert setting.sync() == 0


def test_two_processes_cannot_share_it(
    setting: Setting, history: History, destination: Holding, langsmith: LangSmithService
) -> None:
    trace_id = history.trace("agent")
    with setting.importer() as importer:
        program = (
            "import sys; from evalrouter.langsmith.command import main; "
            f"sys.exit(main(['sync', '--project', {langsmith.project()!r}, '--state', {str(setting.state)!r}, "
            "'--metadata-only']))"
        )
        environment = {**os.environ, **setting.environment}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert (done.returncode, destination.requests) == (2, [])
        assert "Another process is using" in done.stderr
        importer.cycle(look_at_all=True)
    assert_holds(destination, langsmith, trace_id)


def test_version_1_goes_on_in_its_own_mode_only(
    setting: Setting,
    history: History,
    destination: Holding,
    langsmith: LangSmithService,
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = json.loads(FIXTURE.read_text("utf-8"))
    delivered, lost, new = history.trace("delivered"), history.trace("lost"), history.trace("new")
    document |= {"project_id": langsmith.project(), "delivered": [delivered], "position": history.start.isoformat()}
    document["pending"]["trace_id"] = lost
    setting.folder.mkdir(mode=0o700)
    setting.state.write_text(json.dumps(document))
    setting.state.chmod(0o600)
    assert "without --metadata-only" in refused(setting, capsys, "--metadata-only")
    assert setting.sync("--json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["lost_deliveries"] == 1
    assert lost in captured.err
    assert_holds(destination, langsmith, new)
    upgraded = json.loads(setting.state.read_bytes())
    assert (upgraded["version"], upgraded["binding"]["policy"], upgraded["lost"]) == (2, "content", [])
    assert setting.sync("--json") == 0
    assert json.loads(capsys.readouterr().out)["lost_deliveries"] == 0
    assert_holds(destination, langsmith, new)
    assert "content policy 'content'" in refused(setting, capsys, "--metadata-only")


def test_the_documented_version_1_checkpoint_is_the_tested_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "langsmith.md").read_text("utf-8")
    assert FIXTURE.read_text("utf-8").strip() in page


def test_an_unacknowledged_delivery_is_replayed_unchanged_and_first(
    setting: Setting, history: History, destination: Holding, langsmith: LangSmithService
) -> None:
    from tests.tracing.receiver import lost

    trace_id = history.trace("agent")
    destination.faults.extend([lost] * 6)
    with setting.importer() as importer, pytest.raises(Exception, match="did not acknowledge"):
        importer.cycle(look_at_all=True)
    path = setting.folder / "state.json.delivery.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(setting.state.read_bytes())["has_delivery"] is True
    (batch, *_), kept = json.loads(path.read_bytes())["requests"], destination.requests[0].raw
    assert batch["body"].encode() == kept
    langsmith.put({"id": trace_id, "status": "error"})
    asked = len(langsmith.asked)
    order: list[str] = []
    langsmith.notice = lambda asked: order.append(asked.trace_id or asked.path)
    before = len(destination.requests)
    with setting.importer() as importer:
        importer.cycle(look_at_all=True)
    assert destination.requests[before].raw == kept
    assert len(langsmith.asked) > asked
    assert not path.exists()
    assert destination.is_complete(ours(trace_id))
    assert set(destination.inserted.values()) == {1}


def test_a_missing_or_changed_delivery_is_refused(
    setting: Setting, history: History, destination: Holding, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.tracing.receiver import lost

    history.trace("agent")
    destination.faults.extend([lost] * 6)
    with setting.importer("content") as importer, pytest.raises(Exception, match="did not acknowledge"):
        importer.cycle(look_at_all=True)
    path = setting.folder / "state.json.delivery.json"
    good = path.read_bytes()
    path.write_bytes(good.replace(b"what is 1?", b"what is 2?"))
    assert "damaged" in refused(setting, capsys)
    path.write_bytes(good)
    path.chmod(0o644)
    assert "chmod 600" in refused(setting, capsys)
    path.unlink()
    assert "put it back" in refused(setting, capsys)
    path.touch(0o600)
    path.write_bytes(good)
    checkpoint = setting.state.read_bytes()
    setting.state.unlink()
    assert "finish it with the options" in refused(setting, capsys, "--metadata-only")
    setting.state.touch(0o600)
    setting.state.write_bytes(checkpoint)
    assert setting.sync() == 0
    assert not path.exists()


def test_what_is_remembered_only_saves_work(
    setting: Setting, history: History, destination: Holding, langsmith: LangSmithService
) -> None:
    traces = [history.trace(number) for number in range(5)]
    assert setting.sync() == 0
    seen = setting.folder / "state.json.seen"
    for content in (b"", b"\0" * 100, seen.read_bytes()[:-7], os.urandom(320)):
        seen.write_bytes(content)
        assert setting.sync() == 0
        assert_holds(destination, langsmith, *traces)
    langsmith.clock_ahead = timedelta(days=3)
    assert setting.sync() == 0
    assert_holds(destination, langsmith, *traces)
