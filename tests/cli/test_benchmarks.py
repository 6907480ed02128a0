"""Showing a benchmark with an example and a quote, and fetching its data ahead."""

from pathlib import Path

import pytest
from evalrouter_server.__main__ import app
from typer.testing import CliRunner

from tests.cli.conftest import Command


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
