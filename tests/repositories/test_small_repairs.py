"""The shipped benchmark of small repositories: its solutions pass, it is not passed as it is, its data is current."""

import asyncio
import json

import pytest
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.sources import load_items
from evalrouter_server.grading import RepositoryGrader
from evalrouter_server.grading.repository import files_of, hidden_tests, packed
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.submission import Assessment, Submission
from evalrouter_server.sandbox import Sandbox

from scripts.small_repairs import DATA, data, files_in, tasks
from tests.sandboxes import MarkedSandbox, has_sandbox, sandbox

__all__ = ["has_sandbox", "sandbox"]

(MANIFEST,) = (each for each in Benchmarks.shipped().match("small-repairs") if isinstance(each, Manifest))
NAMES = tasks()


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Item]:
    loaded = load_items(MANIFEST, tmp_path_factory.mktemp("cache"))
    return {str(item.inputs["name"]): item for item in loaded}


async def assessed(sandbox: Sandbox, item: Item, files: dict[str, str | None]) -> Assessment:
    assert isinstance(MANIFEST.grader, RepositoryGrader)
    assessor = Assessor(None, sandbox)  # type: ignore[arg-type]
    submission = Submission(MANIFEST.grader, item, packed("done", files, ()), None, None, "task_1")
    return await assessor.assess(submission)


def test_the_data_is_that_of_the_folders() -> None:
    assert DATA.read_text("utf-8") == data(), "write it again with: .venv/bin/python scripts/small_repairs.py"


@pytest.mark.parametrize("name", NAMES)
async def test_the_solution_passes_and_the_repository_as_it_is_does_not(
    name: str, items: dict[str, Item], sandbox: MarkedSandbox
) -> None:
    item = items[name]
    solved, untouched = await asyncio.gather(
        assessed(sandbox, item, dict(files_in(name, "solution"))),
        assessed(sandbox, item, {"NOTES": "nothing was done"}),
    )
    assert (solved.verdict.rule, solved.details) == (
        "passed",
        {"tests": {test.name: "passed" for test in hidden_tests(item.target)}, "left_out": [], "stderr": ""},
    )
    assert (untouched.verdict.correct, untouched.verdict.rule) == (False, "failed")
    nothing = await assessed(sandbox, item, {})
    assert (nothing.verdict.correct, nothing.verdict.rule) == (False, "no_changes")


@pytest.mark.parametrize("name", NAMES)
def test_the_tests_cannot_be_passed_by_a_constant(name: str, items: dict[str, Item]) -> None:
    tests = hidden_tests(items[name].target)
    expected = [json.dumps(test.expected) for test in tests]
    assert len(tests) >= 4
    assert len(set(expected)) >= len(tests) - 1
    assert not {"true", "false", "null"} & set(expected)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_an_agent_gets_holds_what_is_right(name: str, items: dict[str, Item]) -> None:
    item = items[name]
    shown = json.dumps(item.inputs)
    for test in hidden_tests(item.target):
        assert json.dumps(test.script)[1:-1] not in shown
    changed = files_in(name, "solution")
    assert changed != {path: files_of(item.inputs).get(path) for path in changed}
