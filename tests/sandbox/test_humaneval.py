"""HumanEval's own solutions pass its own tests in the sandbox, and wrong ones do not."""

import asyncio
import gzip
import json
from typing import Any

import pytest
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.grading import CodeGrader
from evalrouter_server.grading.code import assemble, extract
from evalrouter_server.sandbox.program import run_program

from tests.sandboxes import MarkedSandbox
from tests.shared_data import needs_shared, shared

pytestmark = needs_shared
SOME = slice(0, 164, 16)
ALL = slice(0, 164)


def grader() -> CodeGrader:
    (manifest,) = [manifest for manifest in Benchmarks.shipped().native() if manifest.reference == "humaneval@1"]
    assert isinstance(manifest.grader, CodeGrader)
    return manifest.grader


async def rules(sandbox: MarkedSandbox, which: slice, answer: str | None = None) -> list[str]:
    with gzip.open(shared("data", "humaneval", "HumanEval.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    assert len(rows) == 164
    return await asyncio.gather(*(_rule(sandbox, row, answer) for row in rows[which]))


async def _rule(sandbox: MarkedSandbox, row: dict[str, Any], answer: str | None) -> str:
    target = {"tests": row["test"], "entry_point": row["entry_point"]}
    output = f"Here it is:\n```python\n{row['prompt']}{row['canonical_solution']}```" if answer is None else answer
    code = extract(grader(), output=output, inputs={"prompt": row["prompt"]}, target=target)
    assert code is not None
    program = assemble(grader(), code, target)
    return (await run_program(sandbox, program, seconds=grader().seconds, memory_mib=grader().memory_mib)).rule


async def test_some_solutions_pass_and_a_wrong_one_fails(sandbox: MarkedSandbox) -> None:
    assert set(await rules(sandbox, SOME)) == {"passed"}
    assert set(await rules(sandbox, slice(0, 3), "    return 'wrong'\n")) == {"failed"}


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_all_solutions_pass_and_a_wrong_one_never_does(sandbox: MarkedSandbox) -> None:
    assert set(await rules(sandbox, ALL)) == {"passed"}
    assert "passed" not in await rules(sandbox, ALL, "    return 'wrong'\n")
