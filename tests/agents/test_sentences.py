"""Which test holds each sentence of the product's description of evaluating an agent."""

import ast
import re
from pathlib import Path

import pytest

from tests.shared_data import shared

TESTS = Path(__file__).parents[1]
PLACES = ("agents", "cli", "docs", "hosted", "remote_agents", "server")

ONE_ARGUMENT = "test_an_agent_named_by_its_command_line_works_on_every_task"
STEP_BY_STEP = "test_step_by_step"
UNVERIFIED = "test_what_is_unverified_is_refused_until_it_is_allowed"

SENTENCES = {
    "The agent is one argument": ONE_ARGUMENT,
    'agent="opencode")  # ACP Registry agent': (
        "test_an_agent_works_on_tasks_with_every_call_metered_and_no_process_left"
    ),
    'agent="local:my-agent --acp"': "test_the_text_and_the_function_mean_the_same",
    'agent="remote:my-a2a-agent")  # a connection\'s name': "test_a_run_needs_a_benchmark_and_the_connections_name",
    "hosted=True ) # run hosted by EvalRouter": "test_it_repairs_repositories_on_the_server",
    "Registry and local agents run on your machine": ONE_ARGUMENT,
    "EvalRouter delivers each task": "test_a_run_is_delivered_from_end_to_end",
    "meters every model call through the run's gateway": ONE_ARGUMENT,
    "grades the submission with the benchmark's own grader": "test_a_run_is_delivered_from_end_to_end",
    "evalrouter agents list shows the registry agents with their integrity": (
        "test_the_list_has_the_integrity_of_each_agent_and_the_snapshots_date"
    ),
    "pinned (a binary with a published sha256)": "test_a_verified_archive_is_installed_once",
    "package-registry (an exact npm or PyPI package)": "test_the_integrity_class_follows_from_the_source",
    "or unverified-upstream, which runs only when you allow it": UNVERIFIED,
    'agents.registry_agent("cursor", allow_unverified=True)': UNVERIFIED,
    "or --allow-unverified on the command line": "test_an_unverified_agent_is_installed_only_when_allowed",
    'registry_agent("opencode@1.18.34") pins a version': (
        "test_a_bare_name_is_the_snapshots_version_and_a_version_can_be_asked_for"
    ),
    "without one the pinned snapshot's version runs": (
        "test_a_bare_name_is_the_snapshots_version_and_a_version_can_be_asked_for"
    ),
    "An agent written in Python is an agents.Agent": "test_the_printed_agent_runs",
    "agents.quote(...) returns an evaluation": STEP_BY_STEP,
    "whose start() gives an AgentRun with events(), wait() and resume()": STEP_BY_STEP,
}


def names_of_tests() -> set[str]:
    """The tests of agents, on every side."""
    trees = [ast.parse(file.read_text("utf-8")) for place in PLACES for file in (TESTS / place).rglob("test_*.py")]
    return {
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@pytest.mark.parametrize("sentence", SENTENCES)
def test_each_sentence_is_there_and_has_its_test(sentence: str) -> None:
    assert SENTENCES[sentence] in names_of_tests()
    (description,) = shared("seed").glob("*.txt")
    assert re.sub(r"\s+", " ", sentence) in re.sub(r"\s+", " ", description.read_text("utf-8"))
