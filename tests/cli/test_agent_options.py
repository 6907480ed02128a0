"""What the command line says of an agent: variables, files and policies, refused clearly and never shown."""

import json
import os
import sys
from pathlib import Path

import pytest
from evalrouter_cli import agent_options
from evalrouter_cli.errors import CommandError

from tests.cli.conftest import Command
from tests.cli.provider import Provider

CALLING = Path(__file__).parents[1] / "agents/acp/calling_agent.py"
SECRET = "value-that-nobody-may-see"


@pytest.fixture
def run(evalrouter: Command, provider: Provider) -> tuple[str, ...]:
    """The words of a run by an agent that tells what it was given."""
    evalrouter("connections", "create", "given", "--base-url", provider.base_url, "--model", "upstream-1", "--free")
    agent = f"local:{sys.executable} {CALLING} tell:OWN_TOKEN,OWN_PLACE token"
    return "run", "first-steps", "--model", "connection:given", "--sample", "1", "--new", "--agent", agent


def test_variables_and_files_reach_the_agent_and_no_output(
    evalrouter: Command, run: tuple[str, ...], tmp_path: Path
) -> None:
    source = tmp_path / "agent.json"
    source.write_text(json.dumps({"api_key": f"file-{SECRET}", "model": "m"}))
    evalrouter.environment["OWN_TOKEN"] = SECRET
    more = ("--env", "OWN_TOKEN", "--env", "OWN_PLACE=here", "--config-file", f".config/a.json={source}")
    ended = evalrouter(*run, *more, "--json")
    assert ended.code == 0, ended.stderr
    assert SECRET not in ended.stdout + ended.stderr
    exported = evalrouter("export", ended.document["id"], "--format", "json")
    assert exported.code == 0, exported.stderr
    (file,) = evalrouter.folder.glob(f"*{ended.document['id']}.json")
    content = file.read_text()
    assert "OWN_TOKEN=[hidden] OWN_PLACE=here" in content
    assert '.config/a.json={\\"api_key\\": \\"[hidden]\\"' in content
    assert SECRET not in content
    stored = b"".join(path.read_bytes() for path in (evalrouter.folder / "data").rglob("*.db*"))
    assert SECRET.encode() not in stored


def test_other_variables_are_another_run(evalrouter: Command, run: tuple[str, ...]) -> None:
    words = [word for word in run if word != "--new"]
    one, same, other = (evalrouter(*words, "--env", f"A={value}", "--json").document["id"] for value in ("1", "1", "2"))
    assert one == same != other


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--env", "=x"), "has no name"),
        (("--env", "A=1", "--env", "A=2"), "'A' twice"),
        (("--env", "NOT_SET_ANYWHERE"), "--env NOT_SET_ANYWHERE takes its value from your environment"),
        (("--env", "EVALROUTER_AGENT_RUN=x"), "EvalRouter's own"),
        (("--config-file", "a"), "TARGET=SOURCE"),
        (("--config-file", "a=/nowhere/at/all"), "/nowhere/at/all cannot be read: No such file"),
        (("--config-file", f"../a={__file__}"), "not a path below HOME"),
        (("--config-file", f"/a={__file__}"), "not a path below HOME"),
        (("--config-file", f"a={sys.executable}"), "--config-file: "),
        (("--permission", "ask"), "needs a terminal"),
        (("--allow-unverified",), "a local one is yours"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_starts(
    evalrouter: Command, run: tuple[str, ...], words: tuple[str, ...], said: str
) -> None:
    before = len(evalrouter("runs", "list", "--json").document["items"])
    ended = evalrouter(*run, *words)
    assert ended.code == 2
    assert said in ended.stderr
    assert len(evalrouter("runs", "list", "--json").document["items"]) == before


def test_options_about_an_agent_want_one(evalrouter: Command) -> None:
    ended = evalrouter("run", "first-steps", "--model", "gpt-5", "--env", "A=1")
    assert (ended.code, "--env is about an agent" in ended.stderr) == (2, True)


def test_an_agent_without_a_recipe_is_told_what_it_gets(evalrouter: Command, run: tuple[str, ...]) -> None:
    words = (*run[:-1], "gemini", "--dry-run")
    assert "gemini has no recipe: it gets OPENAI_BASE_URL" in evalrouter(*words).stderr
    assert "recipe" not in evalrouter(*words, "--env", "GEMINI_API_KEY=x").stderr


def test_no_error_says_a_value() -> None:
    for words in (["A=" + SECRET, "A=" + SECRET], ["=" + SECRET]):
        with pytest.raises(CommandError) as refused:
            agent_options.variables(words, os.environ)
        assert SECRET not in str(refused.value)
