"""Graders that somebody wrote."""

from pathlib import Path
from typing import Any

import pytest
from evalrouter_server.grading import Verdict
from evalrouter_server.sandbox import Limits
from evalrouter_server.sandbox.custom import GraderFailed, grade_with, read_folder

from tests.sandboxes import MarkedSandbox

SAYS = "import json, sys; asked = json.load(sys.stdin); print(json.dumps(%s))"


async def graded(sandbox: MarkedSandbox, files: dict[str, bytes], **more: Any) -> Any:
    return await grade_with(
        sandbox, files, output="The answer: 42", target={"answer": "42"}, inputs={"question": "6 x 7?"}, **more
    )


def script(code: str) -> dict[str, bytes]:
    return {"grade.py": code.encode()}


async def test_a_script_with_a_module_beside_it(sandbox: MarkedSandbox, tmp_path: Path) -> None:
    (tmp_path / "grade.py").write_text(
        "import json, sys\nfrom helpers.last import last\nasked = json.load(sys.stdin)\nfound = last(asked['output'])\n"
        "right = found == asked['target']['answer'] and asked['inputs']['question'].endswith('?')\n"
        "print(json.dumps({'score': 0.5 if right else 0, 'extracted': found, 'details': {'n': 1}}))\n"
    )
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "last.py").write_text("def last(text): return text.split()[-1]\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("hidden")
    files = read_folder(tmp_path)
    assert sorted(files) == ["grade.py", "helpers/last.py"]
    assert await graded(sandbox, files) == (Verdict(0.5, False, "42", "custom"), {"n": 1})


async def test_an_executable(sandbox: MarkedSandbox) -> None:
    files = {"grade": b'#!/bin/sh\necho \'{"score": 1, "rule": "shell"}\'\n'}
    assert await graded(sandbox, files) == (Verdict(1.0, True, None, "shell"), None)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (SAYS % "{'error': 'the target is odd'}", "it says: the target is odd"),
        (SAYS % "{}", "no score"),
        (SAYS % "{'score': 1.5}", "score: Input should be less than or equal to 1"),
        (SAYS % "{'score': -1}", "score"),
        (SAYS % "{'score': float('nan')}", "score"),
        (SAYS % "{'score': '1'}", "score"),
        (SAYS % "{'score': True}", "score"),
        (SAYS % "{'score': 1, 'extra': 2}", "extra"),
        (SAYS % "[1]", "standard output"),
        ("print('score: 1')", "standard output"),
        ("", "standard output"),
        ("raise ValueError('broken')", "ended with status 1: .*broken"),
        ("while True: pass", "reached its limit|status 152"),
        ("open('/etc/shadow')", "ended with status 1"),
    ],
)
async def test_an_error_of_the_grader_is_no_verdict(sandbox: MarkedSandbox, code: str, reason: str) -> None:
    with pytest.raises(GraderFailed, match=f"(?s){reason}"):
        await graded(sandbox, script(code), limits=Limits(wall_seconds=5, cpu_seconds=1))


def test_folders_that_are_no_grader(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"neither grade\.py nor"):
        read_folder(tmp_path)
    (tmp_path / "grade.py").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match=r"grade\.py is a symbolic link"):
        read_folder(tmp_path)
    (tmp_path / "grade.py").unlink()
    for number in range(101):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(ValueError, match="more than 100 files"):
        read_folder(tmp_path)
