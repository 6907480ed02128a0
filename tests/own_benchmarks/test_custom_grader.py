"""A benchmark that brings its own grader: a folder whose program the server runs in the sandbox for each answer."""

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from evalrouter_server.grading import CustomGrader
from evalrouter_server.grading.custom import MOST_BYTES, checked_files
from evalrouter_server.problems import Problem
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.sandbox import Sandbox

from evalrouter import EvalRouter
from evalrouter.errors import ConflictError, InvalidArgumentError, InvalidRequestError
from evalrouter.grader_folder import read_grader_folder
from tests.e2e.provider import Provider
from tests.own_benchmarks.test_service import client, manifest
from tests.sandboxes import has_sandbox

__all__ = ["client", "has_sandbox"]

HALF = """
import json, sys
from close import is_close
asked = json.load(sys.stdin)
if asked["target"]["answer"] == "10":
    print(json.dumps({"error": "ten is not graded here"}))
else:
    close = is_close(asked["output"], asked["target"]["answer"])
    print(json.dumps({"score": 0.5 * close, "extracted": asked["output"], "details": {"nul": "\\0"}}))
"""
CLOSE = "def is_close(said, wanted): return abs(int(said) - int(wanted)) < 2\n"


def grader(folder: Path, program: str = HALF) -> Path:
    made = folder / "grader"
    made.mkdir(exist_ok=True)
    (made / "grade.py").write_text(program)
    (made / "close.py").write_text(CLOSE)
    (made / ".git").mkdir(exist_ok=True)
    (made / ".git" / "config").write_text("hidden")
    return made


def with_grader(folder: Path, **changes: Any) -> Path:
    return manifest(folder, grader={"kind": "custom", "folder": "grader"}, metric="mean_score", **changes)


def test_from_a_folder_to_a_score(has_sandbox: None, client: EvalRouter, provider: Provider, tmp_path: Path) -> None:
    grader(tmp_path)
    assert client.benchmarks.check(with_grader(tmp_path)).ok
    made = client.benchmarks.create(with_grader(tmp_path))
    assert (made.grader, sorted(made.grader_settings["files"])) == ("custom", ["close.py", "grade.py"])
    assert client.benchmarks.create(with_grader(tmp_path)) == made
    provider.text = "4"
    run = client.runs.create(benchmark="my-bench", model=provider.connect(client), max_cost=1, wait=True)
    results = {result.target["answer"]: result for result in run.results()}
    assert (run.status, run.score, run.coverage.graded, run.coverage.failed) == ("partial", 0.125, 4, 1)
    right = results["4"]
    assert (right.score, right.correct, right.extracted, right.rule) == (0.5, False, "4", "custom")
    error = results["10"].error
    assert error is not None
    assert (error.code, "ten is not graded here" in error.message) == ("grader_failed", True)


def test_another_program_is_another_version(client: EvalRouter, tmp_path: Path) -> None:
    grader(tmp_path)
    first = client.benchmarks.create(with_grader(tmp_path))
    grader(tmp_path, HALF + "# changed\n")
    second = client.benchmarks.create(with_grader(tmp_path))
    assert (first.version, second.version) == ("1", "2")


async def test_without_a_sandbox_nothing_runs() -> None:
    assessor = Assessor(cast(Any, None), Sandbox("/nowhere/bwrap"))
    with pytest.raises(Problem, match=r"there is none.*install bubblewrap"):
        await assessor.require(CustomGrader(files={"grade.py": ""}))
    assessor.close()


def test_without_a_sandbox_it_is_neither_made_nor_quoted(
    has_sandbox: None, client: EvalRouter, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grader(tmp_path)
    made = client.benchmarks.create(with_grader(tmp_path))
    model = provider.connect(client)

    async def missing(sandbox: Sandbox) -> str:
        return "bubblewrap is not installed"

    monkeypatch.setattr(Sandbox, "missing", missing)
    refused: list[Callable[[], object]] = [
        lambda: client.benchmarks.check(with_grader(tmp_path)),
        lambda: client.benchmarks.create(with_grader(tmp_path)),
        lambda: client.quotes.create(benchmark=made.id, model=model),
    ]
    for each in refused:
        with pytest.raises(ConflictError, match="apt install bubblewrap") as raised:
            each()
        assert raised.value.code == "sandbox_unavailable"
    assert not provider.requests


@pytest.mark.parametrize(
    "path",
    ["../grade.py", "/grade.py", "a/../../b", "a//b", ".hidden", "a/.b", "a\\b", "a\0b", "", ".", "x" * 201, "a\nb"],
)
def test_no_path_leads_out_of_the_folder(path: str) -> None:
    with pytest.raises(ValueError, match="is no path of a file"):
        checked_files({"grade.py": "", path: ""})


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "neither"),
        ({"grade.py": "no base64!"}, "not base64"),
        ({"grade.py": "", "grade.py/x": ""}, "a folder that is a file"),
        ({"grade.py": "A" * (3 * MOST_BYTES // 2)}, "KiB"),
        ({"grade.py": "", **{str(number): "" for number in range(100)}}, "more than 100 files"),
    ],
)
def test_files_that_are_no_grader(client: EvalRouter, tmp_path: Path, files: dict[str, str], reason: str) -> None:
    with pytest.raises(InvalidRequestError, match=reason):
        client.benchmarks.check(manifest(tmp_path, grader={"kind": "custom", "files": files}))


def test_folders_that_are_no_grader(tmp_path: Path) -> None:
    def refused(reason: str) -> None:
        with pytest.raises(InvalidArgumentError, match=reason):
            read_grader_folder(folder)

    folder = tmp_path / "grader"
    refused("is no folder")
    folder.mkdir()
    refused(r"neither grade\.py nor")
    (folder / "grade.py").symlink_to("/etc/passwd")
    refused(r"grade\.py is a symbolic link")
    (folder / "grade.py").unlink()
    os.mkfifo(folder / "grade.py")
    refused("is no file")
    (folder / "grade.py").unlink()
    (folder / "large").write_bytes(bytes(MOST_BYTES + 1))
    refused("KiB")
    (folder / "large").unlink()
    for number in range(101):
        (folder / f"{number}.txt").touch()
    refused("more than 100 files")


def test_the_folder_as_it_is_sent(tmp_path: Path) -> None:
    folder = grader(tmp_path)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "close.pyc").write_bytes(b"x")
    found = read_grader_folder(folder)
    assert {name: base64.b64decode(data).decode() for name, data in found.items()} == {
        "close.py": CLOSE,
        "grade.py": HALF,
    }


def test_the_example(has_sandbox: None, client: EvalRouter, provider: Provider) -> None:
    client.benchmarks.create("examples/own-benchmark/graded.yaml")
    provider.text = "The capital is Paris."
    run = client.runs.create(
        benchmark="my-capitals-graded", model=provider.connect(client), coverage={"mode": "full"}, max_cost=1, wait=True
    )
    assert {result.score for result in run.results()} == {0.0, 1.0}
