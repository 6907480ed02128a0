"""The same calls awaited, inside a running loop; exports that come back as they went out."""

import csv
import json
from pathlib import Path
from typing import Any

from evalrouter import AsyncEvalRouter
from evalrouter.types import TaskResult
from tests.e2e.provider import Provider, exact_charge, prompt_of

TEXT = '=1+1, "Größe"; 数学\r\nsecond\nline\t🙂\nANSWER: 7'


async def test_the_same_calls_awaited_and_exported(data_dir: Path, provider: Provider, tmp_path: Path) -> None:
    provider.text = TEXT
    async with AsyncEvalRouter() as client:
        await client.connections.create(
            "double", base_url=provider.base_url, model="double-1", input_price="1.25", output_price=10
        )
        spec: dict[str, Any] = {
            "benchmark": "first-steps",
            "model": "connection:double",
            "coverage": {"mode": "sample", "sample_count": 8, "seed": 5},
            "max_cost": 1,
            "name": '数学, "quoted"\nname',
            "metadata": {"team": "é"},
        }
        quote = await client.runs.create(**spec, dry_run=True)
        assert provider.requests == []
        run = await client.runs.create(**spec, wait=True)
        assert (run.status, run.coverage.graded, run.data.name) == ("completed", 8, spec["name"])
        assert run.cap == min(quote.maximum_charge, 1)
        assert len(provider.requests) == 8

        awaited = await run.results()
        iterated = [result async for result in run.results()]
        assert awaited == iterated
        assert [result.index for result in iterated] == list(range(8))
        assert all(result.output == TEXT for result in iterated)
        assert all(result.charge == exact_charge(result.usage) for result in iterated)
        assert [event.type async for event in run.events()][-1] == "run.ended"
        assert (await client.wallet.verify()).ok

        again = await client.runs.create(**spec)
        assert (again, again.reused) == (run, True)

        by_json = json.loads((await run.export(tmp_path, format="json")).read_text("utf-8"))
        lines = (await run.export(tmp_path, format="jsonl")).read_text("utf-8").split("\n")
        by_jsonl = [json.loads(line) for line in lines if line]
        with (await run.export(tmp_path, format="csv")).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        fresh = await run.export(tmp_path, format="csv")
        assert fresh.stem.endswith("-2")

    assert by_json["run"]["id"] == run.id
    assert_same(by_json["results"], iterated)
    assert_same(by_jsonl, iterated)
    assert len(rows) == 8
    for row, result in zip(rows, iterated, strict=True):
        assert row["output"] == "'" + TEXT
        assert int(row["index"]) == result.index


def assert_same(exported: list[dict[str, Any]], results: list[TaskResult]) -> None:
    """Check that exported rows are the results."""
    assert [row["output"] for row in exported] == [result.output for result in results]
    assert [prompt_of(row["inputs"]) for row in exported] == [prompt_of(dict(result.inputs)) for result in results]
    assert [row["index"] for row in exported] == [result.index for result in results]
