import os
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from evalrouter import agents
from evalrouter.agents.acp.environment import agent_environment
from evalrouter.agents.choosing import agent_of, find_agent, found_again
from evalrouter.agents.launch import ModelAccess
from evalrouter.errors import InvalidArgumentError
from evalrouter.types import AgentRef

ACCESS = ModelAccess("https://gateway.example/v1", "key", "gpt-5")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An agent on the path."""
    path = tmp_path / "bin/my-agent"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)
    return path


def test_the_text_and_the_function_mean_the_same(program: Path) -> None:
    spec = find_agent("local:my-agent --acp").spec()
    assert spec == agents.local_agent("my-agent --acp").spec()
    assert (spec.kind, spec.name, spec.command) == ("local", "my-agent", f"{program} --acp")
    assert spec.digest.startswith("sha256:")


def test_what_decides_what_runs_is_in_the_digest(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = Path("agent.py")
    script.write_text("1")

    def digest(command: str = "my-agent agent.py", **options: Any) -> str:
        return agents.local_agent(command, **options).spec().digest

    first = digest()
    assert digest() == first
    others = [digest("my-agent agent.py -v"), digest(permission="deny"), digest(env={"A": "1"}), digest(env={"A": "2"})]
    others += [digest(files={"A": "1"}), digest(files={"A": "2"})]
    script.write_text("2")
    others.append(digest())
    program.write_text("#!/bin/sh\n:\n")
    others.append(digest())
    assert len({first, *others}) == 9


def test_a_run_says_enough_to_go_on_from_another_folder(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my agent.py").write_text("1")
    spec = agents.local_agent("my-agent './my agent.py'").spec()
    monkeypatch.chdir("/")
    recorded = AgentRef("local", spec.name, spec.digest, None, None, spec.command, spec.task_seconds)
    assert found_again(recorded).spec() == spec
    with pytest.raises(InvalidArgumentError, match="--env, --config-file"):
        agent_of(evolve(recorded, digest="sha256:of one with variables"), None)


def test_files_are_found_from_where_the_user_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agent.py").write_text("")
    Path("serve").write_text("")
    agent = agents.local_agent(f"{sys.executable} agent.py serve --out=x.py")
    assert agent.launcher(ACCESS).argv == (sys.executable, str(tmp_path / "agent.py"), "serve", "--out=x.py")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("", "names no command"),
        ("no-such-agent --acp", "'no-such-agent' of the agent 'no-such-agent --acp' was not found"),
        ("my-agent 'open", "is not a command line"),
        ("x" * 5000, "at most 4000 characters"),
    ],
)
def test_a_command_that_cannot_run_is_refused_before_any_request(program: Path, command: str, words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=words):
        find_agent(f"local:{command}")


@pytest.mark.parametrize(
    "options",
    [
        {"permission": "allow"},
        {"permission": "ask"},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"timeout": True},
        {"start_timeout": -1},
        {"env": {"A=B": "x"}},
        {"env": {"A": 1}},
        {"env": {"EVALROUTER_AGENT_RUN": "x"}},
        {"files": {"/etc/passwd": "x"}},
        {"files": {"a/../../b": "x"}},
        {"files": {"": "x"}},
        {"files": {"a": b"x"}},
        {"files": {"a": "x" * 2**21}},
        {"files": {"a": "x", "a/b": "x"}},
    ],
)
def test_wrong_arguments_are_refused_by_name(program: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=next(iter(options))):
        agents.local_agent("my-agent", **options)


def test_the_environment_is_the_gateway_and_what_every_process_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in {
        "PATH": "/bin",
        "AWS_SECRET_ACCESS_KEY": "x",
        "OPENAI_API_KEY": "mine",
        "HOME": "/home/me",
    }.items():
        monkeypatch.setenv(name, value)
    environment = agent_environment(ACCESS, tmp_path / "home", tmp_path / "tmp", {"MORE": "1", "TERM": "vt100"})
    assert environment == {
        "PATH": "/bin",
        "LANG": "C.UTF-8",
        "TERM": "vt100",
        "NO_COLOR": "1",
        "USER": "agent",
        "HOME": f"{tmp_path}/home",
        "XDG_CONFIG_HOME": f"{tmp_path}/home/.config",
        "XDG_DATA_HOME": f"{tmp_path}/home/.local/share",
        "XDG_STATE_HOME": f"{tmp_path}/home/.local/state",
        "XDG_CACHE_HOME": f"{tmp_path}/home/.cache",
        "TMPDIR": f"{tmp_path}/tmp",
        "OPENAI_BASE_URL": "https://gateway.example/v1",
        "OPENAI_API_KEY": "key",
        "OPENAI_MODEL": "gpt-5",
        "ANTHROPIC_BASE_URL": "https://gateway.example",
        "ANTHROPIC_AUTH_TOKEN": "key",
        "ANTHROPIC_MODEL": "gpt-5",
        "MORE": "1",
    }
