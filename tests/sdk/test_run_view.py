"""What a run shows of itself."""

import pickle
from typing import Any

import pytest
from evalrouter_api.models import Run

from evalrouter.convert.runs import run as convert_run
from evalrouter.run_view import RunView, labels, score_text
from evalrouter.types import RunData
from tests.sdk import documents


def data(status: str = "completed", **changes: Any) -> RunData:
    return convert_run(Run.from_dict(documents.run(status, **changes)))


def test_repr_shows_score_interval_cost_and_labels() -> None:
    view = RunView(data("partial", is_partial=True, coverage=documents.coverage(20, 15, 2), flags=["usage_estimated"]))
    assert repr(view) == (
        f"<RunView {documents.RUN_ID} partial gsm8k@2 gpt-5 score=0.750 [0.530, 0.890], cost=$0.25 of $5.00, "
        "sample of 20 of 1319, partial: 15 of 20 graded, usage_estimated>"
    )


def test_no_score_is_not_a_zero() -> None:
    assert score_text(data(score=None)) == "none"
    assert score_text(data(score=0.5, metrics=[])) == "0.500"


def test_a_full_run_has_no_labels() -> None:
    assert labels(data(is_sample=False)) == []


def test_html_is_escaped_and_labelled() -> None:
    html = RunView(data(name="<script>alert(1)</script>", status_reason="a & b"))._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "a &amp; b" in html
    assert "sample of 20 of 1319" in html


def test_the_snapshot_is_frozen_and_picklable() -> None:
    snapshot = data()
    with pytest.raises(AttributeError):
        snapshot.status = "failed"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(snapshot)) == snapshot


def test_handles_of_one_run_are_equal() -> None:
    assert RunView(data("running")) == RunView(data("completed"))
    assert len({RunView(data("running")), RunView(data("completed"))}) == 1
    assert RunView(data()) != RunView(data(id="run_other"))
