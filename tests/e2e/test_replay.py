"""Two models' published answers to the whole GSM8K test set, through the whole product: the publisher's own totals."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from evalrouter import EvalRouter
from tests.e2e.audit import audit
from tests.e2e.provider import Provider, prompt_of
from tests.shared_data import needs_shared, shared
from tests.upstreams.replay import replay

FINAL_LINE = re.compile(r"^A: (?=[^\n]*\Z)", re.MULTILINE)
RIGHT = {"6b_finetuning": 286, "175b_finetuning": 458}


def with_the_protocols_marker(output: str) -> str:
    """The recorded output with its last line `A: x` written as the protocol wants it."""
    return FINAL_LINE.sub("ANSWER: ", output.rstrip())


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the benchmark's file, named by its sha256, so that nothing is downloaded."""
    data = shared("data", "gsm8k", "test.jsonl").read_bytes()
    folder = tmp_path / "mirror"
    folder.mkdir()
    (folder / hashlib.sha256(data).hexdigest()).write_bytes(data)
    monkeypatch.setenv("EVALROUTER_MIRROR", str(folder))
    return folder


@needs_shared
@pytest.mark.parametrize("recording", RIGHT)
def test_the_full_test_set_scores_what_its_publisher_says(data_dir: Path, mirror: Path, recording: str) -> None:
    lines = shared("data", "gsm8k", "recorded", f"{recording}.jsonl").read_text("utf-8").splitlines()
    published = {row["question"]: row for row in map(json.loads, lines)}
    assert len(published) == 1319
    outputs = {question: row["output"] for question, row in published.items()}

    with Provider(replay(outputs, rewrite=with_the_protocols_marker)) as provider, EvalRouter() as client:
        model = provider.connect(client, recording.replace("_", "-"))
        run = client.runs.create(benchmark="gsm8k", model=model, max_cost=5, wait=True)

        assert (run.status, str(run.benchmark)) == ("completed", "gsm8k@2")
        assert (run.coverage.mode, run.coverage.selected, run.coverage.graded) == ("full", 1319, 1319)
        assert (run.coverage.failed, run.coverage.missing, run.is_sample, run.is_partial) == (0, 0, False, False)
        assert run.score == RIGHT[recording] / 1319
        accuracy = run.metrics["accuracy"]
        assert (accuracy.n, accuracy.method) == (1319, "wilson")
        assert accuracy.low is not None
        assert accuracy.high is not None
        assert accuracy.low < run.score < accuracy.high

        graded = {prompt_of(dict(result.inputs)).split("\n\n", 1)[1]: result for result in run.results()}
        assert graded.keys() == published.keys()
        differing = [
            question for question, row in published.items() if graded[question].correct is not row["published_correct"]
        ]
        assert differing == []

        assert audit(client, run, provider.asked) == []
        assert set(provider.asked.values()) == {1}
        assert run.cost < run.cap <= 5
        wallet = client.wallet.get()
        assert wallet.available == wallet.balance == 20 - run.cost
