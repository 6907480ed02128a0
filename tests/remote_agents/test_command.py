"""The command line with a remote agent: connect it, look at it, quote it, run it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.remote_agents.agent import Agent

KEY = "key-that-nobody-sees-42"


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def test_the_command_line_connects_quotes_and_runs(command: Command, agent: Agent) -> None:
    agent.key = ("x-key", KEY)
    made = command(
        *("connections", "create", "theirs", "--kind", "a2a", "--card-url", agent.url, "--key-header", "X-Key"),
        *("--key-stdin", "--origin", "https://other.example.com"),
        given=f"{KEY}\n",
    )
    assert (made.code, "--agent remote:theirs" in made.stdout) == (0, True), made.stderr
    shown = command("connections", "show", "theirs", "--json").document
    assert shown["agent"] == "remote:theirs"
    origins = ["https://other.example.com"]
    assert shown["a2a"] == {"card_url": agent.url, "key_header": "X-Key", "origins": origins}
    listed = command("connections", "list")
    assert "remote:theirs" in listed.stdout
    run = ("run", "first-steps", "--agent", "remote:theirs", "--sample", "2")
    quoted = command(*run, "--dry-run")
    assert quoted.code == 0
    assert "External cost" in quoted.stdout
    assert "at most 0.00 USD" in quoted.stdout
    ended = command(*run)
    assert ended.code == 0, ended.stderr
    said = " ".join(ended.stdout.split())
    assert "[external cost]" in said
    assert "external cost is outside the meter" in said
    assert "theirs 1.2.3 (remote)" in said
    again = command(*run, "--json").document
    assert (again["reused"], again["model"], again["agent"]["name"]) == (True, None, "theirs")
    assert again["flags"] == ["external_cost"]
    assert "remote:theirs" in command("runs", "list").stdout
    assert KEY not in made.stdout + made.stderr + listed.stdout + ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--kind", "a2a"), "--card-url"),
        (("--kind", "a2a", "--card-url", "http://127.0.0.1:1", "--free"), "brings its own model"),
        (("--card-url", "http://127.0.0.1:1"), "--kind a2a"),
        (("--kind", "trace", "--origin", "http://127.0.0.1:1"), "--kind a2a"),
    ],
)
def test_options_that_do_not_go_together_are_refused(command: Command, arguments: tuple[str, ...], why: str) -> None:
    refused = command("connections", "create", "wrong", *arguments)
    assert refused.code == 2
    assert why in refused.stderr
