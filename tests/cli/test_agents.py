"""`agents`: the registry on the command line, with nothing fetched."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def command(evalrouter: Command, tmp_path: Path) -> Command:
    """The command, with an agents folder of its own."""
    evalrouter.environment["EVALROUTER_AGENTS_DIR"] = str(tmp_path / "agents")
    return evalrouter


def listed(command: Command) -> dict[str, dict[str, Any]]:
    ended = command("agents", "list", "--json")
    assert ended.code == 0, ended.stderr
    return {agent["id"]: agent for agent in ended.document["items"]}


def test_the_list_has_the_integrity_of_each_agent_and_the_snapshots_date(command: Command) -> None:
    ended = command("agents", "list")
    assert ended.code == 0
    assert "snapshot of 20" in ended.stderr
    [row] = [line for line in ended.stdout.splitlines() if line.startswith("opencode ")]
    assert "package-registry" in row
    agents = listed(command)
    assert agents["cursor"]["integrity"] == "unverified-upstream"
    assert agents["opencode"]["recipe"] is True
    assert agents["opencode"]["installed"] is False


def test_one_agent_is_shown_with_its_source(command: Command) -> None:
    ended = command("agents", "show", "opencode@1.18.33")
    assert ended.code == 0
    assert "npm opencode-ai@1.18.33" in ended.stdout
    assert "--config-file" in command("agents", "show", "gemini").stderr


def test_an_unknown_agent_is_refused_with_what_is_near(command: Command) -> None:
    ended = command("agents", "show", "opencod", "--json")
    assert ended.code == 2
    assert "Did you mean opencode" in ended.document["error"]["message"]


def test_an_unverified_agent_is_installed_only_when_allowed(command: Command) -> None:
    ended = command("agents", "install", "cursor")
    assert ended.code == 2
    assert "--allow-unverified" in ended.stderr
    allowed = command("agents", "install", "cursor", "--allow-unverified")
    assert allowed.code == 1
    assert "cursor has no download for" in allowed.stderr


def test_a_file_of_ones_own_is_listed(command: Command, tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text(json.dumps({"agents": [{"id": "mine", "distribution": {"npx": {"package": "mine@1.0.0"}}}]}))
    command.environment["EVALROUTER_AGENT_REGISTRY"] = str(own)
    assert listed(command)["mine"]["from"] == "override"
