"""Which test holds each sentence of the product's description of the import from LangSmith."""

import ast
import re
from pathlib import Path

import pytest

from tests.shared_data import shared

SENTENCES = {
    "The optional langsmith extra provides a local connector for completed agent runs": (
        "test_an_open_trace_is_reported_and_not_waited_for"
    ),
    "supply LANGSMITH_API_KEY and the connection's EvalRouter environment": "test_a_missing_variable_is_named",
    "The source key is never sent to EvalRouter": "test_the_source_key_goes_to_langsmith_only",
    "python -m evalrouter.langsmith projects": "test_projects_are_listed",
    "--state './.private/evalrouter-langsmith-state.json' --metadata-only --watch": (
        "test_a_watching_process_ends_cleanly_on_a_signal"
    ),
    "The process must stay running for automatic imports": "test_a_watch_survives_what_fails_and_its_memory_is_steady",
    "Its private checkpoint resumes progress across restarts": "test_a_killed_process_loses_and_doubles_nothing",
    "Set --since to an ISO timestamp to choose the initial import window": "test_since_starts_the_window",
    "omits source names, inputs, outputs, error text, tags, events and arbitrary metadata": (
        "test_metadata_only_sends_the_allowed_fields_and_nothing_derived_from_others"
    ),
    "Hierarchy, timing, error status and reported numeric usage remain": "test_usage_is_that_of_model_runs",
    "The compatibility default captures bounded field-name-redacted content": (
        "test_content_is_bounded_and_redacted_by_field_name"
    ),
    "Checkpoint version 2 binds the content policy and destination": ("test_another_destination_or_project_is_refused"),
    "Unknown acknowledgments replay a private adjacent .delivery.json payload unchanged": (
        "test_an_unacknowledged_delivery_is_replayed_unchanged_and_first"
    ),
    "keep it with the checkpoint": "test_a_missing_or_changed_delivery_is_refused",
    "A policy change on an existing checkpoint is refused": "test_another_policy_is_refused_with_what_to_do",
    "Version 1 upgrades only in its original content-capture mode": "test_version_1_goes_on_in_its_own_mode_only",
    "cannot restore payload bytes lost by the older connector": "test_version_1_goes_on_in_its_own_mode_only",
    "Finish unresolved deliveries before using a new checkpoint and connection for a different policy": (
        "test_another_policy_is_refused_with_what_to_do"
    ),
    "Only activity recorded by LangSmith can be imported": ("test_what_the_real_client_traces_is_imported_as_it_was"),
    "two stable closed reads are observed coverage": "test_two_reads_that_differ_are_not_closed",
    "not proof that every upstream child exists": "test_what_is_imported_is_sealed_and_shown_as_observed",
}


def names_of_tests() -> set[str]:
    """The tests of this folder."""
    trees = [ast.parse(file.read_text("utf-8")) for file in Path(__file__).parent.glob("test_*.py")]
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_each_sentence_is_there_and_has_its_test(sentence: str) -> None:
    assert SENTENCES[sentence] in names_of_tests()
    (description,) = shared("seed").glob("*.txt")
    assert re.sub(r"\s+", " ", sentence) in re.sub(r"\s+", " ", description.read_text("utf-8"))
