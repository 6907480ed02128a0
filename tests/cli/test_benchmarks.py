"""Showing a benchmark with an example and a quote, and fetching its data ahead."""

from pathlib import Path

import pytest
import yaml
from evalrouter_server.__main__ import app
from typer.testing import CliRunner

from tests.cli.conftest import PATIENCE_SECONDS, Command
from tests.cli.provider import Provider


def test_show_prints_an_example_and_a_quote(evalrouter: Command) -> None:
    shown = evalrouter("benchmarks", "show", "first-steps", "--model", "smollm2-135m")
    assert shown.code == 0, shown.stderr
    for part in ("120", "short_answer", "256 output tokens a call, 120 seconds a task", "row 1, group facts", "Paris"):
        assert part in shown.stdout
    assert "The run would charge at most 0" in shown.stdout
    document = evalrouter("benchmarks", "show", "first-steps", "--json").document
    assert document["example"]["messages"][0]["content"].endswith("What is the capital of France?")
    assert document["quote"] is None
    without = evalrouter("benchmarks", "show", "gsm8k", "--no-example", "--json")
    assert without.document["example"] is None


def test_a_first_quote_says_nothing_that_is_not_the_users(tmp_path: Path) -> None:
    """In a process of its own, where nothing was built or warned of before."""
    process = Command(tmp_path).start("quote", "first-steps", "--model", "gpt-5-mini")
    stdout, stderr = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, "Maximum charge" in stdout) == (0, True), stderr
    assert set(stderr.splitlines()) <= {"preparing; the first use of a benchmark fetches its data"}


def test_what_a_judge_cost_is_told_apart(evalrouter: Command, provider: Provider) -> None:
    (evalrouter.folder / "rows.csv").write_text("question\nGreet me.\nThank me.\n")
    manifest = {
        "slug": "polite",
        "source": {"kind": "file", "path": "rows.csv"},
        "rows": {"inputs": {"question": "question"}},
        "protocol": {"user": "{question}"},
        "grader": {"kind": "judge", "model": "connection:judge", "rubric": "It is polite."},
        "metric": "mean_score",
    }
    (evalrouter.folder / "judged.yaml").write_text(yaml.safe_dump(manifest))
    provider.answer = '{"score": 1, "reason": "It is."}'
    for name, price in (("asked", "2"), ("judge", "8")):
        where = ("--base-url", provider.base_url, "--model", name, "--input-price", "1", "--output-price", price)
        assert evalrouter("connections", "create", name, *where, "--key-stdin", given="sk\n").code == 0
    assert evalrouter("benchmarks", "create", "judged.yaml").code == 0
    ended = evalrouter("run", "polite", "--model", "connection:asked", "--max-cost", "1", "--json").document
    assert (ended["status"], ended["score"], ended["cost_usd"]) == ("completed", 1.0, "0.00018")
    calls = evalrouter("calls", ended["id"])
    assert calls.stdout.splitlines()[-1] == "of the judge: 0.00012 of 0.00018 USD"
    found = evalrouter("calls", ended["id"], "--json").document["items"]
    assert sorted((call["purpose"], call["cost_usd"]) for call in found) == [
        ("judge", "0.00006"),
        ("judge", "0.00006"),
        ("task", "0.00003"),
        ("task", "0.00003"),
    ]


def test_fetch_verifies_and_leaves_a_mirror(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["fetch", "first-steps", "--to", str(tmp_path)])
    assert (done.exit_code, done.stdout) == (0, "first-steps@1: 120 tasks, verified\n")


@pytest.mark.parametrize(
    ("arguments", "part"), [(["nonsense"], "nonsense"), ([], "--all"), (["gsm8k", "--all"], "--all")]
)
def test_fetch_says_what_it_cannot_do(arguments: list[str], part: str) -> None:
    refused = CliRunner().invoke(app, ["fetch", *arguments])
    assert refused.exit_code == 2
    assert part in refused.output
