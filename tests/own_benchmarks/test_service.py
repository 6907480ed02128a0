"""Benchmarks of one's own through the SDK and a real service: made, named, run, kept apart and never changed."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalrouter import EvalRouter
from evalrouter.errors import (
    ConflictError,
    DataUnavailableError,
    InvalidArgumentError,
    InvalidRequestError,
    NotFoundError,
)
from tests.e2e.provider import Provider
from tests.server.conftest import Workspace

BOMB = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 8)}]\n" for before, name in pairwise("abcdefghijk")
)
"""Eleven lines of YAML that stand for a thousand million texts."""

ROWS: list[dict[str, Any]] = [
    {"q": f"How much is {number} + {number}?", "a": 2 * number, "g": "even"} for number in range(1, 6)
]


@pytest.fixture
def client(workspace: Workspace) -> Iterator[EvalRouter]:
    with EvalRouter(base_url=workspace.service.endpoint.base_url, api_key=workspace.secret) as opened:
        yield opened


def manifest(folder: Path, rows: list[dict[str, Any]] | None = None, **changes: Any) -> Path:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (ROWS if rows is None else rows)))
    document = {
        "slug": "my-bench",
        "source": {"kind": "file", "path": "rows.jsonl"},
        "rows": {"inputs": {"question": "q"}, "target": "a", "group": "g"},
        "protocol": {"user": "{question} End with ANSWER: <number>"},
        "grader": {"kind": "numeric"},
        "limits": {"max_output_tokens": 32, "task_seconds": 30},
    } | changes
    path = folder / "manifest.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


def test_from_a_manifest_to_a_score(client: EvalRouter, provider: Provider, tmp_path: Path) -> None:
    made = client.benchmarks.create(manifest(tmp_path, name="My Bench"))
    assert (str(made), made.task_count, made.groups, made.is_own, made.is_default) == (
        "my-bench@1",
        5,
        ("even",),
        True,
        True,
    )
    assert made.sources[0].location == "rows.jsonl"
    for name in ("my-bench", "my-bench@1", "MY-BENCH", "my bench", made.id):
        assert client.benchmarks.get(name) == made
    provider.text = "ANSWER: 4"
    run = client.runs.create(benchmark="my-bench", model=provider.connect(client), max_cost=1, wait=True)
    assert (run.status, run.score, str(run.benchmark)) == ("completed", 0.2, "my-bench@1")
    (right,) = [result for result in run.results() if result.correct]
    assert right.target == {"answer": "4"}
    assert provider.asked["How much is 2 + 2? End with ANSWER: <number>"] == 1


def test_a_dry_run_makes_nothing(client: EvalRouter, tmp_path: Path) -> None:
    check = client.benchmarks.check(manifest(tmp_path))
    assert (str(check), check.ok, check.exists, check.item_count) == ("my-bench@1", True, False, 5)
    assert [example.row for example in check.examples] == [1, 2, 3]
    with pytest.raises(NotFoundError):
        client.benchmarks.get("my-bench")
    client.benchmarks.create(manifest(tmp_path))
    assert client.benchmarks.check(manifest(tmp_path)).exists


def test_wrong_rows_make_nothing(client: EvalRouter, tmp_path: Path) -> None:
    wrong = manifest(tmp_path, [*ROWS, {"q": "?", "g": "odd"}, {"q": "??", "a": "none", "g": "odd"}])
    check = client.benchmarks.check(wrong)
    assert [(each.row, each.code) for each in check.problems] == [(6, "missing_column"), (7, "wrong_target")]
    with pytest.raises(InvalidRequestError, match=r"row 6: it has no 'a'.*and 1 more") as caught:
        client.benchmarks.create(wrong)
    assert caught.value.code == "invalid_rows"
    with pytest.raises(NotFoundError):
        client.benchmarks.get("my-bench")


def test_a_version_never_changes(client: EvalRouter, tmp_path: Path) -> None:
    first = client.benchmarks.create(manifest(tmp_path))
    assert client.benchmarks.create(manifest(tmp_path)) == first
    assert client.benchmarks.create(manifest(tmp_path, version=1)) == first
    with pytest.raises(ConflictError, match="the next version is 2") as caught:
        client.benchmarks.create(manifest(tmp_path, ROWS[:4], version=1))
    assert (caught.value.code, caught.value.details["next_version"]) == ("version_taken", "2")
    with pytest.raises(ConflictError, match="the next version is 2"):
        client.benchmarks.check(manifest(tmp_path, version=1, protocol={"user": "{question}"}))
    second = client.benchmarks.create(manifest(tmp_path, ROWS[:4]))
    assert str(second) == "my-bench@2"
    assert client.benchmarks.get("my-bench") == second
    assert client.benchmarks.get("my-bench@1").task_count == 5
    assert client.benchmarks.create(manifest(tmp_path)).id == first.id


def test_an_archived_version_comes_back_with_its_content(
    client: EvalRouter, provider: Provider, tmp_path: Path
) -> None:
    first = client.benchmarks.create(manifest(tmp_path))
    run = client.runs.create(benchmark="my-bench", model=provider.connect(client), max_cost=1, wait=True)
    client.benchmarks.archive("my-bench")
    with pytest.raises(NotFoundError):
        client.benchmarks.get("my-bench")
    assert first.id not in [each.id for each in client.benchmarks.list()]
    assert client.runs.get(run.id).score == run.score
    with pytest.raises(ConflictError, match="never changes"):
        client.benchmarks.create(manifest(tmp_path, ROWS[:2], version=1))
    assert client.benchmarks.create(manifest(tmp_path)).id == first.id
    assert client.benchmarks.get("my-bench").id == first.id


def test_the_catalog_is_neither_shadowed_nor_archived(client: EvalRouter, tmp_path: Path) -> None:
    with pytest.raises(ConflictError, match="a benchmark of the catalog") as caught:
        client.benchmarks.create(manifest(tmp_path, slug="gsm8k"))
    assert caught.value.code == "name_taken"
    with pytest.raises(ConflictError, match="of the catalog"):
        client.benchmarks.archive("gsm8k")
    client.benchmarks.create(manifest(tmp_path, name="GSM8K"))
    assert not client.benchmarks.get("gsm8k").is_own
    assert not client.benchmarks.get("GSM8K").is_own


def test_another_workspace_sees_nothing(
    client: EvalRouter, provider: Provider, other_workspace: Workspace, tmp_path: Path
) -> None:
    made = client.benchmarks.create(manifest(tmp_path))
    with EvalRouter(base_url=other_workspace.service.endpoint.base_url, api_key=other_workspace.secret) as other:
        assert made.id not in [each.id for each in other.benchmarks.list()]
        for name in ("my-bench", "my-bench@1", made.id):
            with pytest.raises(NotFoundError):
                other.benchmarks.get(name)
        other_model = other.models.get(provider.connect(other)).id
        theirs = other.benchmarks.create(manifest(tmp_path, ROWS[:3]))
        assert (str(theirs), theirs.task_count) == ("my-bench@1", 3)
        assert theirs.id != made.id
    asked = other_workspace.client.get(f"/v1/benchmarks/{made.id}")
    archived = other_workspace.client.delete(f"/v1/benchmarks/{made.id}")
    quoted = other_workspace.client.post("/v1/quotes", json={"benchmark_id": made.id, "model_id": other_model})
    assert [asked.status_code, archived.status_code, quoted.status_code] == [404, 404, 404]


def test_another_workspaces_upload_is_unknown(workspace: Workspace, other_workspace: Workspace) -> None:
    data = b'{"q": "a", "a": "1", "g": "x"}\n'
    begin = {"sha256": hashlib.sha256(data).hexdigest(), "byte_count": len(data)}
    upload = workspace.client.post("/v1/uploads", json=begin).json()
    path = f"/v1/uploads/{upload['id']}/parts/0"
    assert other_workspace.client.put(path, content=data).status_code == 404
    assert other_workspace.client.post("/v1/uploads", json=begin).json()["id"] != upload["id"]
    assert workspace.client.put(path, content=b"x").status_code == 422
    assert workspace.client.put(path.replace("/0", "/1"), content=data).status_code == 422
    assert workspace.client.put(path, content=data).status_code == 204
    assert workspace.client.post("/v1/uploads", json=begin).json()["parts_received"] == 1


def test_an_upload_that_is_not_what_was_announced_is_refused(workspace: Workspace) -> None:
    begin = {"sha256": "0" * 64, "byte_count": 5}
    upload = workspace.client.post("/v1/uploads", json=begin).json()
    document = {
        "manifest": {
            "slug": "x",
            "source": {"kind": "file", "path": "a.csv"},
            "rows": {"inputs": {"q": "q"}, "target": "a"},
            "protocol": {"user": "{q}"},
            "grader": {"kind": "exact"},
        },
        "upload_id": upload["id"],
    }
    missing = workspace.client.post("/v1/benchmark-checks", json=document)
    assert "part 0 of 1 has not come" in missing.json()["message"]
    workspace.client.put(f"/v1/uploads/{upload['id']}/parts/0", content=b"other")
    refused = workspace.client.post("/v1/benchmarks", json=document)
    assert (refused.status_code, "send the file anew" in refused.json()["message"]) == (422, True)
    assert workspace.client.post("/v1/uploads", json=begin).json()["parts_received"] == 0
    assert workspace.client.post("/v1/uploads", json={**begin, "byte_count": 2**40}).status_code == 422


def test_a_hub_file_comes_through_the_mirror(
    client: EvalRouter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = manifest(tmp_path)
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    sha256 = hashlib.sha256((tmp_path / "rows.jsonl").read_bytes()).hexdigest()
    shutil.copy(tmp_path / "rows.jsonl", mirror / sha256)
    hub = {"kind": "hub", "repository": "me/data", "commit": "0" * 40, "path": "data/rows.jsonl", "sha256": sha256}
    document = {**yaml.safe_load(path.read_text()), "slug": "from-hub", "source": hub}
    monkeypatch.setenv("EVALROUTER_MIRROR", str(mirror))
    made = client.benchmarks.create(document)
    assert (str(made), made.task_count, made.sources[0].kind) == ("from-hub@1", 5, "hub")
    with pytest.raises(DataUnavailableError, match="EVALROUTER_MIRROR"):
        client.benchmarks.create({**document, "source": {**hub, "sha256": "1" * 64, "repository": "a.invalid/b"}})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("slug: [", "is not YAML"),
        ("- a", "holds no manifest"),
        ("slug: x\nsource: {kind: file}", "source.path is missing"),
        ("slug: x\nsource: {kind: file, path: gone.csv}", "gone.csv cannot be read"),
        ("slug: 2024-01-01\nsource: {kind: hub}", "write it in quotes"),
        ("slug: &slug [*slug]", "write it in quotes"),
        (BOMB, "use fewer aliases"),
    ],
)
def test_a_manifest_that_cannot_be_read(client: EvalRouter, tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "manifest.yaml"
    path.write_text(text)
    with pytest.raises(InvalidArgumentError, match=says):
        client.benchmarks.create(path)
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        client.benchmarks.create(tmp_path / "gone.yaml")


def test_attempts_are_the_repeats_of_a_run_that_names_none(
    client: EvalRouter, provider: Provider, tmp_path: Path
) -> None:
    client.benchmarks.create(manifest(tmp_path, attempts=3))
    model = provider.connect(client)
    quoted = [client.quotes.create(benchmark="my-bench", model=model, repeats=repeats) for repeats in (None, 1, 2)]
    assert [quote.plan.repeats for quote in quoted] == [3, 1, 2]


@pytest.mark.parametrize("name", ["manifest.yaml", "judged.yaml"])
def test_the_examples_of_the_page_are_benchmarks(client: EvalRouter, name: str) -> None:
    path = Path(__file__).resolve().parents[2] / "examples" / "own-benchmark" / name
    check = client.benchmarks.check(path)
    assert (check.problem_count, check.item_count) == (0, 6)
    assert client.benchmarks.create(path).task_count == 6


def test_the_page_shows_the_example() -> None:
    checkout = Path(__file__).resolve().parents[2]
    written = (checkout / "examples" / "own-benchmark" / "manifest.yaml").read_text("utf-8")
    assert f"```yaml\n{written}```" in (checkout / "docs" / "your-own-benchmark.md").read_text("utf-8")
