"""What the command does before any server is asked: help, version, usage errors."""

import builtins
import json
import shlex
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import pytest
from evalrouter_cli.__main__ import start
from evalrouter_cli.main import main

from tests.cli.conftest import Command

GROUPS = ["", "run", "quote", "runs", "results", "calls", "export", "wallet", "keys", "connections", "models", "events"]


def test_version_is_the_distributions(evalrouter: Command) -> None:
    process = evalrouter.start("--version")
    assert process.communicate() == (f"evalrouter {version('evalrouter')}\n", "")
    assert process.returncode == 0


@pytest.mark.parametrize("group", GROUPS)
def test_help_is_plain_ascii(capsys: pytest.CaptureFixture[str], group: str) -> None:
    assert main([*group.split(), "--help"]) == 0
    help_text = capsys.readouterr().out
    assert help_text.startswith("Usage: evalrouter")
    assert help_text.isascii()
    assert "\x1b" not in help_text


def test_the_bare_command_is_help(evalrouter: Command) -> None:
    ended = evalrouter()
    assert ended.code == 0
    assert "Commands:" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["nonsense"], "nonsense"),
        (["runs"], "Missing command"),
        (["runs", "show"], "RUN"),
        (["run", "--nonsense"], "--nonsense"),
        (["run", "--model", "gpt-5"], "which benchmark"),
        (["run", "gsm8k"], "which model"),
        (["run", "gsm8k", "--model", "gpt-5", "--sample", "0"], "--sample"),
        (["run", "gsm8k", "--model", "gpt-5", "--seed", "1"], "--seed 1"),
        (["run", "gsm8k", "--model", "gpt-5", "--metadata", "novalue"], "'novalue'"),
        (["run", "gsm8k", "--model", "gpt-5", "--metadata", "a=1", "--metadata", "a=2"], "'a' twice"),
        (["run", "gsm8k", "--model", "gpt-5", "--new", "--idempotency-key", "k"], "--new"),
        (["run", "gsm8k", "--quote", "quote_x"], "--quote"),
        (["quote", "gsm8k"], "which model"),
        (["export", "run_x", "--format", "xls"], "xls"),
        (["keys", "create", "ci", "--scope", "root"], "root"),
        (["keys", "ceiling", "key_x"], "--lift"),
        (["connections", "create", "c", "--base-url", "http://x/v1", "--model", "m"], "--free"),
        (
            ["connections", "create", "c", "--base-url", "http://x/v1", "--model", "m", "--free", "--input-price", "1"],
            "--free",
        ),
        (
            [
                "connections",
                "create",
                "c",
                "--base-url",
                "http://x/v1",
                "--model",
                "m",
                "--free",
                "--key-env",
                "K",
                "--key-stdin",
            ],
            "--key-env",
        ),
        (["run", "b", "--model", "m", "--by-group"], "--sample N"),
        (["wallet", "--json", "statement"], "wallet statement --json"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], part: str
) -> None:
    assert main(arguments) == 2
    written = capsys.readouterr()
    assert part in written.err
    assert written.err.startswith("error: ")
    assert written.err.count("\n") == 1
    if "--json" not in arguments:
        assert written.out == ""


def test_wrong_usage_with_json_is_one_document(evalrouter: Command) -> None:
    ended = evalrouter("runs", "list", "--json", "--nonsense")
    assert ended.code == 2
    error = ended.document["error"]
    assert error["code"] == "invalid_usage"
    assert error["exit_code"] == 2
    assert "--nonsense" in error["message"]


def test_help_and_version_load_neither_the_sdk_nor_rich() -> None:
    script = (
        "import sys; from evalrouter_cli.main import main; main(sys.argv[1:]);"
        "print([m for m in ('rich', 'httpx', 'evalrouter', 'evalrouter_server') if m in sys.modules], file=sys.stderr)"
    )
    for arguments in (["--help"], ["--version"], ["run", "--help"]):
        ended = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
        assert ended.stderr.strip() == "[]"


def test_serve_without_the_server_says_how_to_install_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["serve"]) == 1
    assert "pip install ./server" in capsys.readouterr().err


def test_serve_passes_options_and_signals_on(evalrouter: Command) -> None:
    process = evalrouter.start("serve", "--port", "0", "--data-dir", str(evalrouter.folder / "served"))
    assert process.stdout is not None
    assert "Owner key" in process.stdout.readline()
    assert "serves http://127.0.0.1:" in process.stdout.readline()
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_ctrl_c_before_anything_is_told_in_a_word_and_a_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evalrouter_cli.commands.whoami.connect", interrupted)
    assert main(["whoami", "--json"]) == 130
    told = capsys.readouterr()
    assert json.loads(told.out)["error"]["code"] == "interrupted"
    assert told.err == "interrupted\n"


@pytest.mark.parametrize("arguments", ["--help", "runs --json"])
def test_a_stdout_that_takes_nothing_is_no_fault_of_the_command(evalrouter: Command, arguments: str) -> None:
    command = shlex.join([*evalrouter.program, *arguments.split()])
    for redirection in (">&-", ">/dev/full", ">&- <&-"):
        ended = subprocess.run(
            f"{command} {redirection}", shell=True, stderr=subprocess.PIPE, text=True, env=evalrouter.environment
        )
        assert ended.returncode in (0, 1, 2)
        assert "Traceback" not in ended.stderr
        assert "fault of the command" not in ended.stderr
        assert "Exception ignored" not in ended.stderr


def test_ctrl_c_while_the_command_loads_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def loading(name: str, *arguments: Any) -> Any:
        if name == "evalrouter_cli.main":
            raise KeyboardInterrupt
        return importing(name, *arguments)

    importing = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", loading)
    assert start() == 130
    assert capsys.readouterr().err == "interrupted\n"
