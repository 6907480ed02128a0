"""Traces are found by time, name and status, and read as trees."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from evalrouter_server.traces.tree import Node, in_tree_order
from hypothesis import given
from hypothesis import strategies as st

from evalrouter import EvalRouter
from tests.server.conftest import Workspace
from tests.traces.sender import START, Sender, span

START_TIME = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=START // 1000)


def test_a_tree_comes_in_order_whatever_order_it_arrived_in(workspace: Workspace, sender: Sender) -> None:
    spans = [span(1), span(2, 1), span(3, 2), span(4, 2), span(5, 1), span(9, 8)]
    shuffled = spans.copy()
    Random(3).shuffle(shuffled)
    for number, each in enumerate(shuffled):
        taken = sender.take(f"b{number}", each)
    trace_id = taken["traces"][0]["server_trace_id"]
    found: list[dict[str, Any]] = []
    cursor = None
    while cursor or not found:
        page = workspace.client.get(
            f"/v1/traces/{trace_id}/spans", params={"limit": 2, "cursor": cursor} if cursor else {"limit": 2}
        ).json()
        found += page["items"]
        cursor = page["next_cursor"]
    assert [(int(each["span_id"], 16), each["depth"]) for each in found] == [
        (1, 0), (2, 1), (3, 2), (4, 2), (5, 1), (9, 0),
    ]  # fmt: skip
    assert [each["parent_missing"] for each in found] == [False] * 5 + [True]


@given(st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 12), st.integers(0, 3)), max_size=10))
def test_every_span_comes_once_and_after_its_parent(given: list[tuple[int, int | None, int]]) -> None:
    nodes = {f"{own}": Node(f"{own}", None if parent is None else f"{parent}", start) for own, parent, start in given}
    placed = in_tree_order(nodes.values())
    assert sorted(place.span_id for place in placed) == sorted(nodes)
    depths: dict[str, int] = {}
    for place in placed:
        parent = nodes[place.span_id].parent_span_id
        if place.depth:
            assert depths[str(parent)] == place.depth - 1
        else:
            assert place.parent_missing == (parent is not None)
        depths[place.span_id] = place.depth


def test_the_root_gives_name_and_status_and_unset_is_never_ok(workspace: Workspace, sender: Sender) -> None:
    def trace() -> dict[str, Any]:
        (found,) = workspace.client.get("/v1/traces").json()["items"]
        return dict(found)

    sender.take("b1", span(2, 1, status="ok", name="inner"))
    assert (trace()["name"], trace()["status"]) == ("inner", "ok"), "until the root has come, the first fragment"
    sender.take("b2", span(1, status="unset", name="Root"))
    assert (trace()["name"], trace()["status"]) == ("Root", "unset")
    sender.take("b3", span(3, status="ok"))
    assert trace()["status"] == "unset", "a second root does not make it success"
    sender.take("b4", span(4, 1, status="error"))
    assert (trace()["status"], trace()["error_span_count"], trace()["span_count"]) == ("unset", 1, 4)


def test_tokens_are_summed_on_model_and_embedding_spans_only(workspace: Workspace, sender: Sender) -> None:
    usage = {"input": 22, "output": 4}
    sender.take(
        "b1",
        span(1, tokens=usage, cost_usd="0.000001"),
        span(2, 1, kind="model", tokens=usage, cost_usd="0.0000005"),
        span(3, 1, kind="embedding", tokens={"input": 1}),
    )
    (trace,) = workspace.client.get("/v1/traces").json()["items"]
    assert (trace["tokens"]["input"], trace["tokens"]["output"], trace["tokens"]["reasoning"]) == (23, 4, None)
    assert trace["cost_usd"] == "0.0000015"


def test_search_and_deletion_by_the_sdk(workspace: Workspace, sender: Sender) -> None:
    for number, (name, status) in enumerate([("Support assistant", "ok"), ("100%_sure", "error"), ("other", "unset")]):
        own: dict[str, Any] = {"trace_id": f"{number + 1:032x}", "start_unix_nano": START + number * 60_000_000_000}
        sender.take(f"b{number}", span(1, name=name, status=status, **own))
    with EvalRouter(workspace.secret, workspace.service.endpoint.base_url) as client:

        def names(**wanted: Any) -> list[str | None]:
            return [trace.name for trace in client.traces.list(**wanted)]

        assert names() == ["other", "100%_sure", "Support assistant"]
        assert names(name="ASSIST") == ["Support assistant"]
        assert names(name="%_") == ["100%_sure"]
        assert names(status="error") == ["100%_sure"]
        assert names(connection_id=sender.id, limit=1) == ["other"]
        later = START_TIME + timedelta(seconds=60)
        assert names(started_from=later) == ["other", "100%_sure"]
        assert names(started_before=later) == ["Support assistant"]
        assert len(names(started_before=datetime(4374, 1, 1, tzinfo=UTC))) == 3
        assert names(started_before=datetime(1, 1, 1, tzinfo=UTC)) == []
        first = client.traces.list(name="support").first()
        assert first is not None
        assert client.traces.get(first.id) == first
        assert [each.name for each in client.traces.spans(first.id)] == ["Support assistant"]
        client.traces.delete(first.id)
        assert names(name="support") == []
    sent: dict[str, Any] = {"trace_id": f"{1:032x}", "start_unix_nano": START}
    again = sender.take("b0", span(1, name="Support assistant", status="ok", **sent))
    assert (again["replayed"], again["traces"]) == (True, []), "a batch that was taken does not bring it back"
