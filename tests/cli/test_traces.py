"""Connections for traces, and traces as trees, from the command line against a server of its own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from evalrouter_server.embedded import EmbeddedServer, Endpoint

from tests.cli.conftest import Command
from tests.traces.sender import Sender, span

VARIABLES = [
    "EVALROUTER_BASE_URL",
    "EVALROUTER_WORKSPACE_ID",
    "EVALROUTER_TRACE_CONNECTION_ID",
    "EVALROUTER_TRACE_KEY",
]


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    server = EmbeddedServer(tmp_path_factory.mktemp("server"))
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture(scope="module")
def command(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Command:
    made = Command(tmp_path_factory.mktemp("cli"))
    made.environment |= {"EVALROUTER_BASE_URL": endpoint.base_url, "EVALROUTER_API_KEY": endpoint.api_key}
    return made


@pytest.fixture(scope="module")
def variables(command: Command) -> dict[str, str]:
    made = command("connections", "create", "agents", "--kind", "trace")
    assert made.code == 0, made.stderr
    return dict(line.split("=", 1) for line in made.stdout.splitlines())


def test_creating_prints_the_four_variables_once(
    command: Command, endpoint: Endpoint, variables: dict[str, str]
) -> None:
    assert list(variables) == VARIABLES
    assert variables["EVALROUTER_BASE_URL"] == endpoint.base_url
    assert variables["EVALROUTER_TRACE_KEY"].startswith("er_tr_")
    for again in (command("connections", "list"), command("connections", "show", "agents", "--json")):
        assert again.code == 0
        assert variables["EVALROUTER_TRACE_KEY"] not in again.stdout


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--kind", "trace", "--free"], "leave out"),
        (["--base-url", "http://x/v1", "--model", "m", "--free", "--metadata-only"], "--kind trace"),
        (["--free"], "--base-url"),
    ],
)
def test_options_of_the_other_kind_are_refused(command: Command, arguments: list[str], named: str) -> None:
    refused = command("connections", "create", "other", *arguments)
    assert (refused.code, named in refused.stderr) == (2, True), refused.stderr


def test_a_trace_is_listed_and_shown_as_a_tree(command: Command, variables: dict[str, str]) -> None:
    import httpx

    connection_id, secret = variables["EVALROUTER_TRACE_CONNECTION_ID"], variables["EVALROUTER_TRACE_KEY"]
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=variables["EVALROUTER_BASE_URL"], headers=headers, trust_env=False) as client:
        sender = Sender(connection_id, secret, client)
        spans = [
            span(1, name="Support assistant", status="unset"),
            span(2, 1, kind="model", tokens={"input": 1234, "output": 5}),
            span(3, 2, status="error", name="look\x1b[31m up", output={"answer": 42}),
            span(4, 1),
        ]
        sender.take("b1", *spans)
        assert sender.seal(*spans)["complete"] is True
    listed = command("traces", "list", "--name", "support", "--json")
    (trace,) = json.loads(listed.stdout)["items"]
    assert (trace["status"], trace["complete"]) == ("unset", True)
    assert "not stated" in command("traces", "list").stdout
    assert json.loads(command("traces", "list", "--status", "ok", "--json").stdout)["items"] == []
    shown = command("traces", "show", trace["id"])
    assert shown.code == 0, shown.stderr
    assert "\x1b" not in shown.stdout
    tree = shown.stdout.split("\n\n", 1)[1].splitlines()
    assert [line.rstrip() for line in tree] == [
        "agent · Support assistant · not stated · 0.500 s",
        "├── model · step 2 · ok · 0.500 s · 1,234 in, 5 out",
        "│   └── tool · look\\x1b[31m up · ERROR · 0.500 s",
        "└── tool · step 4 · ok · 0.500 s",
    ]
    document = json.loads(command("traces", "show", trace["id"], "--json").stdout)
    assert [each["depth"] for each in document["spans"]] == [0, 1, 2, 1]
    assert document["spans"][2]["output"] == {"answer": 42}
    assert command("traces", "delete", trace["id"]).code == 0
    assert command("traces", "show", trace["id"]).code == 2


def test_traces_are_evaluated_and_saved(command: Command, variables: dict[str, str], tmp_path: Path) -> None:
    import httpx

    headers = {"Authorization": f"Bearer {variables['EVALROUTER_TRACE_KEY']}"}
    with httpx.Client(base_url=variables["EVALROUTER_BASE_URL"], headers=headers, trust_env=False) as client:
        sender = Sender(variables["EVALROUTER_TRACE_CONNECTION_ID"], variables["EVALROUTER_TRACE_KEY"], client)
        ids = [
            sender.take(
                f"evaluate-{said}",
                span(
                    1,
                    trace_id=f"{number:032x}",
                    name="Ask",
                    input={"message": f"question {number}"},
                    output={"a": said},
                ),
            )["traces"][0]["server_trace_id"]
            for number, said in enumerate(("yes", "no"), start=1)
        ]
    graded = command("traces", "evaluate", "--name", "ask", "--exact", "--target", "yes", "--output", "/a", "--json")
    assert graded.code == 0, graded.stderr
    run = json.loads(graded.stdout)
    assert (run["status"], run["score"], run["model"]) == ("completed", 0.5, "recorded")
    quoted = command("traces", "evaluate", ids[0], "--max-seconds", "1", "--dry-run", "--json")
    assert (quoted.code, json.loads(quoted.stdout)["call_count"]) == (0, 0), quoted.stderr
    assert "within_limits" not in command("traces", "evaluate", ids[0], "--max-seconds", "0.1").stderr
    grader = tmp_path / "grader.yaml"
    grader.write_text("{kind: regex, pattern: '(?P<answer>yes|no)'}")
    by_file = command("traces", "evaluate", ids[1], "--grader", str(grader), "--target", "no", "--json")
    assert json.loads(by_file.stdout)["score"] == 1.0
    for wrong in (
        ["--exact", "--target", "yes"],
        [ids[0], "--name", "ask", "--exact", "--target", "yes"],
        [ids[0], "--target", "yes"],
        [ids[0], "--exact", "--max-seconds", "1", "--target", "yes"],
        [ids[0], "--judge", "gpt-5"],
        [ids[0], "--grader", str(tmp_path / "none.yaml")],
        ["--name", "nobody", "--exact", "--target", "yes"],
        [ids[0], "--exact"],
    ):
        refused = command("traces", "evaluate", *wrong)
        assert (refused.code, len(refused.stderr.splitlines())) == (2, 1), refused.stderr
    rows = tmp_path / "rows.jsonl"
    saved = command("traces", "save", *ids, "--to", str(rows), "--input", "/message", "--target", "yes")
    assert saved.stdout == f"added 2 to {rows}\n"
    assert json.loads(command("traces", "save", ids[0], "--to", str(rows), "--json").stdout)["already_there"] == 1
    assert [json.loads(line)["input"] for line in rows.read_text().splitlines()] == ["question 1", "question 2"]
    for each in ids:
        assert command("traces", "delete", each).code == 0


def test_the_switch_and_the_keys(command: Command, variables: dict[str, str]) -> None:
    assert command("traces", "disable").stdout == "traces are off\n"
    refused = command("traces", "list", "--json")
    assert (refused.code, json.loads(refused.stdout)["error"]["code"]) == (2, "traces_not_enabled")
    assert command("traces", "enable").stdout == "traces are on\n"
    rotated = command("connections", "rotate", "agents")
    assert rotated.stdout.startswith("EVALROUTER_TRACE_KEY=er_tr_")
    assert variables["EVALROUTER_TRACE_KEY"] not in rotated.stdout
    assert command("connections", "revoke", "agents").code == 0
    assert "revoked" in command("connections", "show", "agents").stdout
    for text in ("yesterday", "2026-01-01T00:00:00"):
        assert command("traces", "list", "--since", text).code == 2
