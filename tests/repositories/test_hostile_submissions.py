"""Submissions of files that are out to pass without solving, to get out, or to break the grader."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from evalrouter_server.catalog.items import Item
from evalrouter_server.grading import RepositoryGrader
from evalrouter_server.grading.repository import changes_in, packed
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.submission import Assessment, Submission

from tests.sandboxes import MarkedSandbox, has_sandbox, sandbox

__all__ = ["has_sandbox", "sandbox"]

ITEM = Item(
    "item_1",
    0,
    {"files": {"adding.py": "def add(a, b):\n    return a - b\n", "docs/about.txt": "Adds.\n"}},
    {
        "tests": [
            {"name": "small", "script": "from adding import add\nresult = add(1, 2)", "expected": 3},
            {"name": "more", "script": "from adding import add\nresult = [add(4, 5), add(0, 0)]", "expected": [9, 0]},
        ]
    },
)
RIGHT = "def add(a, b):\n    return a + b\n"


async def assessed(sandbox: MarkedSandbox, output: str, grader: RepositoryGrader | None = None) -> Assessment:
    assessor = Assessor(None, sandbox)  # type: ignore[arg-type]
    grader = grader or RepositoryGrader()
    return await assessor.assess(Submission(grader, ITEM, output, None, None, "task_1"))


TRICKS = {
    "exits with success": "import sys\nsys.exit(0)\n",
    "exits at once": "import os\nos._exit(0)\n",
    "exits once it is called": "import os\ndef add(a, b):\n    os._exit(0)\n",
    "raises": "raise ValueError('no')\n",
    "is equal to everything": (
        "class All(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = int.__hash__\n"
        "def add(a, b):\n    return All(77)\n"
    ),
    "writes a result to every descriptor": (
        'import os\nfor number in range(1, 64):\n    try:\n        os.write(number, b\'{"how": "reported",'
        ' "result": "1"}\\n\')\n    except OSError:\n        pass\nos._exit(0)\n'
    ),
    "writes into the tester's output": (
        "import json, os\nreport = json.dumps({'how': 'reported', 'result': '77'}) + '\\n'\n"
        "try:\n    with open(f'/proc/{os.getppid()}/fd/1', 'w') as out:\n        out.write(report * 9)\n"
        "except OSError:\n    pass\ndef add(a, b):\n    return 0\n"
    ),
    "kills the tester": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n",
    "changes json": "import json\njson.dumps = lambda *a, **k: 'true'\ndef add(a, b):\n    return 0\n",
    "leaves a deep result": "def add(a, b):\n    x = []\n    for _ in range(900):\n        x = [x]\n    return x\n",
    "leaves a huge result": "def add(a, b):\n    return 'x' * 5_000_000\n",
    "is no Python": "def add(a, b:\n",
    "forks daemons": (
        "import os\nfor _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n        import time\n"
        "        time.sleep(600)\ndef add(a, b):\n    return 0\n"
    ),
}


@pytest.mark.parametrize("trick", TRICKS)
async def test_a_trick_does_not_pass(trick: str, sandbox: MarkedSandbox) -> None:
    result = await assessed(sandbox, packed("", {"adding.py": TRICKS[trick]}, ()))
    assert (result.verdict.correct, result.verdict.score) == (False, 0.0)
    assert result.verdict.rule == "failed"


async def test_what_tests_tell_pytest_is_beside_the_point(sandbox: MarkedSandbox) -> None:
    files = {
        "conftest.py": "import os\nos._exit(0)\n",
        "pytest.ini": "[pytest]\naddopts = --collect-only\n",
        "sitecustomize.py": "import os\nos._exit(0)\n",
        "tested.py": "import os\nos._exit(0)\n",
        "tests/test_hidden.py": "def test_it(): pass\n",
        "json.py": "def dumps(value): return '3'\n",
    }
    result = await assessed(sandbox, packed("", {**files, "adding.py": RIGHT}, ()))
    assert result.verdict.rule == "passed"
    result = await assessed(sandbox, packed("", {**files}, ()))
    assert (result.verdict.rule, result.details and result.details["tests"]) == (
        "failed",
        {"small": "differs", "more": "differs"},
    )


async def test_time_is_bounded(sandbox: MarkedSandbox) -> None:
    slow = packed("", {"adding.py": "while True:\n    pass\n"}, ())
    result = await assessed(sandbox, slow, RepositoryGrader(seconds=1))
    assert result.details is not None
    assert result.verdict.correct is False
    assert set(result.details["tests"].values()) <= {"exited", "timeout", "not_run"}  # type: ignore[union-attr]


async def test_paths_out_of_the_repository_are_marked_and_touch_nothing(sandbox: MarkedSandbox) -> None:
    marker = f"evalrouter-{os.getpid()}"
    files = {
        f"../../../../tmp/{marker}": "x",
        f"/tmp/{marker}": "x",
        "a/../../b.py": "x",
        "./adding.py": "x",
        "a//b.py": "x",
        "nul\0.py": "x",
        "new\nline.py": "x",
        "": "x",
        "adding.py/inner.py": "x",
        "big.txt": "x" * 262_145,
        "half.txt": "\ud800",
        "adding.py": RIGHT,
    }
    result = await assessed(sandbox, packed("", files, ["'logo.png': not a text (UTF-8)"]))
    assert result.verdict.rule == "passed"
    assert result.details is not None
    left_out = result.details["left_out"]
    assert isinstance(left_out, list)
    assert len(left_out) == len(files)  # all but the right one, and what the agent's side could not hand in
    assert left_out[0] == "'logo.png': not a text (UTF-8)"
    assert not await asyncio.to_thread(Path(f"/tmp/{marker}").exists)


@pytest.mark.parametrize(
    "output",
    ["", "I changed everything.", "[]", "null", '{"files": []}', '{"files": {"a.py": 5}}', "[" * 100_000, "\0", "{"],
)
async def test_what_holds_no_files_has_no_changes(output: str, sandbox: MarkedSandbox) -> None:
    result = await assessed(sandbox, output)
    assert (result.verdict.correct, result.verdict.rule) == (False, "no_changes")


def test_the_number_of_files_is_bounded() -> None:
    changes = changes_in(json.dumps({"files": {f"{number}.py": "" for number in range(1000)}}))
    assert len(changes.files) == 200
    assert len(changes.left_out) == 50


async def test_removing_what_is_tested_fails(sandbox: MarkedSandbox) -> None:
    result = await assessed(sandbox, packed("", {"adding.py": None, "never/was.py": None}, ()))
    assert result.details is not None
    assert (result.verdict.rule, result.details["tests"]) == ("failed", {"small": "error", "more": "error"})
