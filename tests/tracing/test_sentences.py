"""Which test holds each sentence of the product's description of live capture and of attaching."""

import ast
import re
from pathlib import Path

import pytest

from tests.shared_data import shared

CODE = re.compile(r"^(?:import|from) .*?(?:SystemExit\(1\)|existing_provider\.)$", re.MULTILINE | re.DOTALL)
"""The two printed examples, which are tested as they stand."""

SENTENCES = {
    "Install with python -m pip install 'evalrouter-sdk[tracing]'": (
        "test_an_import_loads_no_server_and_no_optional_part"
    ),
    "Configure EVALROUTER_BASE_URL": "test_a_missing_variable_is_named",
    "Package installation and connection authorization are separate": "test_a_connection_that_is_refused_fails",
    "This example makes a real paid model request": "test_the_printed_example_runs",
    "Create a connection under": "test_creating_prints_the_four_variables_once",
    "Detailed delivery receipts are described": "test_a_trace_from_first_to_last",
    "Install the evalrouter-sdk[tracing] extra into your existing": "test_strands_attached",
    "Pass the OTel SDK provider the framework actually uses": "test_what_is_no_provider_of_the_sdk_is_refused_by_name",
    "No agent inheritance or per-call EvalRouter wrappers are required": "test_strands_attached",
    "The optional [strands] extra pins Strands": "test_the_strands_extra_pins_strands_and_the_base_has_none",
    "LangSmith project imports and ACP evaluation execution are separate": (
        "test_an_import_loads_no_server_and_no_optional_part"
    ),
    "Content capture is explicitly enabled; use capture_content=False to omit": "test_metadata_only_leaves_content_out",
    "Caller attributes still require your metadata policy": "test_metadata_only_leaves_content_out",
    "Common secret field names are redacted": "test_a_secret_name_is_redacted_at_any_depth_and_before_the_quick_look",
    "Content capture defaults to true": "test_what_a_span_says_is_sent",
    "Root exit and flush() do not seal": "test_a_trace_from_first_to_last",
    "Join owned children, then seal(root.trace_id)": "test_an_active_trace_is_not_sealed",
    "receipt(root.trace_id) reports local delivery state": "test_a_trace_from_first_to_last",
    "Unknown acknowledgments retain identical batches": (
        "test_an_unknown_acknowledgement_is_replayed_unchanged_and_first"
    ),
    "Zero newly inserted spans on replay is success": "test_an_unknown_acknowledgement_is_replayed_unchanged_and_first",
    "close() returns false while active, failed or unknown": "test_a_refusal_is_failed_and_may_go_better_later",
    "A context manager calls close, but does not raise": "test_a_context_manager_closes_and_raises_nothing",
    "There is no background HTTP export": "test_nothing_is_sent_before_it_is_told_to",
    "Buffers are process-local": "test_kill_between_flush_and_seal_leaves_what_was_acknowledged",
    "Each instance retains at most 64 local trace receipts": "test_the_limits_are_the_documented_ones",
    "the oldest successfully sealed idle receipt is evicted": "test_the_oldest_sealed_idle_receipt_makes_room",
    "receipt(id) raises ValueError after eviction": "test_the_oldest_sealed_idle_receipt_makes_room",
    "Pending, unknown, active or dropped traces are never evicted": "test_what_is_not_settled_is_never_evicted",
    "If all 64 are unsettled, a new root is not recorded": (
        "test_a_root_without_room_is_not_recorded_nor_are_its_children"
    ),
    "Late activity inherited from an evicted trace is rejected": ("test_late_activity_of_an_evicted_trace_is_rejected"),
    "Close attempts every retained trace within one aggregate deadline": (
        "test_close_ends_within_its_deadline_and_tries_every_trace"
    ),
    "Capture loss prevents successful seal": "test_the_513th_active_span_is_lost_and_its_trace_not_sealed",
    "The optional OpenTelemetry dependency stays isolated": "test_an_import_loads_no_server_and_no_optional_part",
    "do not replace its global provider": "test_the_applications_tracing_and_this_do_not_see_each_other",
    "it never stops existing_provider": "test_close_never_stops_the_provider",
    "Attachment exports metadata only, even when wrapper content capture is enabled": (
        "test_only_metadata_is_exported_even_when_content_is_captured"
    ),
    "It removes source names, resource attributes": "test_only_metadata_is_exported_even_when_content_is_captured",
    "It retains original trace/span/parent IDs": "test_only_metadata_is_exported_even_when_content_is_captured",
    "Source counters are observations": "test_tokens_are_not_doubled_by_agents_that_repeat_them",
    "evalrouter.otel.status=unset means unknown source success": (
        "test_an_attached_trace_is_observed_and_unset_is_no_success"
    ),
    "Unknown/conflicting kinds are counted": ("test_unknown_and_conflicting_kinds_are_counted_and_block_the_seal"),
    "Provider flush queues records": "test_flush_and_shutdown_of_the_provider_send_nothing_and_stop_nothing",
    "Attachment only sees selected spans": "test_only_the_named_scopes_are_heard",
    "It cannot recover unsampled or missing work": "test_unsampled_spans_cannot_be_seen",
    "print(json.dumps(receipt))": "test_the_printed_example_runs",
}


def names_of_tests() -> set[str]:
    """The tests of this folder, and those of packaging and of the command's traces."""
    tests = Path(__file__).parents[1]
    files = [
        *Path(__file__).parent.glob("test_*.py"),
        *(tests / "packaging").glob("test_*.py"),
        tests / "cli" / "test_traces.py",
    ]
    trees = [ast.parse(file.read_text("utf-8")) for file in files]
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


def test_no_sentence_is_left_out() -> None:
    (description,) = shared("seed").glob("*.txt")
    about = description.read_text("utf-8").partition("\nLive agent capture\n")[2]
    prose = CODE.sub("", about).replace("Attach existing OpenTelemetry instrumentation\n", "")
    sentences = [each for each in re.split(r"(?<=\.)\s+(?=[A-Za-z])|\n+", prose) if each.strip()]
    assert len(sentences) > 35
    known = [re.sub(r"\s+", " ", sentence) for sentence in SENTENCES]
    assert [each for each in sentences if not any(part in re.sub(r"\s+", " ", each) for part in known)] == []
