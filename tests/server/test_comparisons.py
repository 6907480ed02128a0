"""Comparing runs over the contract, and what is refused."""

from typing import Any

import httpx
import pytest
from evalrouter_server.store.tables import runs as runs_table

from tests.server.conftest import Upstream, Workspace
from tests.server.test_access import problem
from tests.server.test_runs import create, spec


def finished(workspace: Workspace, body: dict[str, Any]) -> dict[str, Any]:
    return workspace.wait(create(workspace, body).json()["id"])


def compared(workspace: Workspace, baseline: str, *others: str, part: str = "comparison") -> httpx.Response:
    return workspace.client.get(f"/v1/runs/{baseline}/{part}", params={"with": list(others)})


@pytest.fixture
def runs(workspace: Workspace, upstream: Upstream) -> list[dict[str, Any]]:
    """Three runs: one that always answers `4`, one that answers as it should, one that answers nothing usable."""
    model = workspace.connect(upstream)
    always = finished(workspace, spec(workspace, model, 12, name="always 4"))
    targets = {
        row["inputs"]["messages"][-1]["content"]: str(next(iter(row["target"].values())))
        for row in workspace.client.get(f"/v1/runs/{always['id']}/results").json()["items"]
    }
    upstream.answer_by_prompt = targets
    knowing = finished(workspace, spec(workspace, model, 12, name="knowing"))
    upstream.answer_by_prompt = {}
    upstream.answer = "</script><b>I would rather not say</b>"
    silent = finished(workspace, spec(workspace, model, 12, name="silent"))
    return [always, knowing, silent]


def test_runs_beside_a_baseline(workspace: Workspace, runs: list[dict[str, Any]]) -> None:
    always, knowing, silent = runs
    answer = compared(workspace, always["id"], knowing["id"], silent["id"])
    assert answer.status_code == 200, answer.text
    document = answer.json()
    assert document["baseline"] == always
    assert [other["run"]["id"] for other in document["others"]] == [knowing["id"], silent["id"]]
    better, worse = document["others"]
    assert (better["shared"], better["baseline_only"], better["run_only"], better["lost"]) == (12, 0, 0, 0)
    assert better["difference"]["value"] == pytest.approx(knowing["score"] - always["score"])
    assert better["difference"]["low"] <= better["difference"]["value"] <= better["difference"]["high"]
    assert better["test"]["name"] == "mcnemar_exact"
    assert better["test"]["p_value"] == pytest.approx(2 * 0.5 ** better["gained"])
    assert better["test"]["p_value_adjusted"] == pytest.approx(2 * better["test"]["p_value"])
    assert better["both_right"] + better["both_wrong"] + better["gained"] == 12
    assert len(better["flips"]) == better["gained"] > 6
    flip = better["flips"][0]
    assert (flip["kind"], flip["baseline"]["score"], flip["run"]["score"]) == ("gained", 0.0, 1.0)
    assert [given["is_extracted"] for given in flip["run"]["answers"]] == [True]
    assert flip["run"]["answers"][0]["answer"] is not None
    assert (better["baseline_charge_microusd"], better["run_charge_microusd"]) == (12 * 23, 12 * 23)
    assert worse["difference"]["value"] <= 0


def test_only_shared_questions_and_their_cost_count(workspace: Workspace, upstream: Upstream) -> None:
    model = workspace.connect(upstream)
    small = finished(workspace, spec(workspace, model, 4))
    large = finished(workspace, spec(workspace, model, 10, repeats=2))
    found = compared(workspace, small["id"], large["id"]).json()["others"][0]
    assert (found["shared"], found["baseline_only"], found["run_only"]) == (4, 0, 6)
    assert (found["baseline_charge_microusd"], found["run_charge_microusd"]) == (4 * 23, 8 * 23)
    assert (found["baseline_metric"]["n"], found["run_metric"]["n"]) == (4, 8)
    assert found["test"] == {"name": "sign_exact", "p_value": 1.0, "p_value_adjusted": 1.0}


def test_what_cannot_be_compared_is_refused(
    workspace: Workspace, other_workspace: Workspace, upstream: Upstream
) -> None:
    model = workspace.connect(upstream)
    first = finished(workspace, spec(workspace, model, 2))
    elsewhere = {**spec(workspace, model, 2), "coverage": {"mode": "sample", "sample_count": 2, "seed": 12345}}
    apart = finished(workspace, elsewhere)
    document = problem(compared(workspace, first["id"], apart["id"]), 409, "not_comparable")
    assert "no question in common" in document["message"]
    problem(compared(workspace, first["id"], first["id"]), 422, "invalid_request")
    problem(compared(workspace, first["id"]), 422, "invalid_request")
    problem(compared(workspace, first["id"], "run_00000000000000000000000000"), 404, "not_found")
    theirs = create(other_workspace, spec(other_workspace, other_workspace.connect(upstream), 2)).json()
    other_workspace.wait(theirs["id"])
    for part in ("comparison", "comparison/report"):
        problem(compared(workspace, first["id"], theirs["id"], part=part), 404, "not_found")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"id": "bench_2", "version": "2"}, "versions of a benchmark differ"),
        ({"id": "bench_2", "slug": "first-steps-lm-eval"}, "different benchmarks or protocols"),
    ],
)
def test_other_versions_and_protocols_are_refused(
    workspace: Workspace, upstream: Upstream, changes: dict[str, str], why: str
) -> None:
    model = workspace.connect(upstream)
    first = finished(workspace, spec(workspace, model, 2))
    second = finished(workspace, spec(workspace, model, 2, name="of another version"))
    changed = {**second["benchmark"], **changes}
    update = runs_table.update().where(runs_table.c.id == second["id"]).values(benchmark=changed)
    workspace.service.write(lambda connection: connection.execute(update))
    document = problem(compared(workspace, first["id"], second["id"]), 409, "not_comparable")
    assert why in document["message"]
    assert changed["slug"] in document["message"]


def test_a_comparison_as_a_page(workspace: Workspace, runs: list[dict[str, Any]]) -> None:
    answer = compared(workspace, runs[0]["id"], runs[1]["id"], runs[2]["id"], part="comparison/report")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment")
    page = answer.text
    assert page.count("sample of 12 of 120 questions, seed 7") >= 3
    assert "</script><b>" not in page
    assert page.count("<script") == page.count("</script>") == 1
    assert "gained" in page
