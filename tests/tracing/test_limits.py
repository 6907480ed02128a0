"""64 traces, 512 active spans and 16 MiB of records, and what is said of what did not fit."""

import pytest

from evalrouter.tracing import CapturedSpan, TraceCapture
from evalrouter.tracing.traces import MOST_ACTIVE_SPANS, MOST_PENDING_BYTES, MOST_TRACES
from tests.tracing import receiver as servers
from tests.tracing.receiver import Receiver


def roots(capture: TraceCapture, count: int) -> list[CapturedSpan]:
    made = []
    for number in range(count):
        with capture.agent(f"root {number}") as root:
            pass
        made.append(root)
    return made


def test_the_limits_are_the_documented_ones() -> None:
    assert (MOST_TRACES, MOST_ACTIVE_SPANS, MOST_PENDING_BYTES) == (64, 512, 16 * 1024 * 1024)


def test_the_oldest_sealed_idle_receipt_makes_room(capture: TraceCapture) -> None:
    made = roots(capture, 64)
    second, third = str(made[1].trace_id), str(made[2].trace_id)
    assert capture.seal(third)["complete"]
    assert capture.seal(second)["complete"]
    with capture.agent("another") as root:
        pass
    assert root.trace_id is not None
    with pytest.raises(ValueError, match="made room"):
        capture.receipt(second)
    assert capture.receipt(third)["complete"]
    assert capture.receipt(str(made[0].trace_id))["state"] == "pending"


def test_a_root_without_room_is_not_recorded_nor_are_its_children(capture: TraceCapture, receiver: Receiver) -> None:
    made = roots(capture, 64)
    with capture.agent("no room") as root, capture.tool("child") as child:
        root.input("x")
        child.output("y")
    assert root.trace_id is None
    assert child.trace_id is None
    assert not root.is_recorded
    assert capture.failed_exports == 2
    assert capture.seal(str(made[0].trace_id))["complete"]
    with capture.agent("room again") as root:
        pass
    assert root.trace_id is not None
    assert capture.close()
    assert "no room" not in {span["name"] for span in receiver.spans.values()}


@pytest.mark.parametrize("state", ["pending", "unknown", "active", "dropped", "failed"])
def test_what_is_not_settled_is_never_evicted(state: str, capture: TraceCapture, receiver: Receiver) -> None:
    keeper = capture.agent("keeper")
    keeper.start()
    trace = capture.traces.get(str(keeper.trace_id))
    assert trace is not None
    if state != "active":
        keeper.end()
    if state in ("unknown", "failed"):
        receiver.faults.append(servers.cut if state == "unknown" else servers.refusing(422, "invalid_request"))
        assert not capture.flush()
    if state == "dropped":
        capture.traces.lose(trace)
    assert capture.receipt(trace.trace_id)["state"] == state
    others = roots(capture, 63)
    for other in others:
        assert capture.seal(str(other.trace_id))["complete"]
    for _ in range(70):
        with capture.agent("next") as root:
            pass
        assert capture.seal(str(root.trace_id))["complete"]
    assert capture.receipt(trace.trace_id)["state"] == state


def test_late_activity_of_an_evicted_trace_is_rejected(capture: TraceCapture, receiver: Receiver) -> None:
    with capture.agent("evicted") as root:
        late = capture.carry(lambda: capture.tool("late").__enter__())
    assert capture.seal(str(root.trace_id))["complete"]
    roots(capture, 64)
    with pytest.raises(ValueError, match="made room"):
        capture.receipt(str(root.trace_id))
    span = late()
    span.output("x")
    span.end()
    assert span.trace_id is None
    assert capture.failed_exports == 1
    assert len(capture.traces.all()) == 64
    assert capture.close(timeout=30)
    assert "late" not in {held["name"] for held in receiver.spans.values()}


def test_the_513th_active_span_is_lost_and_its_trace_not_sealed(capture: TraceCapture) -> None:
    with capture.agent("root") as root:
        spans = [capture.tool("t") for _ in range(512)]
        for span in spans:
            span.start()
        assert [span.is_recorded for span in spans] == [True] * 511 + [False]
        with capture.tool("another") as more:
            assert more.trace_id is None
        for span in spans:
            span.end()
    receipt = capture.seal(str(root.trace_id))
    assert (receipt["state"], receipt["dropped_spans"], receipt["complete"]) == ("dropped", 2, False)
    assert capture.failed_exports == 2
    assert not capture.close()
    with capture.agent("other") as other:
        pass
    assert capture.seal(str(other.trace_id))["complete"]


def test_ten_thousand_spans_without_a_server_stay_within_16_mib(
    capture: TraceCapture, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.faults.extend([servers.cut] * 20)
    with capture.agent("root") as root:
        for number in range(10_000):
            with capture.tool("t") as span:
                span.output("x" * 4000)
            if number % 2500 == 0:
                assert not capture.flush()
    assert capture.traces.pending_bytes <= 16 * 1024 * 1024
    receipt = capture.receipt(str(root.trace_id))
    assert receipt["state"] == "dropped"
    assert receipt["recorded_spans"] + receipt["dropped_spans"] == 10_001
    assert receipt["dropped_spans"] == capture.failed_exports > 5000
    receiver.faults.clear()
    assert capture.flush(timeout=60)
    assert capture.traces.pending_bytes == 0
    receipt = capture.seal(str(root.trace_id))
    assert receipt["accepted_spans"] == receipt["recorded_spans"] == len(receiver.spans)
    assert (receipt["state"], receipt["complete"]) == ("dropped", False)
    assert not receiver.of("/seals")
    with capture.agent("after") as root:
        pass
    assert capture.seal(str(root.trace_id))["complete"]
