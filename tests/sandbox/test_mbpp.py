"""MBPP's own programs pass its own assertions in the sandbox, and a wrong one does not."""

import asyncio
import json
from pathlib import Path

import pytest
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.cache import FileCache
from evalrouter_server.catalog.rows import Row
from evalrouter_server.catalog.sources import fetch_source, normalise, read_rows
from evalrouter_server.grading import CodeGrader
from evalrouter_server.grading.code import assemble, extract
from evalrouter_server.sandbox.program import run_program

from tests.catalog.real_data import make_mirror
from tests.sandboxes import MarkedSandbox


@pytest.mark.soak
@pytest.mark.timeout(1800)
async def test_all_programs_pass_and_a_wrong_one_never_does(sandbox: MarkedSandbox, tmp_path: Path) -> None:
    (manifest,) = [manifest for manifest in Benchmarks.shipped().native() if manifest.reference == "mbpp@1"]
    grader, (source,) = manifest.grader, manifest.sources
    assert isinstance(grader, CodeGrader)
    cache = FileCache(tmp_path / "cache", make_mirror(tmp_path / "mirror"))
    (path,) = await asyncio.to_thread(fetch_source, source, cache)
    rows: list[Row] = list(read_rows(path, source))
    items = normalise(manifest, rows)

    async def rule(place: int, program: str) -> str:
        output = f"Here it is:\n```python\n{program}\n```"
        item = items[place]
        code = extract(grader, output=output, inputs=item.inputs, target=item.target)
        assert code is not None
        whole = assemble(grader, code, item.target)
        return (await run_program(sandbox, whole, seconds=grader.seconds, memory_mib=grader.memory_mib)).rule

    rules = await asyncio.gather(*(rule(place, str(row["code"])) for place, row in enumerate(rows)))
    assert len(rules) == 500
    assert [json.dumps(rows[place]["text"]) for place, found in enumerate(rules) if found != "passed"] == []
    wrong = await asyncio.gather(*(rule(place, "pass") for place in range(0, 500, 10)))
    assert "passed" not in wrong
