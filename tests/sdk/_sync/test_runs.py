# Generated from tests/sdk/_async/test_runs.py by scripts/regen; do not edit.

"""Runs from create to export, over HTTP."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from evalrouter import types
from evalrouter._sync.client import EvalRouter
from evalrouter._sync.run import Run
from evalrouter.errors import (
    ExportExistsError,
    InvalidArgumentError,
    MaxCostTooLowError,
    NotFoundError,
    QuoteError,
    WaitTimeout,
)
from tests.sdk import documents
from tests.sdk.contract_server import DROP, Answer, ContractServer, Request, event_stream, event_text, problem

RUN = f"/v1/runs/{documents.RUN_ID}"


@pytest.fixture
def client(server: ContractServer) -> Iterator[EvalRouter]:
    with EvalRouter(api_key="er_x", base_url=server.url) as made:
        yield made


def started(server: ContractServer, status: int = 201, **changes: Any) -> None:
    server.on("POST", "/v1/runs", Answer(documents.run("running", **changes), status))


def progressing(server: ContractServer, *states: dict[str, Any]) -> None:
    server.on("GET", RUN, [Answer(state) for state in states])


def files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_names_become_ids_and_amounts_micro_usd(client: EvalRouter, server: ContractServer) -> None:
    started(server)
    run = client.runs.create(
        benchmark="gsm8k@2",
        model="openai/gpt-5",
        max_cost="0.25",
        coverage={"mode": "sample", "sample_count": 50, "seed": 42, "stratify": "group"},
        concurrency=4,
        name="mine",
        metadata={"team": "a"},
        idempotency_key="mine-1",
    )
    (asked,) = server.asked("POST", "/v1/runs")
    assert asked.body == {
        "source": "spec",
        "spec": {
            "benchmark_id": "bench_1",
            "model_id": "model_1",
            "max_cost_microusd": 250_000,
            "coverage": {"mode": "sample", "sample_count": 50, "seed": 42, "stratify": "group"},
            "concurrency": 4,
            "repeats": 1,
            "name": "mine",
            "metadata": {"team": "a"},
            "dedupe_key": "mine-1",
        },
    }
    assert server.asked("GET", "/v1/benchmarks")[0].query["match"] == "gsm8k@2"
    assert server.asked("GET", "/v1/models")[0].query["match"] == "openai/gpt-5"
    assert (run.id, run.status, run.reused) == (documents.RUN_ID, "running", False)


def test_a_run_shows_its_state(client: EvalRouter) -> None:
    run = client.runs.get(documents.RUN_ID)
    assert (run.score, run.cost, run.cap, run.max_cost) == (0.75, Decimal("0.25"), Decimal(5), Decimal(5))
    assert (str(run.benchmark), str(run.model)) == ("gsm8k@2", "gpt-5")
    assert run.metrics["accuracy"].low == 0.53
    assert run.groups["all"].n == 20
    assert run.coverage.graded == 20
    assert run.has_ended
    assert run.is_sample
    assert not run.is_partial


def test_a_reused_run_says_so(client: EvalRouter, server: ContractServer, capsys: pytest.CaptureFixture[str]) -> None:
    started(server, 200)
    run = client.runs.create(benchmark="gsm8k", model="gpt-5")
    assert run.reused
    notice = capsys.readouterr().err
    assert notice.startswith(f"reused {documents.RUN_ID} from 2026-11-29 (running); pass idempotency_key= ")
    assert notice.count("\n") == 1


def test_a_dry_run_is_a_quote_and_starts_nothing(client: EvalRouter, server: ContractServer) -> None:
    server.on("POST", "/v1/quotes", Answer(documents.quote(), 201))
    quote = client.runs.create(benchmark="gsm8k", model="gpt-5", max_cost=1, dry_run=True)
    assert isinstance(quote, types.Quote)
    assert (quote.maximum_charge, quote.shortfall) == (Decimal("4.8"), Decimal("3.8"))
    assert not quote.within_max_cost
    assert quote.largest_sample_count == 270
    assert "at most $4.80" in quote.explain()
    assert "a sample of 270 fits" in quote.explain()
    assert not server.asked("POST", "/v1/runs")


def test_a_quote_is_started_by_its_id_alone(client: EvalRouter, server: ContractServer) -> None:
    started(server)
    server.on("GET", "/v1/quotes/quote_1", Answer(documents.quote()))
    client.runs.create(quote_id="quote_1")
    assert server.asked("POST", "/v1/runs")[0].body == {"source": "quote", "quote_id": "quote_1"}
    with pytest.raises(InvalidArgumentError, match="quote_id= takes no max_cost, name"):
        client.runs.create(quote_id="quote_1", max_cost=5, name="x")  # type: ignore[call-overload]
    server.on("POST", "/v1/runs", problem(409, "quote_expired"))
    with pytest.raises(QuoteError):
        client.runs.create(quote_id="quote_1")


def test_too_low_a_max_cost_carries_the_quote(client: EvalRouter, server: ContractServer) -> None:
    details: dict[str, Any] = {"quote": documents.quote(), "shortfall_microusd": 3_800_000, "largest_sample_count": 270}
    server.on("POST", "/v1/runs", problem(402, "max_cost_too_low", **details))
    with pytest.raises(MaxCostTooLowError) as caught:
        client.runs.create(benchmark="gsm8k", model="gpt-5", max_cost=1)
    assert caught.value.quote is not None
    assert caught.value.quote.id == "quote_1"
    assert caught.value.shortfall == Decimal("3.8")
    assert caught.value.largest_sample_count == 270


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_cost": 0},
        {"max_cost": float("nan")},
        {"max_cost": "$5"},
        {"coverage": {"mode": "some"}},
        {"coverage": {"mode": "sample", "sample_count": 0}},
        {"coverage": {"mode": "sample", "sample_count": 5, "stratify": "model"}},
        {"coverage": {"mode": "full", "stratify": "group"}},
        {"concurrency": 0},
        {"repeats": True},
        {"name": ""},
        {"metadata": {"a": 1}},
        {"idempotency_key": ""},
        {"benchmark": " "},
        {"model": None},
    ],
)
def test_wrong_arguments_are_refused_before_any_request(
    client: EvalRouter, server: ContractServer, wrong: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArgumentError):
        client.runs.create(**{"benchmark": "gsm8k", "model": "gpt-5", **wrong})
    assert server.requests == []


def test_an_unknown_name_has_suggestions(client: EvalRouter, server: ContractServer) -> None:
    server.on("GET", "/v1/models", Answer(documents.page(suggestions=["gpt-5", "gpt-5-mini"])))
    with pytest.raises(NotFoundError) as caught:
        client.runs.create(benchmark="gsm8k", model="gpt-55")
    assert caught.value.suggestions == ("gpt-5", "gpt-5-mini")
    assert not server.asked("POST", "/v1/runs")


def test_waiting_follows_the_events_to_the_end(client: EvalRouter, server: ContractServer) -> None:
    started(server)
    progressing(server, documents.run("running", score=None, last_seq=3), documents.run("completed", last_seq=9))
    server.on("GET", f"{RUN}/events/stream", event_stream(event_text(9, "run.ended")))
    seen: list[types.Progress] = []
    run = client.runs.create(benchmark="gsm8k", model="gpt-5", wait=True, on_progress=seen.append)
    assert run.status == "completed"
    assert [each.run.status for each in seen] == ["running", "completed"]
    assert (seen[-1].done, seen[-1].total, seen[-1].cost) == (20, 20, Decimal("0.25"))
    (stream,) = server.asked("GET", f"{RUN}/events/stream")
    assert stream.headers["last-event-id"] == "3"


def test_waiting_survives_lost_connections(client: EvalRouter, server: ContractServer) -> None:
    answers = [Answer(documents.run("running"))] * 3 + [DROP, DROP, Answer(documents.run("completed"))]
    server.on("GET", RUN, answers)
    broken = event_stream(event_text(4, "task.graded"), drop_after=1)
    server.on("GET", f"{RUN}/events/stream", [broken, DROP, problem(503, "restarting"), event_stream()])
    run = (client.runs.get(documents.RUN_ID)).wait()
    assert run.status == "completed"


def test_waiting_resumes_a_paused_run(client: EvalRouter, server: ContractServer) -> None:
    progressing(server, documents.run("paused"), documents.run("completed"))
    server.on("POST", f"{RUN}/resume", Answer(documents.run("running")))
    server.on("GET", f"{RUN}/events/stream", event_stream(event_text(4, "run.ended")))
    run = Run(client._transport, (client.runs.get(documents.RUN_ID)).data)
    progressing(server, documents.run("paused"), documents.run("completed"))
    assert (run.wait()).status == "completed"
    assert len(server.asked("POST", f"{RUN}/resume")) == 1


def test_waiting_gives_up_in_time_and_cancels_nothing(client: EvalRouter, server: ContractServer) -> None:
    progressing(server, documents.run("running"))
    run = client.runs.get(documents.RUN_ID)
    with pytest.raises(WaitTimeout, match=r"still running after 0\.3 seconds") as caught:
        run.wait(timeout=0.3)
    assert (caught.value.run_id, caught.value.timeout) == (documents.RUN_ID, 0.3)
    assert {request.method for request in server.requests} == {"GET"}


def test_waiting_for_an_ended_run_returns_at_once(client: EvalRouter, server: ContractServer) -> None:
    progressing(server, documents.run("failed"))
    run = client.runs.get(documents.RUN_ID)
    assert (run.wait(timeout=0)).status == "failed"


def test_events_go_on_where_they_were_lost(client: EvalRouter, server: ContractServer) -> None:
    progressing(server, documents.run("running", last_seq=4))

    def stream(request: Request) -> Answer:
        after = int(request.headers.get("last-event-id", 0))
        if after == 0:
            return event_stream(event_text(1, "run.created"), event_text(2, "run.started"), drop_after=2)
        return event_stream(
            *(event_text(seq, kind) for seq, kind in ((3, "task.graded"), (4, "run.ended")) if seq > after)
        )

    server.on("GET", f"{RUN}/events/stream", stream)
    run = client.runs.get(documents.RUN_ID)
    assert [event.seq for event in run.events()] == [1, 2, 3, 4]
    assert [event.seq for event in client.events.stream(documents.RUN_ID, after=2)] == [3, 4]


def test_events_up_to_now_are_a_list(client: EvalRouter, server: ContractServer) -> None:
    def events(request: Request) -> Answer:
        after = int(request.query["after"])
        items = [
            json.loads(event_text(seq, "task.graded").split(b"data: ")[1])
            for seq in range(after + 1, min(after + 2, 3) + 1)
        ]
        return Answer({"items": items, "last_seq": 3, "run_status": "running"})

    server.on("GET", f"{RUN}/events", events)
    assert [event.seq for event in client.events.list(documents.RUN_ID)] == [1, 2, 3]


def test_results_are_a_list_or_walked(client: EvalRouter, server: ContractServer) -> None:
    def results(request: Request) -> Answer:
        if "cursor" not in request.query:
            return Answer(documents.page(documents.result(0), documents.result(1), cursor="next"))
        return Answer(documents.page(documents.result(2)))

    server.on("GET", f"{RUN}/results", results)
    run = client.runs.get(documents.RUN_ID)
    assert [result.index for result in run.results()] == [0, 1, 2]
    assert [result.index for result in run.results().list()] == [0, 1, 2]
    assert [result.index for result in run.results(limit=1).list()] == [0]
    first = run.results().first()
    assert first is not None
    assert first.charge == Decimal("0.000063")
    assert first.usage.output_tokens == 5


def test_calls_explain_the_charges(client: EvalRouter, server: ContractServer) -> None:
    server.on("GET", f"{RUN}/calls", Answer(documents.page(documents.call(1))))
    run = client.runs.get(documents.RUN_ID)
    (call,) = run.calls().list()
    assert (call.charge, call.tries[0].reservation) == (Decimal("0.000063"), Decimal("0.003"))


def test_runs_are_listed_as_handles(client: EvalRouter, server: ContractServer) -> None:
    server.on("GET", "/v1/runs", Answer(documents.page(documents.run())))
    (run,) = client.runs.list(status="completed", limit=1).list()
    assert isinstance(run, Run)
    assert server.asked("GET", "/v1/runs")[0].query == {"status": "completed", "limit": "1"}
    with pytest.raises(InvalidArgumentError, match="status='done'"):
        client.runs.list(status="done")  # type: ignore[arg-type]


def test_cancel_and_resume_replace_the_snapshot(client: EvalRouter, server: ContractServer) -> None:
    progressing(server, documents.run("running"))
    server.on("POST", f"{RUN}/cancel", Answer(documents.run("cancelling")))
    server.on("POST", f"{RUN}/resume", Answer(documents.run("running")))
    run = client.runs.get(documents.RUN_ID)
    before = run.data
    assert (run.cancel()).status == "cancelling"
    assert before.status == "running"
    assert (run.resume()).status == "running"
    assert (client.runs.cancel(documents.RUN_ID)).status == "cancelling"
    assert (client.runs.resume(documents.RUN_ID)).status == "running"


def test_export_never_overwrites_unless_told(client: EvalRouter, server: ContractServer, tmp_path: Path) -> None:
    server.on("GET", f"{RUN}/export", Answer(chunks=[b"a,b\n", b"1,2\n"]))
    run = client.runs.get(documents.RUN_ID)
    first = run.export(tmp_path, format="csv")
    second = run.export(tmp_path, format="csv")
    assert (first.name, second.name) == (f"gsm8k-{run.id}.csv", f"gsm8k-{run.id}-2.csv")
    assert first.read_bytes() == b"a,b\n1,2\n"
    asked = len(server.requests)
    with pytest.raises(ExportExistsError, match="overwrite=True"):
        run.export(first, format="csv")
    assert len(server.requests) == asked
    assert run.export(first, format="csv", overwrite=True) == first
    with pytest.raises(InvalidArgumentError, match="format='xls'"):
        run.export(tmp_path, format="xls")  # type: ignore[arg-type]


def test_a_broken_export_leaves_no_file(client: EvalRouter, server: ContractServer, tmp_path: Path) -> None:
    server.on("GET", f"{RUN}/export", Answer(chunks=[b"a", b"b"], drop_after=1))
    run = client.runs.get(documents.RUN_ID)
    with pytest.raises(ConnectionError):
        run.export(tmp_path / "out.json")
    assert files(tmp_path) == []


def test_gateway_key_and_quote_of_a_run(client: EvalRouter, server: ContractServer) -> None:
    key = {"id": "gk_1", "run_id": documents.RUN_ID, "secret": "erg_secret", "base_url": server.url, "model": "gpt-5"}
    server.on("POST", f"{RUN}/gateway-keys", Answer(key, 201))
    server.on("GET", "/v1/quotes/quote_1", Answer(documents.quote()))
    run = client.runs.get(documents.RUN_ID)
    made = run.gateway_key()
    assert made.secret == "erg_secret"
    assert "erg_secret" not in repr(made)
    assert (run.quote()).id == "quote_1"
    assert (client.quotes.get("quote_1")).plan.item_ids == ("a", "b")


@pytest.mark.parametrize("wrong", ["mine", "quote_1", "run_", "run_1/results", "", None, 5])
def test_what_is_no_id_is_refused_before_any_request(client: EvalRouter, server: ContractServer, wrong: Any) -> None:
    before = len(server.requests)
    for call in (client.runs.get, client.runs.cancel, client.runs.resume, client.events.list):
        with pytest.raises(
            InvalidArgumentError, match=r"is not the ID of a run, which begins with run_: client\.runs\.l"
        ):
            call(wrong)
    with pytest.raises(InvalidArgumentError, match="is not the ID of a quote"):
        client.runs.create(quote_id="run_1")
    assert len(server.requests) == before


def test_text_that_cannot_be_sent_is_refused(client: EvalRouter) -> None:
    for name in ("half \ud800", "bytes of another encoding \udcff"):
        with pytest.raises(InvalidArgumentError, match=r"A text holds '\\ud\w+', which cannot be sent"):
            client.models.get(name)
        with pytest.raises(InvalidArgumentError, match="cannot be sent"):
            client.keys.create(name)


def test_an_export_into_no_folder_names_the_folder(client: EvalRouter, server: ContractServer, tmp_path: Path) -> None:
    server.on("GET", RUN, Answer(documents.run()))
    run = client.runs.get(documents.RUN_ID)
    with pytest.raises(InvalidArgumentError, match=r"x\.json cannot be written: .*nowhere: No such file or directory"):
        run.export(tmp_path / "nowhere" / "x.json")
