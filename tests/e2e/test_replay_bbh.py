"""A model's published answers to BIG-Bench Hard through the whole product: the publisher's accuracies, to the digit.

EVALROUTER_TEST_BBH_RECORDINGS names more folders to check, of the same form as the shared one: for each model and task
a file `MODEL.TASK.jsonl` with `input` and `output` on each line, and `published_accuracy.json` with the accuracy of
each task in percent.
"""

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

from evalrouter import EvalRouter
from tests.catalog.real_data import make_mirror
from tests.e2e.provider import Provider
from tests.shared_data import SHARED, needs_shared
from tests.upstreams.replay import replay

AT_ONCE = 64
"""Calls at once: the more there are, the fewer commits they take together, and what they come to is the same."""

NO_RECORDING = "There is no recording of this question."


def recordings() -> dict[str, list[Path]]:
    """The files of each model, by folder and model."""
    shared = [SHARED / "data" / "bbh" / "recorded"] if SHARED else []
    named = [Path(name) for name in os.environ.get("EVALROUTER_TEST_BBH_RECORDINGS", "").split(os.pathsep) if name]
    found: defaultdict[str, list[Path]] = defaultdict(list)
    for folder in [*shared, *named]:
        for file in sorted(folder.glob("*.jsonl")):
            found[f"{folder}/{file.stem.rpartition('.')[0]}"].append(file)
    return found


def question_of(prompt: str) -> str:
    """The last question of the published prompt."""
    return prompt.rpartition("\n\nQ: ")[2].removesuffix("\nA: Let's think step by step.")


@needs_shared
@pytest.mark.timeout(600)
@pytest.mark.parametrize("files", recordings().values(), ids=[key.rpartition("/")[2] for key in recordings()])
def test_published_accuracies(
    files: list[Path], data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALROUTER_MIRROR", str(make_mirror(tmp_path / "mirror")))
    published = json.loads((files[0].parent / "published_accuracy.json").read_text())
    rows = {file.stem.rpartition(".")[2]: [json.loads(line) for line in file.open()] for file in files}
    outputs = {row["input"]: row["output"] for recorded in rows.values() for row in recorded}

    provider = Provider(replay(outputs, key_of=question_of, otherwise=NO_RECORDING))
    with provider, EvalRouter() as client:
        client.wallet.top_up(100)
        model = provider.connect(client, "recorded")
        run = client.runs.create(benchmark="bbh", model=model, max_cost=100, concurrency=AT_ONCE, wait=True)
        assert (run.status, str(run.benchmark), run.coverage.graded) == ("completed", "bbh@1", 6511)
        scores = {task: run.groups[task].score for task in rows}
        assert {task: (score or 0) * 100 for task, score in scores.items()} == {task: published[task] for task in rows}
        assert {task: run.groups[task].n for task in rows} == {task: len(recorded) for task, recorded in rows.items()}
        recorded = [result for result in run.results() if result.output != NO_RECORDING]
        assert len(recorded) == len(outputs)
        assert 0 < run.cost < run.cap
        assert client.wallet.verify().ok
