"""Flush, seal, receipt and close, with a server that works and with servers that do not."""

import time
from decimal import Decimal
from typing import Any

import pytest

from evalrouter.tracing import TraceCapture
from tests.tracing import receiver as servers
from tests.tracing.conftest import Make
from tests.tracing.receiver import Receiver

UNACKNOWLEDGED = {
    "cut": servers.cut,
    "lost": servers.lost,
    "half": servers.half,
    "nothing": servers.saying(b""),
    "an empty object": servers.saying(b"{}"),
    "a list": servers.saying(b"[]"),
    "another batch": servers.saying(b'{"batch_id": "x", "received": 2, "inserted": 2, "traces": []}'),
    "no JSON": servers.saying(b"<html>proxy</html>"),
    "500": servers.refusing(500, "internal_error"),
    "503": servers.refusing(503, "unavailable"),
}


def one_trace(capture: TraceCapture) -> str:
    with capture.agent("root") as root, capture.model("m") as span:
        span.output("hi")
    assert root.trace_id is not None
    return root.trace_id


def test_a_trace_from_first_to_last(capture: TraceCapture, receiver: Receiver) -> None:
    with capture.agent("root") as root:
        assert root.trace_id is not None
        assert capture.receipt(root.trace_id)["state"] == "active"
        with capture.model("m"):
            pass
        assert capture.flush()
        assert len(receiver.spans) == 1
    assert capture.receipt(root.trace_id) == {
        "trace_id": root.trace_id,
        "state": "pending",
        "active_spans": 0,
        "recorded_spans": 2,
        "pending_spans": 1,
        "accepted_spans": 1,
        "dropped_spans": 0,
        "unsupported_spans": 0,
        "server_trace_id": servers.server_id(root.trace_id),
        "complete": False,
    }
    assert capture.flush()
    assert capture.receipt(root.trace_id)["state"] == "accepted"
    assert not capture.receipt(root.trace_id)["complete"]
    assert not receiver.of("/seals")
    receipt = capture.seal(root.trace_id)
    assert (receipt["state"], receipt["complete"]) == ("accepted", True)
    assert capture.close()


def test_the_request_names_connection_workspace_and_key(capture: TraceCapture, receiver: Receiver) -> None:
    one_trace(capture)
    assert capture.flush()
    (request,) = receiver.requests
    assert request.path == "/v1/trace-connections/conn_1/batches"
    assert request.headers["authorization"] == "Bearer er_trace_key"
    assert request.headers["evalrouter-workspace"] == "ws_1"


def test_nothing_is_sent_before_it_is_told_to(capture: TraceCapture, receiver: Receiver) -> None:
    one_trace(capture)
    time.sleep(0.1)
    assert receiver.requests == []


@pytest.mark.parametrize("fault", UNACKNOWLEDGED)
def test_an_unknown_acknowledgement_is_replayed_unchanged_and_first(
    fault: str, capture: TraceCapture, receiver: Receiver
) -> None:
    trace_id = one_trace(capture)
    receiver.faults.append(UNACKNOWLEDGED[fault])
    assert not capture.flush()
    assert capture.last_failure
    receipt = capture.receipt(trace_id)
    assert (receipt["state"], receipt["pending_spans"], receipt["accepted_spans"]) == ("unknown", 2, 0)
    receipt = capture.seal(trace_id)
    assert (receipt["state"], receipt["complete"], receipt["accepted_spans"]) == ("accepted", True, 2)
    first, second = receiver.of("/batches")
    assert first.raw == second.raw
    assert len(receiver.taken) == 1
    assert len(receiver.spans) == 2


@pytest.mark.parametrize("fault", UNACKNOWLEDGED)
def test_a_seal_without_acknowledgement_is_sent_again_unchanged(
    fault: str, capture: TraceCapture, receiver: Receiver
) -> None:
    trace_id = one_trace(capture)
    receiver.faults.extend([None, UNACKNOWLEDGED[fault]])
    receipt = capture.seal(trace_id)
    assert (receipt["state"], receipt["complete"]) == ("unknown", False)
    assert capture.close()
    assert capture.receipt(trace_id)["complete"]
    first, second = receiver.of("/seals")
    assert first.raw == second.raw
    assert len(receiver.of("/batches")) == 1


def test_a_second_answer_acknowledges_nothing_else(capture: TraceCapture, receiver: Receiver) -> None:
    first, second = one_trace(capture), one_trace(capture)
    receiver.faults.extend([servers.twice, servers.cut])
    assert not capture.flush()
    assert capture.receipt(first)["state"] == "accepted"
    assert capture.receipt(second)["state"] == "unknown"
    assert capture.close()


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "unauthenticated"), (403, "traces_not_enabled"), (409, "span_conflict"), (422, "invalid")],
)
def test_a_refusal_is_failed_and_may_go_better_later(
    status: int, code: str, capture: TraceCapture, receiver: Receiver
) -> None:
    trace_id = one_trace(capture)
    receiver.faults.append(servers.refusing(status, code))
    receipt = capture.seal(trace_id)
    assert (receipt["state"], receipt["complete"]) == ("failed", False)
    assert code in str(capture.last_failure)
    assert not receiver.of("/seals")
    receiver.faults.append(servers.refusing(status, code))
    assert not capture.close()
    assert capture.close()
    assert len({request.raw for request in receiver.of("/batches")}) == 1


def test_a_server_that_asks_to_be_asked_later_leaves_the_trace_pending(
    capture: TraceCapture, receiver: Receiver
) -> None:
    trace_id = one_trace(capture)
    receiver.faults.append(servers.refusing(429, "rate_limited"))
    assert capture.seal(trace_id)["state"] == "pending"


def test_lost_requests_are_tried_again_within_one_call(make: Make, receiver: Receiver) -> None:
    capture = make(max_retries=2)
    trace_id = one_trace(capture)
    receiver.faults.extend([servers.lost, servers.cut])
    assert capture.seal(trace_id)["complete"]
    assert len({request.raw for request in receiver.of("/batches")}) == 1


def test_a_server_that_is_down_is_pending_and_comes_back(
    make: Make, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALROUTER_BASE_URL", "http://127.0.0.1:9")
    capture = make()
    trace_id = one_trace(capture)
    assert not capture.flush()
    assert capture.receipt(trace_id)["state"] == "pending"
    assert not capture.close()
    monkeypatch.setenv("EVALROUTER_BASE_URL", receiver.url)
    capture._delivery = make()._delivery
    assert capture.close()


def test_a_server_that_lost_spans_does_not_complete(capture: TraceCapture, receiver: Receiver) -> None:
    trace_id = one_trace(capture)
    assert capture.flush()
    receiver.spans.clear()
    receipt = capture.seal(trace_id)
    assert (receipt["state"], receipt["complete"]) == ("accepted", False)
    assert not capture.close()


def test_work_after_a_seal_is_sealed_again(capture: TraceCapture, receiver: Receiver) -> None:
    with capture.agent("root") as root:
        late = capture.carry(lambda: capture.tool("late").__enter__().end())
    assert root.trace_id is not None
    assert capture.seal(root.trace_id)["complete"]
    late()
    assert capture.receipt(root.trace_id)["complete"] is False
    assert capture.seal(root.trace_id)["complete"]
    assert [request.body["span_count"] for request in receiver.of("/seals")] == [1, 2]


def test_an_active_trace_is_not_sealed(capture: TraceCapture, receiver: Receiver) -> None:
    with capture.agent("root") as root:
        assert root.trace_id is not None
        receipt = capture.seal(root.trace_id)
        assert (receipt["state"], receipt["complete"]) == ("active", False)
        assert not capture.close()
    assert not receiver.of("/seals")
    assert capture.close()


@pytest.mark.parametrize("fault", [servers.hanging, servers.dripping])
def test_close_ends_within_its_deadline_and_tries_every_trace(
    fault: Any, capture: TraceCapture, receiver: Receiver
) -> None:
    traces = [one_trace(capture) for _ in range(4)]
    receiver.faults.extend([fault] * 100)
    before = time.monotonic()
    assert not capture.close(timeout=1.2)
    assert time.monotonic() - before < 1.2 + 1.0
    asked = {span["trace_id"] for request in receiver.of("/batches") for span in request.body["spans"]}
    assert asked == set(traces)
    receiver.faults.clear()
    with capture.agent("still alive") as root:
        pass
    assert root.trace_id is not None
    assert capture.close(timeout=20)


def test_after_close_nothing_is_recorded_and_close_stays_true(capture: TraceCapture, receiver: Receiver) -> None:
    one_trace(capture)
    assert capture.close()
    with capture.agent("late") as root, capture.tool("t") as span:
        span.output("x")
    assert root.trace_id is None
    assert span.trace_id is None
    assert capture.failed_exports == 2
    assert capture.close()
    assert capture.flush()


def test_a_context_manager_closes_and_raises_nothing(make: Make, receiver: Receiver) -> None:
    receiver.faults.extend([servers.refusing(401, "unauthenticated")] * 10)
    with make() as capture:
        trace_id = one_trace(capture)
    assert capture.receipt(trace_id)["state"] == "failed"


async def test_an_async_context_manager_does_not_block_the_loop(make: Make, receiver: Receiver) -> None:
    async with make() as capture:
        trace_id = one_trace(capture)
    assert capture.receipt(trace_id)["complete"]


def test_large_traces_go_in_bounded_batches(capture: TraceCapture, receiver: Receiver) -> None:
    with capture.agent("root") as root:
        for number in range(1200):
            with capture.tool("t") as span:
                span.output(number)
        for _ in range(40):
            with capture.tool("large") as span:
                span.output("x" * 100_000)
    assert root.trace_id is not None
    assert capture.seal(root.trace_id, timeout=30)["complete"]
    batches = receiver.of("/batches")
    assert len(batches) >= 4
    assert all(len(batch.body["spans"]) <= 1000 and len(batch.raw) < 4 * 1024 * 1024 for batch in batches)


def test_every_span_fits_the_servers_limit(capture: TraceCapture, receiver: Receiver) -> None:
    large = '"' * 1_000_000
    with capture.tool("n" * 10_000, attributes={"a": large}) as span:
        span.input(large)
        span.output([large])
        span.error(large)
        span.cost(Decimal("1"))
    assert capture.flush()
    (held,) = receiver.requests
    assert len(held.raw) < 512 * 1024


def test_metadata_only_leaves_content_out(make: Make, receiver: Receiver) -> None:
    capture = make(capture_content=False)

    @capture.tool("decorated", attributes={"team": "blue"})
    def work(secret: str) -> str:
        raise RuntimeError(f"the argument was {secret}")

    with capture.agent("root") as root:
        root.input("unique-4711")
        root.output("unique-4711")
        with pytest.raises(RuntimeError):
            work("unique-4711")
        root.error("unique-4711")
    assert capture.close()
    assert b"unique-4711" not in b"".join(request.raw for request in receiver.requests)
    spans = {span["name"]: span for span in receiver.spans.values()}
    assert spans["decorated"]["attributes"] == {"team": "blue"}
    assert spans["decorated"]["status"] == spans["root"]["status"] == "error"


def test_the_key_shows_nowhere(capture: TraceCapture, receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    receiver.faults.append(servers.refusing(401, "unauthenticated"))
    receipt = capture.seal(one_trace(capture))
    shown = f"{receipt} {capture.last_failure} {capture!r} {capture._delivery!r} {caplog.text}"
    assert "er_trace_key" not in shown
