"""A project that LangSmith's own client fills, read with that client: the installed one, and the oldest and newest."""

import json
import os
import subprocess
import sys
import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

from tests.langsmith.holding import Holding
from tests.langsmith.importing import PAUSE, Setting
from tests.langsmith.langsmith_service import KEY, LangSmithService
from tests.langsmith.test_sync import assert_holds, ours, span

CHECKOUT = Path(__file__).resolve().parents[2]
APPLICATION = Path(__file__).parent / "traced_application.py"
VERSIONS = ("0.4.0", "0.14.17", "0.15.1")


def python_of(version: str, folder: Path) -> str:
    """An interpreter that has the SDK's requirements and a version of LangSmith's client, and nothing else."""
    needed = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    uv = str(Path(sys.executable).with_name("uv"))
    python = str(folder / "bin" / "python")
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    install = [uv, "pip", "install", "--quiet", "--python", python]
    subprocess.run([*install, f"langsmith=={version}", "hatchling", "editables", *needed], check=True)
    subprocess.run([*install, "--no-deps", "--no-index", "--no-build-isolation", "-e", str(CHECKOUT)], check=True)
    return python


@pytest.fixture(params=["installed", *(pytest.param(version, marks=pytest.mark.soak) for version in VERSIONS)])
def python(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Interpreters with several versions of LangSmith's client."""
    return sys.executable if request.param == "installed" else python_of(request.param, tmp_path / "environment")


def sync(python: str, setting: Setting, *arguments: str) -> dict[str, int]:
    """An import with that interpreter; its counts."""
    program = f"import sys; from evalrouter.langsmith.command import main; sys.exit(main(sys.argv[1:], pause={PAUSE}))"
    given = ["sync", "--project", setting.service.project(), "--state", str(setting.state), "--json", *arguments]
    done = subprocess.run(
        [python, "-c", program, *given],
        env={**os.environ, **setting.environment},
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


@pytest.mark.timeout(150)
def test_what_the_real_client_traces_is_imported_as_it_was(
    python: str, setting: Setting, langsmith: LangSmithService, destination: Holding
) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH", "LANGCHAIN"))}
    application = subprocess.Popen(
        [python, str(APPLICATION), langsmith.url, KEY, "agents"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert application.stdin is not None
    assert application.stdout is not None
    traces = json.loads(application.stdout.readline())
    counts = sync(python, setting)
    assert (counts["imported"], counts["open"], counts["malformed_rows"], counts["unknown_types"]) == (3, 1, 0, 0)
    assert_holds(destination, langsmith, *traces["complete"])
    root = destination.traces[ours(traces["complete"][0])][span(traces["complete"][0])]
    held = destination.traces[ours(traces["complete"][0])].values()
    assert len(held) == 4 * 4
    assert (root["name"], root["kind"], root["status"]) == ("agent", "chain", "ok")
    assert root["attributes"]["langsmith.tags"] == ["nested"]
    assert {one["kind"] for one in held} == {"chain", "model", "retrieval", "tool"}
    assert {one["tokens"]["total"] for one in held if one["kind"] == "model"} == {14}
    assert [one["status"] for one in held].count("error") == 2
    application.stdin.write("go on\n")
    application.stdin.flush()
    traces = json.loads(application.stdout.readline())
    application.communicate(timeout=60)
    langsmith.clock_ahead = timedelta(minutes=16)
    counts = sync(python, setting)
    assert (counts["late_spans"], counts["open"], counts["changed_spans"]) == (1, 0, 0)
    assert_holds(destination, langsmith, *traces["complete"])
