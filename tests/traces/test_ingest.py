"""Spans come in once, whatever is repeated; a seal is met only by exactly the spans that it states."""

from typing import Any

import pytest

from tests.server.conftest import Workspace
from tests.traces.conftest import open_sender
from tests.traces.sender import TRACE, Sender, batch, span


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_batch_is_taken_once(sender: Sender) -> None:
    spans = [span(1), span(2, 1), span(3, 1)]
    first = sender.take("b1", *spans)
    assert (first["received"], first["inserted"], first["replayed"]) == (3, 3, False)
    again = sender.take("b1", *spans)
    assert (again["received"], again["inserted"], again["duplicates"], again["replayed"]) == (3, 0, 3, True)
    assert again["traces"] == first["traces"]
    assert first["traces"][0]["trace_id"] == TRACE


def test_a_batch_id_with_other_bytes_is_refused_and_stores_nothing(sender: Sender) -> None:
    sender.take("b1", span(1))
    assert code(sender.send("b1", span(2, 1))) == (409, "batch_conflict")
    assert sender.seal(span(1))["complete"] is True


def test_a_span_again_is_no_insert_and_with_other_content_refused(sender: Sender) -> None:
    sender.take("b1", span(1))
    again = sender.take("b2", span(1), span(2, 1))
    assert (again["inserted"], again["duplicates"]) == (1, 1)
    refused = sender.send("b3", span(3, 1), span(2, 1, name="other"))
    assert code(refused) == (409, "span_conflict")
    assert refused.json()["details"]["spans"] == [span(2)["span_id"]]
    assert sender.seal(span(1), span(2, 1))["complete"] is True, "the refused batch left nothing behind"
    assert sender.take("b3", span(3, 1))["inserted"] == 1, "nor did it use up its ID"


def test_a_batch_may_hold_a_span_twice(sender: Sender) -> None:
    taken = sender.take("b1", span(1), span(1))
    assert (taken["inserted"], taken["duplicates"]) == (1, 1)


def test_a_stated_digest_that_does_not_fit_is_refused(sender: Sender) -> None:
    changed = batch("b1", span(1)) | {"digest": "0" * 64}
    assert code(sender.client.post(f"{sender.path}/batches", json=changed)) == (422, "invalid_request")


def test_only_exactly_the_stated_spans_complete_a_seal(sender: Sender) -> None:
    one, two = span(1), span(2, 1)
    assert sender.seal(one)["server_trace_id"] is None
    sender.take("b1", one)
    short = sender.seal(one, two)
    assert (short["complete"], short["span_count"], short["sealed_at"]) == (False, 1, None)
    sender.take("b2", two)
    assert sender.seal(one)["complete"] is False, "the server holds more than is stated"
    assert sender.seal(one, span(2, 1, name="other"))["complete"] is False
    met = sender.seal(one, two)
    assert (met["complete"], met["span_count"], met["sealed_span_count"]) == (True, 2, 2)
    assert sender.seal(one, two) == met, "repeating it changes nothing"
    assert sender.client.get(f"{sender.path}/receipts/{TRACE}").json() == met


def test_late_children_are_counted_and_reported(sender: Sender) -> None:
    one, two, three = span(1), span(2, 1), span(3, 1)
    sender.take("b1", one)
    assert sender.seal(one)["complete"] is True
    assert sender.take("b2", two, three)["late"] == 2
    receipt = sender.client.get(f"{sender.path}/receipts/{TRACE}").json()
    assert (receipt["complete"], receipt["late_span_count"], receipt["sealed_span_count"]) == (False, 2, 1)
    sealed = sender.seal(one, two, three)
    assert (sealed["complete"], sealed["late_span_count"]) == (True, 2)


def test_nothing_held_is_a_receipt_without_a_server_id(sender: Sender) -> None:
    receipt = sender.client.get(f"{sender.path}/receipts/{TRACE}").json()
    assert (receipt["server_trace_id"], receipt["span_count"], receipt["complete"]) == (None, 0, False)


def test_content_is_dropped_and_counted_where_the_connection_stores_none(workspace: Workspace) -> None:
    content: dict[str, Any] = {"input": {"q": "secret words"}, "output": ["secret words"], "error": "secret words"}
    with open_sender(workspace, stores_content=False) as sender:
        one, two = span(1, attributes={"model": "m"}, **content), span(2, 1)
        taken = sender.take("b1", one, two)
        assert (taken["inserted"], taken["content_dropped"]) == (2, 1)
        assert sender.seal(one, two)["complete"] is True, "digests are of what was sent"
    page = workspace.client.get(f"/v1/traces/{taken['traces'][0]['server_trace_id']}/spans")
    assert "secret words" not in page.text
    assert page.json()["items"][0]["attributes"] == {"model": "m"}


@pytest.mark.parametrize(
    "changes",
    [
        {"trace_id": "0" * 31},
        {"span_id": "G" * 16},
        {"kind": "No Kind"},
        {"status": "fine"},
        {"start_unix_nano": -1},
        {"end_unix_nano": 2**63},
        {"tokens": {"input": -1}},
        {"tokens": {"input": True}},
        {"tokens": {"input": 1.5}},
        {"cost_usd": "1e3"},
        {"attributes": {str(number): number for number in range(129)}},
        {"name": "x" * 501},
        {"unknown": 1},
        {"input": None},
    ],
)
def test_a_span_that_is_not_valid_is_refused(sender: Sender, changes: dict[str, Any]) -> None:
    assert code(sender.send("b1", span(1, **changes))) == (422, "invalid_request")


def test_what_is_no_json_number_is_refused(sender: Sender) -> None:
    answer = sender.client.post(
        f"{sender.path}/batches",
        content=b'{"batch_id":"b1","digest":"' + b"0" * 64 + b'","spans":['
        b'{"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"0000000000000001","parent_span_id":null,'
        b'"name":null,"kind":"tool","status":"ok","start_unix_nano":1,"end_unix_nano":2,"output":NaN}]}',
        headers={"Content-Type": "application/json"},
    )
    assert code(answer) == (422, "invalid_request")
    assert "NaN" in answer.json()["message"]


def test_odd_text_is_kept_as_it_is(workspace: Workspace, sender: Sender) -> None:
    output = {"nul": "a\x00b", "half": "\ud800", "emoji": "\U0001f600", "tiny": 1e-300, "large": 2**70, "deep": [[[]]]}
    taken = sender.take("b1", span(1, output=output))
    page = workspace.client.get(f"/v1/traces/{taken['traces'][0]['server_trace_id']}/spans")
    assert page.status_code == 200, page.text
    kept = page.json()["items"][0]["output"]
    assert kept == {**output, "half": "\ufffd"}


def test_too_deep_and_too_large_spans_are_refused_by_name(sender: Sender) -> None:
    deep: list[Any] = []
    for _ in range(150):
        deep = [deep]
    refused = sender.send("b1", span(1, output=deep))
    assert code(refused) == (422, "invalid_request")
    assert span(1)["span_id"] in refused.json()["message"]
    refused = sender.send("b2", span(1, output="x" * 600_000))
    assert code(refused) == (413, "request_too_large")
    assert refused.json()["details"] == {"limit_bytes": 524_288, "span_id": span(1)["span_id"]}
    refused = sender.client.post(f"{sender.path}/batches", content=b" " * 5_000_000)
    assert code(refused) == (413, "request_too_large")
