"""Captured traces are scored as runs like any other, and a trace becomes a row of a benchmark."""

import asyncio
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from evalrouter import AsyncEvalRouter, EvalRouter
from evalrouter.errors import (
    InvalidArgumentError,
    InvalidRequestError,
    MaxCostTooLowError,
    NotFoundError,
    PermissionDeniedError,
    StatusError,
)
from tests.e2e.audit import audit_calls
from tests.e2e.conftest import provider
from tests.e2e.provider import Provider
from tests.server.conftest import Workspace
from tests.traces.conftest import open_sender
from tests.traces.sender import Sender, span

__all__ = ["provider"]

NOBODY = "00000000-0000-7000-8000-000000000000"
REFUND = {"kind": "regex", "pattern": r"(?P<answer>refund|replacement)"}


@pytest.fixture
def client(workspace: Workspace) -> Iterator[EvalRouter]:
    with EvalRouter(base_url=workspace.service.endpoint.base_url, api_key=workspace.secret) as opened:
        yield opened


def capture(sender: Sender, number: int, answer: Any, **changes: Any) -> str:
    """Send a trace with one model span, and give the server's ID of it."""
    trace_id = f"{number:032x}"
    root = span(
        1,
        trace_id=trace_id,
        input={"message": f"question {number}"},
        **({} if answer is None else {"output": answer}),
        end_unix_nano=span(1)["start_unix_nano"] + number * 1_000_000_000,
        **changes,
    )
    model = span(2, 1, trace_id=trace_id, kind="model", tokens={"input": 100 * number, "output": 5}, cost_usd="0.25")
    receipt = sender.take(f"batch-{number}", root, model)
    return str(receipt["traces"][0]["server_trace_id"])


def test_a_set_of_traces_is_a_run_with_results_interval_export_and_comparison(
    client: EvalRouter, sender: Sender, provider: Provider, tmp_path: Path
) -> None:
    said = {1: "You get a refund.", 2: "You get a replacement.", 3: "a refund", 4: "No."}
    for number, text in said.items():
        capture(sender, number, {"answer": text})
    run = client.traces.evaluate(
        client.traces.list(name="step"), grader=REFUND, target="refund", output="/answer", name="support", wait=True
    )
    assert (run.status, run.score, run.cost) == ("completed", 0.5, Decimal())
    assert (str(run.data.model), run.name) == ("recorded", "support")
    (metric,) = run.metrics.values()
    assert (metric.name, metric.n) == ("accuracy", 4)
    assert metric.low is not None
    assert metric.high is not None
    assert metric.low < 0.5 < metric.high
    assert list(run.calls()) == []
    results = {result.output: result for result in run.results()}
    assert {text: result.correct for text, result in results.items()} == dict(
        zip(said.values(), (True, False, True, False), strict=True)
    )
    first = results["You get a refund."]
    assert first.inputs["messages"] == [{"role": "user", "content": '{"message": "question 1"}'}]
    assert (first.details or {})["trace"]["source_trace_id"] == f"{1:032x}"
    assert first.latency_seconds == pytest.approx(1.0)
    exported = run.export(format="jsonl", path=tmp_path / "results.jsonl")
    assert len(exported.read_text().splitlines()) == 4

    again = client.traces.evaluate(
        client.traces.list(name="step"), grader=REFUND, target="refund", output="/answer", name="support"
    )
    assert (again.id, again.reused) == (run.id, True)
    provider.text = "a refund"
    asked = client.runs.create(benchmark=run.data.benchmark.id, model=provider.connect(client), wait=True)
    compared = client.runs.compare(run, asked)
    assert (compared.others[0].gained, compared.others[0].lost) == (2, 0)


def test_further_traces_graded_in_the_same_way_are_the_next_version(client: EvalRouter, sender: Sender) -> None:
    ids = [capture(sender, number, "refund") for number in (1, 2)]
    runs = [client.traces.evaluate(each, grader=REFUND, target="refund", wait=True) for each in ids]
    assert runs[0].data.benchmark.slug == runs[1].data.benchmark.slug
    assert [run.data.benchmark.version for run in runs] == ["1", "2"]
    assert {run.score for run in runs} == {1.0}


@pytest.mark.parametrize(
    ("grader", "target", "answer", "score"),
    [
        ({"kind": "exact", "extraction": "whole"}, "42", "42", 1.0),
        ({"kind": "exact", "extraction": "whole"}, ["forty-two", "42"], "42", 1.0),
        ({"kind": "numeric"}, "42", "It is 41.", 0.0),
        ({"kind": "json_field", "pointer": "/status"}, "done", {"status": "done"}, 1.0),
        ({"kind": "json_field", "pointer": "/status"}, "done", {"status": "open"}, 0.0),
        ({"kind": "limit", "max_seconds": 3}, None, None, 1.0),
        ({"kind": "limit", "max_seconds": 2.5}, None, None, 0.0),
        ({"kind": "limit", "max_tokens": 305}, None, None, 1.0),
        ({"kind": "limit", "max_tokens": 304}, None, None, 0.0),
        ({"kind": "limit", "max_cost_usd": "0.25"}, None, None, 1.0),
        ({"kind": "limit", "max_cost_usd": 0.2, "max_seconds": 60}, None, None, 0.0),
    ],
)
def test_the_graders(
    client: EvalRouter, sender: Sender, grader: dict[str, Any], target: Any, answer: Any, score: float
) -> None:
    trace_id = capture(sender, 3, answer)
    run = client.traces.evaluate(trace_id, grader=grader, target=target, wait=True)
    assert (run.status, run.score) == ("completed", score), list(run.results())


def test_a_judge_is_asked_within_the_cap(client: EvalRouter, sender: Sender, provider: Provider) -> None:
    provider.connect(client, "judge")
    provider.text = '{"reason": "polite", "score": 0.75}'
    ids = [capture(sender, number, f"Good day number {number}") for number in (1, 2)]
    judge = {"kind": "judge", "model": "connection:judge", "rubric": "Is it polite?"}
    quote = client.traces.evaluate(ids, grader=judge, dry_run=True)
    assert (quote.plan.call_count, len(provider.requests)) == (4, 0)
    with pytest.raises(MaxCostTooLowError):
        client.traces.evaluate(ids, grader=judge, max_cost=quote.maximum_charge - Decimal("0.000001"))
    run = client.traces.evaluate(ids, grader=judge, max_cost=quote.maximum_charge, wait=True)
    assert (run.status, run.score) == ("completed", 0.75)
    calls = list(run.calls())
    audit_calls(client, run, calls)
    assert [call.purpose for call in calls] == ["judge", "judge"]
    assert 0 < run.cost <= quote.maximum_charge
    assert "Good day number 1" in json.dumps([request.body for request in provider.requests])


def test_what_is_not_stored_is_not_graded_and_never_wrong(
    client: EvalRouter, workspace: Workspace, sender: Sender
) -> None:
    stored = capture(sender, 1, {"answer": "refund"})
    with open_sender(workspace, "bare", stores_content=False) as bare:
        hidden = capture(bare, 2, {"answer": "refund"})
    silent = capture(sender, 3, None)
    elsewhere = capture(sender, 4, {"other": 1})
    spoilt = capture(sender, 5, {"answer": "refund\0"})
    orphan = sender.take("orphan", span(9, 8, trace_id="9" * 32))["traces"][0]["server_trace_id"]
    ids = [stored, hidden, silent, elsewhere, spoilt, orphan]
    run = client.traces.evaluate(ids, grader=REFUND, target="refund", output="/answer", wait=True)
    assert (run.status, run.score) == ("partial", 1.0)
    assert (run.coverage.selected, run.coverage.graded, run.coverage.failed) == (6, 1, 5)
    codes = {
        (result.details or {})["trace"]["trace_id"]: result.error.code
        for result in run.results()
        if result.error is not None
    }
    assert codes == {
        hidden: "content_not_stored",
        silent: "content_not_stored",
        elsewhere: "output_not_found",
        spoilt: "not_text",
        orphan: "root_missing",
    }
    assert all(result.correct is None for result in run.results() if result.status == "failed")


def test_a_question_that_is_not_at_its_pointer_is_not_graded(client: EvalRouter, sender: Sender) -> None:
    trace_id = capture(sender, 1, "refund")
    run = client.traces.evaluate(trace_id, grader=REFUND, target="refund", input="/question", wait=True)
    assert (run.score, [result.error.code for result in run.results() if result.error]) == (None, ["input_not_found"])
    asked = client.traces.evaluate(trace_id, grader=REFUND, target="refund", input="/message", wait=True)
    (result,) = asked.results()
    assert (result.correct, result.inputs["messages"][0]["content"]) == (True, "question 1")


def test_a_limit_reads_metadata_alone_and_needs_the_figure(
    client: EvalRouter, workspace: Workspace, sender: Sender
) -> None:
    with open_sender(workspace, "bare", stores_content=False) as bare:
        hidden = capture(bare, 2, "refund")
    unpriced = sender.take("plain", span(1))["traces"][0]["server_trace_id"]
    run = client.traces.evaluate([hidden, unpriced], grader={"kind": "limit", "max_tokens": 500}, wait=True)
    assert (run.score, run.coverage.graded, run.coverage.failed) == (1.0, 1, 1)
    assert [result.error.code for result in run.results() if result.error] == ["not_measured"]


def test_late_spans_and_deletion_change_no_set(client: EvalRouter, sender: Sender) -> None:
    trace_id = capture(sender, 1, "refund")
    run = client.traces.evaluate(trace_id, grader=REFUND, target="refund")
    client.traces.delete(trace_id)
    assert run.wait().score == 1.0
    with pytest.raises(NotFoundError, match=trace_id):
        client.traces.evaluate(trace_id, grader=REFUND, target="refund")


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"grader": REFUND}, InvalidRequestError, "has no target"),
        ({"grader": {"kind": "limit"}}, InvalidRequestError, "max_seconds"),
        ({"grader": {"kind": "limit", "max_seconds": 1e999}}, InvalidArgumentError, "JSON"),
        ({"grader": {"kind": "numeric"}, "target": "no number"}, InvalidRequestError, "row 1"),
        ({"grader": {"kind": "code"}, "target": "x"}, InvalidRequestError, "row 1"),
        ({"grader": {}}, InvalidArgumentError, "kind"),
        ({"grader": REFUND, "target": "nul\0"}, InvalidRequestError, "NUL"),
        ({"grader": REFUND, "target": "half \ud800"}, InvalidArgumentError, "Unicode"),
        ({"grader": REFUND, "target": 5}, InvalidArgumentError, "text"),
        ({"grader": REFUND, "target": "x", "output": "answer"}, InvalidArgumentError, "pointer"),
        ({"grader": REFUND, "target": "x", "targets": {NOBODY: "y"}}, StatusError, "none of source.ids"),
        ({"grader": {"kind": "judge", "model": "traces/recorded", "rubric": "r"}}, NotFoundError, "judge"),
        ({"grader": REFUND, "target": "x", "benchmark": "gsm8k"}, StatusError, "catalog"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(
    client: EvalRouter, sender: Sender, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    trace_id = capture(sender, 1, "refund")
    with pytest.raises(error, match=says):
        client.traces.evaluate(trace_id, **arguments)
    assert client.runs.list().list() == []


def test_traces_of_others_are_not_there(client: EvalRouter, other: Workspace, sender: Sender) -> None:
    with open_sender(other) as theirs:
        foreign = capture(theirs, 1, "refund")
    for wanted in ([foreign], [capture(sender, 2, "refund"), foreign]):
        with pytest.raises(NotFoundError, match=foreign):
            client.traces.evaluate(wanted, grader=REFUND, target="refund")
    with pytest.raises(InvalidArgumentError, match="0 traces"):
        client.traces.evaluate([], grader=REFUND, target="refund")
    with pytest.raises(InvalidArgumentError, match="no trace's ID"):
        client.traces.evaluate("trace-1", grader=REFUND, target="refund")


def test_the_switch_covers_evaluating(client: EvalRouter, sender: Sender) -> None:
    trace_id = capture(sender, 1, "refund")
    client.traces.enable(False)
    with pytest.raises(PermissionDeniedError, match="switched off"):
        client.traces.evaluate(trace_id, grader=REFUND, target="refund")


def test_recorded_answers_and_models_that_are_asked_are_kept_apart(
    client: EvalRouter, sender: Sender, provider: Provider
) -> None:
    trace_id = capture(sender, 1, "refund")
    run = client.traces.evaluate(trace_id, grader={"kind": "limit", "max_seconds": 9}, wait=True)
    with pytest.raises(InvalidRequestError, match="no model's own"):
        client.runs.create(benchmark=run.data.benchmark.id, model=provider.connect(client))
    with pytest.raises(InvalidRequestError, match="no recorded answers"):
        client.runs.create(benchmark="first-steps", model="traces/recorded")
    with pytest.raises(InvalidRequestError, match="graded once"):
        client.runs.create(benchmark=run.data.benchmark.id, model="traces/recorded", repeats=2)
    assert "recorded" not in {model.slug for model in client.models.list()}


def test_from_asyncio(workspace: Workspace, sender: Sender) -> None:
    capture(sender, 1, "refund")

    async def evaluate() -> float | None:
        url = workspace.service.endpoint.base_url
        async with AsyncEvalRouter(base_url=url, api_key=workspace.secret) as client:
            run = await client.traces.evaluate(client.traces.list(), grader=REFUND, target="refund", wait=True)
            return run.score

    assert asyncio.run(evaluate()) == 1.0


def test_a_trace_becomes_a_row_once(
    client: EvalRouter, workspace: Workspace, sender: Sender, provider: Provider, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    first, second = (capture(sender, number, {"answer": "refund"}) for number in (1, 2))
    kept = {"input": "/message", "output": "/answer", "target": "refund"}
    assert client.traces.save_as_row(first, rows, **kept) is True
    assert client.traces.save_as_row(first, rows, **kept) is False
    rows.write_bytes(rows.read_bytes().rstrip(b"\n"))
    assert client.traces.save_as_row(client.traces.get(second), rows, **kept) is True
    assert [json.loads(line) for line in rows.read_text().splitlines()] == [
        {"trace_id": trace_id, "input": f"question {number}", "output": "refund", "target": "refund"}
        for number, trace_id in ((1, first), (2, second))
    ]
    with open_sender(workspace, "bare", stores_content=False) as bare:
        hidden = capture(bare, 3, "refund")
    with pytest.raises(InvalidArgumentError, match="is not stored"):
        client.traces.save_as_row(hidden, rows)
    with pytest.raises(InvalidArgumentError, match="nothing at '/other'"):
        client.traces.save_as_row(first, tmp_path / "more.jsonl", input="/other")
    with pytest.raises(InvalidArgumentError, match="cannot be read or written"):
        client.traces.save_as_row(first, tmp_path)
    made = client.benchmarks.create(
        {
            "slug": "refunds",
            "source": {"kind": "file", "path": str(rows)},
            "rows": {"inputs": {"question": "input"}, "target": "target"},
            "protocol": {"user": "{question}"},
            "grader": REFUND,
        }
    )
    provider.text = "a refund"
    run = client.runs.create(benchmark=made.id, model=provider.connect(client), wait=True)
    assert (run.score, run.coverage.graded) == (1.0, 2)
