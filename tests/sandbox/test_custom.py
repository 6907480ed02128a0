"""Graders that somebody wrote."""

from typing import Any

import pytest
from evalrouter_server.grading import Verdict
from evalrouter_server.sandbox import Limits
from evalrouter_server.sandbox.custom import GraderFailed, grade_with

from tests.sandboxes import MarkedSandbox

SAYS = "import json, sys; asked = json.load(sys.stdin); print(json.dumps(%s))"


async def graded(sandbox: MarkedSandbox, files: dict[str, bytes], **more: Any) -> Any:
    return await grade_with(
        sandbox, files, output="The answer: 42", target={"answer": "42"}, inputs={"question": "6 x 7?"}, **more
    )


def script(code: str) -> dict[str, bytes]:
    return {"grade.py": code.encode()}


async def test_a_script_with_a_module_beside_it(sandbox: MarkedSandbox) -> None:
    files = {
        "grade.py": b"import json, sys\nfrom helpers.last import last\nasked = json.load(sys.stdin)\n"
        b"found = last(asked['output'])\n"
        b"right = found == asked['target']['answer'] and asked['inputs']['question'].endswith('?')\n"
        b"print(json.dumps({'score': 0.5 if right else 0, 'extracted': found, 'details': {'n': 1}}))\n",
        "helpers/last.py": b"def last(text): return text.split()[-1]\n",
    }
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
        (SAYS % "{'score': 1, 'details': {'a': [float('nan')]}}", "not finite"),
        (SAYS % "{'score': 1, 'details': {'a': '\\ud800'}}", "standard output"),
        (SAYS % "{'score': 1, 'rule': ''}", "rule"),
        (SAYS % "{'score': 1, 'extracted': 'x' * 20_001}", "extracted"),
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
