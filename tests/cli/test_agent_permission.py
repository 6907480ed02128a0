"""The policy `ask` of an agent that the command runs: asked at its terminal, and refused where there is none."""

import sys
from pathlib import Path

from tests.agents.acp.working import alive, new_token
from tests.cli.conftest import Command
from tests.cli.provider import Provider
from tests.cli.test_stopping import at_terminal

HOSTILE = Path(__file__).parents[1] / "agents/acp/hostile_agent.py"


def test_the_terminal_is_asked_for_each_request(evalrouter: Command, provider: Provider) -> None:
    token = new_token()
    evalrouter("connections", "create", "asked", "--base-url", provider.base_url, "--model", "upstream-1", "--free")
    words = ("run", "first-steps", "-m", "connection:asked", "--sample", "1", "--new", "--max-cost", "1")
    agent = ("--agent", f"local:{sys.executable} {HOSTILE} permissions {token}", "--permission", "ask")
    assert "needs a terminal" in evalrouter(*words, *agent).stderr
    code, written = at_terminal(evalrouter, "y\nn\n\nyes\nwhat\nN\nY\n", *words, *agent)
    assert code == 0, written
    assert written.count("[y/N]") == 7
    assert "The agent wants to: edit outside" in written
    (run,) = evalrouter("runs", "list", "--limit", "1", "--json").document["items"]
    (result,) = evalrouter("results", run["id"], "--json").document["items"]
    kinds = ["allow_once!" if yes else "reject_once!" for yes in (1, 0, 0, 1, 0, 0, 1)]
    assert result["output"] == " ".join(kinds)
    assert alive(token) == []
