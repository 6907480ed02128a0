"""The built-in model for real: its weights, its process, and the question set that ships with the package."""

import json
from pathlib import Path

import pytest
from evalrouter_server.catalog.artifacts import SMOLLM2_135M

from evalrouter import EvalRouter
from tests.e2e.programs import evalrouter
from tests.upstreams.weights import weights


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the weights, named by their sha256; skips the test where they cannot be had."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    (folder / SMOLLM2_135M.member_sha256).symlink_to(weights())
    monkeypatch.setenv("EVALROUTER_MIRROR", str(folder))
    return folder


def test_a_real_model_is_evaluated(data_dir: Path, mirror: Path) -> None:
    ended = evalrouter("run", "first-steps", "--model", "smollm2-135m", "--sample", "6", "--json")
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert (document["status"], document["model"], document["cost_usd"]) == ("completed", "smollm2-135m", "0")
    assert (document["coverage"]["graded"], document["metrics"]["accuracy"]["n"]) == (6, 6)
    with EvalRouter() as client:
        results = client.runs.get(document["id"]).results().list()
        assert client.wallet.get().available == 20
        assert client.wallet.verify().ok
    assert sum(result.score or 0 for result in results) / 6 == document["score"]
    assert all(result.output and result.usage.input_tokens and result.usage.output_tokens for result in results)
    assert len({result.output for result in results}) > 1
