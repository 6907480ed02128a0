"""What leaves LangSmith for us, is written or is printed: byte for byte."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.langsmith.history import History, uuid_of
from tests.langsmith.holding import Holding
from tests.langsmith.importing import Setting
from tests.langsmith.langsmith_service import KEY, LangSmithService, refusing
from tests.langsmith.test_sync import ours, span

CANARY = "CANARY"
ALLOWED = {
    *("trace_id", "span_id", "parent_span_id", "name", "kind", "status", "start_unix_nano", "end_unix_nano"),
    *("tokens", "cost_usd", "origin", "coverage"),
}


def fill_with_canaries(langsmith: LangSmithService, trace_id: str) -> None:
    """Puts one into every field of the source that holds a text, known to us or not."""
    for run_id in [row["id"] for row in langsmith.runs.values()]:
        text = f"{CANARY} {run_id}"
        langsmith.runs[run_id] |= {
            "name": text,
            "inputs": {text: text},
            "outputs": {"deep": [{text: text}]},
            "error": text,
            "tags": [text],
            "events": [{"name": text, "kwargs": {text: text}}],
            "extra": {"metadata": {text: text}, "runtime": {text: text}},
            "metadata": {text: text},
            "serialized": {text: text},
            "manifest": {text: text},
            "feedback_stats": {text: {"comments": [text]}},
            "run_type": f"{CANARY}type" if run_id != trace_id else "chain",
            "dotted_order": text,
            "thread_id": text,
            "app_path": text,
            "attachments": {text: text},
            "inputs_preview": text,
            "outputs_preview": text,
            "error_preview": text,
            "share_url": text,
            "price_model_id": text,
            "ls_user_id": text,
            "reference_example_id": text,
            "prompt_token_details": {text: 7, "cache_read": 3},
            "completion_token_details": {text: 7, "reasoning": 2},
            text: text,
            "status": "error",
            "total_cost": text,
        }


def everything(destination: Holding, folder: Path) -> bytes:
    """All that was sent to us and all that was written."""
    sent = [request.path.encode() + repr(request.headers).encode() + request.raw for request in destination.requests]
    return b"".join([*sent, *(path.read_bytes() for path in folder.iterdir())])


def test_metadata_only_sends_the_allowed_fields_and_nothing_derived_from_others(
    setting: Setting,
    history: History,
    langsmith: LangSmithService,
    destination: Holding,
    capfd: pytest.CaptureFixture[str],
) -> None:
    trace_id = history.trace("agent", children=4)
    fill_with_canaries(langsmith, trace_id)
    langsmith.ignores_selects = True
    langsmith.extra_rows = [{"id": CANARY, "trace_id": CANARY}, CANARY]
    written: list[bytes] = []
    langsmith.notice = lambda asked: written.extend(
        path.read_bytes() for path in setting.folder.iterdir() if path.is_file()
    )
    assert setting.sync("--metadata-only", "--json") == 0
    destination.faults.extend([None] * 0)
    printed = capfd.readouterr()
    bytes_everywhere = everything(destination, setting.folder) + b"".join(written)
    for word in (CANARY, KEY):
        assert word.encode() not in bytes_everywhere
        assert word not in printed.out + printed.err
    held = destination.traces[ours(trace_id)]
    assert len(held) == 5
    for found in held.values():
        assert set(found) <= ALLOWED
        assert (found["name"], found["status"], found["origin"], found["coverage"]) == (
            None, "error", "langsmith", "observed",
        )  # fmt: skip
        assert found["kind"] in ("chain", "unknown")


def test_metadata_only_asks_langsmith_for_no_content(
    setting: Setting, history: History, langsmith: LangSmithService
) -> None:
    history.trace("agent")
    assert setting.sync("--metadata-only") == 0
    asked = [request for request in langsmith.asked if request.path.endswith("/query")]
    fields = {name.lower() for request in asked for name in request.body.get("selects", request.body.get("select"))}
    assert not fields & {"name", "inputs", "outputs", "error", "tags", "events", "extra", "metadata", "attachments"}


@pytest.mark.parametrize("policy", ["metadata-only", "content"])
def test_an_unacknowledged_delivery_on_disk_holds_no_more(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding, policy: Any
) -> None:
    from tests.tracing.receiver import lost

    trace_id = history.trace("agent")
    fill_with_canaries(langsmith, trace_id)
    langsmith.ignores_selects = True
    destination.faults.extend([lost] * 6)
    with setting.importer(policy) as importer, pytest.raises(Exception, match="did not acknowledge"):
        importer.cycle(look_at_all=True)
    content = (setting.folder / "state.json.delivery.json").read_bytes()
    assert (CANARY.encode() in content) is (policy == "content")
    assert KEY.encode() not in everything(destination, setting.folder)


def test_content_is_bounded_and_redacted_by_field_name(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    trace_id = history.trace("agent", children=1, error="no such tool")
    child = uuid_of(trace_id, 1)
    secret = "hunter2hunter2"
    langsmith.runs[child] |= {
        "name": "call " + "x" * 600,
        "inputs": {
            "password": secret,
            "nested": [{"apiKey": secret, "text": '{"token": "' + secret + '"}'}],
            "ok": "kept",
        },
        "outputs": {"text": "y" * 400_000},
        "tags": ["blue"],
        "events": [{"name": "start", "kwargs": {"authorization": secret}}],
        "extra": {"metadata": {"user": "ada", "client_secret": secret}},
    }
    assert setting.sync() == 0
    held = destination.traces[ours(trace_id)]
    root, found = held[span(trace_id)], held[span(child)]
    assert (root["error"], root["status"], root["name"]) == ("no such tool", "error", "step 0")
    assert found["input"]["ok"] == "kept"
    assert found["input"]["password"] == "[redacted]"
    assert found["output"]["truncated"] is True
    assert len(found["name"]) == 500
    assert found["attributes"]["langsmith.tags"] == ["blue"]
    assert found["attributes"]["langsmith.extra"]["metadata"]["user"] == "ada"
    assert secret not in json.dumps(held)
    assert max(len(json.dumps(one)) for one in held.values()) < 512 * 1024


def test_usage_is_that_of_model_runs(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    trace_id = history.trace("agent", children=0, total_cost="0.5")
    usage = {
        "input_tokens": 50, "output_tokens": 20, "total_tokens": 70,
        "input_token_details": {"cache_read": 30}, "output_token_details": {"reasoning": 9},
    }  # fmt: skip
    run_id = uuid_of(trace_id, "model")
    history.run(run_id, trace_id, trace_id, 1, run_type="llm", outputs={"usage_metadata": usage}, total_cost=0.00012345)
    assert setting.sync("--metadata-only") == 0
    held = destination.traces[ours(trace_id)]
    assert "tokens" not in held[span(trace_id)]
    assert "cost_usd" not in held[span(trace_id)]
    tokens = held[span(run_id)]["tokens"]
    assert (tokens["input"], tokens["output"], tokens["total"]) == (50, 20, 70)
    assert held[span(run_id)]["cost_usd"] == "0.00012345"
    if langsmith.has_v2:
        assert (tokens["cache_read"], tokens["reasoning"]) == (30, 9)


@pytest.mark.parametrize("status", [401, 403, 429, 500, None])
def test_no_error_shows_the_key(
    setting: Setting, history: History, langsmith: LangSmithService, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, status: int | None,
) -> None:  # fmt: skip
    from evalrouter.langsmith import stopping

    monkeypatch.setattr(stopping.Stop, "sleep", lambda self, seconds: None)
    history.trace("agent")
    if status is None:
        langsmith.url = "http://127.0.0.1:1"
    else:
        langsmith.faults.extend([refusing(status)] * 40)
    for command in (["projects"], ["sync", "--project", langsmith.project(), "--state", str(setting.state)]):
        from evalrouter.langsmith.command import main

        assert main([*command, "--json"], setting.environment) == 1
    printed = capfd.readouterr()
    assert len(printed.out.splitlines()) == 2
    for part in (KEY, KEY[:5], KEY[-5:]):
        assert part not in printed.out + printed.err
    assert re.search("gave no answer|answered|refused", printed.err)


def test_the_source_key_goes_to_langsmith_only(
    setting: Setting, history: History, langsmith: LangSmithService, destination: Holding
) -> None:
    history.trace("agent")
    assert setting.sync() == 0
    assert {asked.headers.get("x-api-key") for asked in langsmith.asked} == {KEY}
    for request in destination.requests:
        assert KEY not in repr(request.headers)
        assert KEY.encode() not in request.raw
        assert set(request.headers) == {
            *("host", "authorization", "evalrouter-workspace", "content-type", "accept", "user-agent"),
            *("connection", "content-length"),
        }
