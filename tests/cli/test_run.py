"""`run` from the quote to the score, with a double of a paid provider: documents, exit codes, labels, money."""

from collections.abc import Iterator
from typing import Any

import pytest

from evalrouter import EvalRouter
from tests.cli.conftest import Command, Ended
from tests.cli.provider import Provider

RUN_FIELDS = {
    "id",
    "status",
    "benchmark",
    "model",
    "score",
    "metrics",
    "groups",
    "coverage",
    "cost_usd",
    "max_cost_usd",
    "started_at",
    "ended_at",
}
COST_OF_A_CALL = 0.00003
"""20 input tokens at 1 USD and 5 output tokens at 2 USD per million."""


@pytest.fixture(scope="module", autouse=True)
def server(evalrouter: Command) -> Iterator[None]:
    """One embedded server that all commands of this module attach to."""
    with evalrouter.surroundings():
        client = EvalRouter()
        client.whoami()
    yield
    client.close()


@pytest.fixture(scope="module", autouse=True)
def connections(evalrouter: Command, server: None, provider: Provider) -> None:
    """A paid and a free connection to the provider's double."""
    where = ("--base-url", provider.base_url, "--model", "upstream-1")
    prices = ("--input-price", "1", "--output-price", "2", "--key-stdin")
    assert evalrouter("connections", "create", "paid", *where, *prices, given="sk-paid\n").code == 0
    assert evalrouter("connections", "create", "free", *where, "--free").code == 0


def run(evalrouter: Command, *arguments: str, model: str = "connection:paid") -> Ended:
    return evalrouter("run", "first-steps", "--model", model, *arguments)


@pytest.fixture(scope="module")
def completed(evalrouter: Command) -> dict[str, Any]:
    """The document of a completed run of ten tasks."""
    ended = run(evalrouter, "--sample", "10", "--seed", "3", "--max-cost", "1", "--metadata", "team=a=b", "--json")
    assert ended.code == 0, ended.stderr
    assert "\x1b" not in ended.stdout + ended.stderr
    return ended.document


def test_the_run_document(completed: dict[str, Any], provider: Provider) -> None:
    assert completed.keys() >= RUN_FIELDS
    assert completed["status"] == "completed"
    assert completed["benchmark"].startswith("first-steps@")
    assert completed["model"] == "connection:paid"
    assert completed["metadata"] == {"team": "a=b"}
    assert completed["max_cost_usd"] == "1"
    assert completed["cost_usd"] == "0.0003"
    coverage = completed["coverage"]
    assert (coverage["selected"], coverage["graded"], coverage["failed"], coverage["missing"]) == (10, 10, 0, 0)
    assert completed["is_sample"]
    assert not completed["is_partial"]
    accuracy = completed["metrics"]["accuracy"]
    assert accuracy["value"] == completed["score"]
    assert accuracy["n"] == 10
    assert accuracy["low"] <= completed["score"] <= accuracy["high"]
    assert sum(group["n"] for group in completed["groups"].values()) in (0, 10)
    assert completed["started_at"].endswith("Z")
    assert completed["ended_at"] >= completed["started_at"]
    assert "Bearer sk-paid" in provider.keys


def test_repeating_the_command_gets_the_same_run(evalrouter: Command, completed: dict[str, Any]) -> None:
    command = ("--sample", "10", "--seed", "3", "--max-cost", "1", "--metadata", "team=a=b")
    again = run(evalrouter, *command)
    assert again.code == 0
    assert f"reused {completed['id']}" in again.stderr
    assert "--new" in again.stderr
    document = run(evalrouter, *command, "--json").document
    assert (document["id"], document["reused"]) == (completed["id"], True)
    new = run(evalrouter, *command, "--new", "--json").document
    assert new["id"] != completed["id"]
    assert not new["reused"]


def test_what_a_human_reads_is_labelled(evalrouter: Command, completed: dict[str, Any]) -> None:
    shown = evalrouter("runs", "show", completed["id"])
    assert shown.code == 0
    assert "95% interval" in shown.stdout
    assert "[sample of 10 of 120, seed 3]" in shown.stdout
    assert "10 of 10 tasks graded, 0 failed, 0 missing" in shown.stdout
    assert "0.0003 of at most" in shown.stdout
    assert f"evalrouter results {completed['id']}" in shown.stdout
    listed = evalrouter("runs", "list")
    line = next(line for line in listed.stdout.splitlines() if completed["id"] in line)
    assert "sample" in line
    assert "\x1b" not in shown.stdout + listed.stdout


def test_the_documents_of_a_run(evalrouter: Command, completed: dict[str, Any]) -> None:
    assert evalrouter("runs", "show", completed["id"], "--json").document["score"] == completed["score"]
    results = evalrouter("results", completed["id"], "--json").document
    assert [item["index"] for item in results["items"]] == list(range(10))
    assert results["run"]["id"] == completed["id"]
    assert all(item["output"] == "Paris" and item["cost_usd"] == "0.00003" for item in results["items"])
    calls = evalrouter("calls", completed["id"], "--json").document["items"]
    assert len(calls) == 10
    assert {call["usage_source"] for call in calls} == {"reported"}
    events = evalrouter("events", completed["id"], "--json").document["items"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "run.ended"
    followed = evalrouter("events", completed["id"], "--follow", "--after", str(len(events) - 1))
    assert followed.code == 0
    assert "run.ended" in followed.stdout
    assert evalrouter("results", completed["id"], "--limit", "3").stdout.count("\n") == 4


def test_compare_prints_lists_and_writes(evalrouter: Command, completed: dict[str, Any]) -> None:
    other = run(evalrouter, "--sample", "10", "--seed", "3", "--json", model="connection:free").document
    document = evalrouter("compare", completed["id"], other["id"], "--json").document
    assert document["baseline"]["id"] == completed["id"]
    (found,) = document["others"]
    assert (found["run"]["id"], found["shared"], found["p_value"]) == (other["id"], 10, 1.0)
    assert (found["baseline_cost_usd"], found["run_cost_usd"]) == ("0.0003", "0")
    assert found["flips"] == []
    shown = evalrouter("compare", completed["id"], other["id"])
    assert shown.code == 0, shown.stderr
    assert "sample of 10 of 120" in shown.stdout
    assert "+0.000 (95% interval " in shown.stdout
    assert (found["differing"], "there is nothing to test" in " ".join(shown.stdout.split())) == (0, True)
    page = evalrouter("compare", completed["id"], other["id"], "--format", "html", "--json").document["path"]
    assert "<!doctype html>" in (evalrouter.folder / page).read_text("utf-8")
    refused = evalrouter("compare", completed["id"], completed["id"])
    assert (refused.code, "named twice" in refused.stderr) == (2, True)
    assert evalrouter("compare", completed["id"], other["id"], "--output", "x.html").code == 2


def test_export_never_overwrites_unless_told_to(evalrouter: Command, completed: dict[str, Any]) -> None:
    for form in ("json", "jsonl", "csv", "parquet", "html"):
        first = evalrouter("export", completed["id"], "--format", form, "--json").document["path"]
        second = evalrouter("export", completed["id"], "--format", form).stdout.strip()
        assert first != second
        assert (evalrouter.folder / first).stat().st_size > 0
    again = ("export", completed["id"], "--format", "csv", "--output", "mine.csv")
    assert evalrouter(*again).code == 0
    refused = evalrouter(*again)
    assert refused.code == 2
    assert "mine.csv" in refused.stderr
    assert evalrouter(*again, "--overwrite").code == 0


def test_a_quote_and_its_run(evalrouter: Command) -> None:
    command = ("first-steps", "--model", "connection:paid", "--sample", "5", "--name", "数学")
    quote = evalrouter("quote", *command, "--json").document
    assert quote["within_max_cost"]
    assert quote["lines"][-1]["amount_usd"] == quote["maximum_charge_usd"]
    text = evalrouter("quote", *command).stdout
    assert "Maximum charge" in text
    started = evalrouter("run", "--quote", quote["id"], "--json").document
    assert started["quote_id"] == quote["id"]
    assert started["name"] == "数学"
    again = evalrouter("run", "--quote", quote["id"], "--json")
    assert again.code == 0
    assert again.document["id"] == started["id"]


def test_above_max_cost_nothing_starts(evalrouter: Command) -> None:
    before = len(evalrouter("runs", "list", "--json").document["items"])
    dry = run(evalrouter, "--max-cost", "0.000001", "--dry-run", "--json")
    assert dry.code == 2
    assert not dry.document["within_max_cost"]
    assert "raise it" in run(evalrouter, "--max-cost", "0.000001", "--dry-run").stdout
    refused = run(evalrouter, "--max-cost", "0.000001", "--json")
    assert refused.code == 2
    error = refused.document["error"]
    assert error["code"] == "max_cost_too_low"
    assert error["details"]["quote"]["maximum_charge_usd"] == dry.document["maximum_charge_usd"]
    assert len(evalrouter("runs", "list", "--json").document["items"]) == before


@pytest.mark.parametrize("amount", ["0", "-1", "nan", "1,000", "$5", "0.0000001", "1e10"])
def test_amounts_that_are_none_are_refused(evalrouter: Command, amount: str) -> None:
    refused = run(evalrouter, f"--max-cost={amount}")
    assert refused.code == 2
    assert refused.stderr.count("\n") == 1


def test_a_partial_run_is_labelled_and_exits_4(evalrouter: Command, provider: Provider) -> None:
    provider.refuse_after = provider.calls + 4
    try:
        ended = run(evalrouter, "--sample", "8", "--concurrency", "1", "--max-cost", "1")
    finally:
        provider.refuse_after = None
    assert ended.code == 4
    assert "partial: 4 of 8 graded" in ended.stdout
    assert "4 of 8 tasks graded, 4 failed, 0 missing" in ended.stdout


def test_a_run_in_which_nothing_works_exits_1(evalrouter: Command, provider: Provider) -> None:
    provider.refuse_after = 0
    try:
        ended = run(evalrouter, "--sample", "3", "--max-cost", "1", "--json")
    finally:
        provider.refuse_after = None
    assert ended.code == 1
    assert ended.document["status"] == "failed"
    assert ended.document["score"] is None


def test_a_free_model_costs_nothing(evalrouter: Command) -> None:
    document = run(evalrouter, "--sample", "3", "--json", model="connection:free").document
    assert (document["status"], document["cost_usd"], document["max_cost_usd"]) == ("completed", "0", None)


def test_the_ledger_adds_up(evalrouter: Command, completed: dict[str, Any]) -> None:
    verified = evalrouter("wallet", "verify", "--json")
    assert verified.code == 0
    assert verified.document["ok"]
    wallet = evalrouter("wallet", "--json").document
    assert wallet["held_usd"] == "0"
    assert wallet["available_usd"] == wallet["balance_usd"]
    entries = evalrouter("wallet", "statement", "--json").document["items"]
    assert any(entry["run_id"] == completed["id"] for entry in entries)
    topped = evalrouter("wallet", "top-up", "0.25", "--json").document
    assert float(topped["balance_usd"]) == pytest.approx(float(wallet["balance_usd"]) + 0.25)


def test_a_reader_that_goes_away_is_no_traceback(evalrouter: Command, completed: dict[str, Any]) -> None:
    process = evalrouter.start("results", completed["id"], "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(60)


def test_what_is_not_there_is_refused_in_one_line(evalrouter: Command) -> None:
    for arguments, part in (
        (["run", "gsm8k-nonsense", "--model", "connection:free"], "gsm8k-nonsense"),
        (["run", "first-steps", "--model", "gpt-5-nonsense"], "gpt-5-nonsense"),
        (["runs", "show", "run_01j9zx3v5n8q2r4t6w8y0a2c4e"], "run_01j9zx3v5n8q2r4t6w8y0a2c4e"),
        (["connections", "show", "nonsense"], "nonsense"),
    ):
        refused = evalrouter(*arguments)
        assert refused.code == 2
        assert part in refused.stderr
        assert refused.stderr.count("\n") == 1
        assert refused.stdout == ""
