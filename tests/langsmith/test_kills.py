"""A real process is killed with a real signal, before or after any of its writes, and another one goes on."""

import json
import os
import signal
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event

import pytest

from tests.langsmith.history import History
from tests.langsmith.holding import Holding
from tests.langsmith.importing import PAUSE, Setting
from tests.langsmith.langsmith_service import Asked, LangSmithService, hanging
from tests.langsmith.test_sync import assert_holds

CHECKOUT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from evalrouter.langsmith.command import main
from tests.langsmith.sabotage import Sabotage, die
sabotage = Sabotage(int(sys.argv[1]), sys.argv[2], die)
with sabotage.applied():
    code = main(sys.argv[4:], pause=float(sys.argv[3]))
print(sabotage.count, file=sys.stderr)
sys.exit(code)
"""


def start(setting: Setting, at: int, way: str, *arguments: str, pause: float = PAUSE) -> "subprocess.Popen[str]":
    """A process that imports."""
    given = ["sync", "--project", setting.service.project(), "--state", str(setting.state), *arguments]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(at), way, str(pause), *given],
        cwd=CHECKOUT,
        env={**os.environ, **setting.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


SOAK = pytest.mark.soak
POINTS = [
    pytest.param(at, way, id=f"{way} {at}", marks=() if (at, way) in {(12, "kill after")} else SOAK)
    for at in range(24)
    for way in ("kill before", "kill after")
]


@pytest.mark.parametrize("langsmith", ["v2"], indirect=True)
@pytest.mark.parametrize(("at", "way"), POINTS)
def test_a_killed_process_loses_and_doubles_nothing(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding, at: int, way: str
) -> None:
    traces = [history.trace(number) for number in range(3)]
    killed = start(setting, at, way, "--metadata-only")
    told = killed.communicate(timeout=100)[1]
    assert killed.returncode in ({-9} if at < 12 else {-9, 0}), told
    leftovers = {path.name for path in setting.folder.iterdir()}
    assert setting.sync("--metadata-only") == 0
    assert_holds(destination, langsmith, *traces)
    assert not [path for path in setting.folder.iterdir() if path.suffix == ".new"], leftovers


@pytest.mark.parametrize("langsmith", ["v2"], indirect=True)
def test_a_full_disk_ends_it_with_an_error_and_harms_nothing(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    """The kernel itself refuses to write more: the delivery is larger than a file may be."""
    trace_id = history.trace("large", children=60)
    program = (
        "import resource, signal, sys; from evalrouter.langsmith.command import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        f"sys.exit(main(sys.argv[1:], pause={PAUSE}))"
    )
    given = ["sync", "--project", langsmith.project(), "--state", str(setting.state), "--metadata-only"]
    done = subprocess.run(
        [sys.executable, "-c", program, *given],
        env={**os.environ, **setting.environment}, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert (done.returncode, destination.traces) == (1, {})
    assert "Traceback" not in done.stderr
    assert json.loads(setting.state.read_bytes())["has_delivery"] is False
    assert setting.sync("--metadata-only") == 0
    assert_holds(destination, langsmith, trace_id)


@pytest.mark.parametrize("langsmith", ["v2"], indirect=True)
@pytest.mark.parametrize("signal_name", ["SIGTERM", pytest.param("SIGINT", marks=SOAK)])
def test_a_watching_process_ends_cleanly_on_a_signal(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding, signal_name: str
) -> None:
    first = history.trace("first")
    process = start(setting, -1, "kill before", "--metadata-only", "--watch", "--poll-interval", "1", "--json")
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(json.loads(line))
        if lines[-1]["event"] == "health" and lines[-1]["imported"] == 1:
            break
    second = history.trace("second")
    for line in process.stderr:
        lines.append(json.loads(line))
        if lines[-1]["event"] == "health" and lines[-1]["imported"] == 2:
            break
    health = lines[-1]
    assert (health["state"], health["level"], health["failed_cycles"]) == ("ok", "info", 0)
    assert health["memory_bytes"] > 0
    process.send_signal(getattr(signal, signal_name))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert json.loads(err.splitlines()[-2])["event"] == "stopped"
    assert_holds(destination, langsmith, first, second)
    assert json.loads(setting.state.read_bytes())["imported"] == 2
    assert not (setting.folder / "state.json.delivery.json").exists()


@pytest.mark.soak
@pytest.mark.parametrize("langsmith", ["v2"], indirect=True)
def test_a_signal_breaks_off_a_read_that_hangs(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    hangs = Event()

    def hang(state: LangSmithService, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        hangs.set()
        hanging(state, handler, asked)

    history.trace("agent")
    langsmith.faults.extend([None, None, None, hang])
    process = start(setting, -1, "kill before", "--watch")
    assert hangs.wait(100)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=50)
    assert process.returncode == 0
