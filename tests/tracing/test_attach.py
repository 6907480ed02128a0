"""Listening to an application's own provider: metadata by closed tables, and nothing that anyone wrote."""

import os
from typing import Any

import pytest
from opentelemetry import trace as api
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode

from evalrouter.tracing import TraceCapture
from evalrouter.tracing.source_kinds import COUNTERS, KINDS, kind_of, tokens_of
from tests.tracing.conftest import Make
from tests.tracing.receiver import Receiver

SCOPE = "your.instrumentation"
NAMES = (SCOPE,)


@pytest.fixture
def provider() -> TracerProvider:
    """The application's provider."""
    return TracerProvider(shutdown_on_exit=False, resource=Resource({"host.name": "unique-4711"}))


def chat(provider: TracerProvider, attributes: dict[str, Any] | None = None, *, scope: str = SCOPE) -> Any:
    """A span of a model's call, started."""
    return provider.get_tracer(scope).start_as_current_span(
        "unique-4711", attributes={"gen_ai.operation.name": "chat", **(attributes or {})}
    )


@pytest.mark.parametrize(
    ("attribute", "value", "kind"),
    [(name, value, kind) for name, kinds in KINDS.items() for value, kind in kinds.items()],
)
def test_every_kind_of_the_tables(attribute: str, value: str, kind: str) -> None:
    assert kind_of({attribute: value}) == (kind, value)


def test_the_tables_are_whole() -> None:
    assert {name: len(kinds) for name, kinds in KINDS.items()} == {
        "openinference.span.kind": 10,
        "gen_ai.operation.name": 12,
        "traceloop.span.kind": 4,
        "langsmith.span.kind": 7,
    }
    assert len(COUNTERS) == 20


@pytest.mark.parametrize("attribute", COUNTERS)
def test_every_counter_of_the_tables_on_model_and_embedding_kinds_only(attribute: str) -> None:
    for kind in ("model", "embedding"):
        assert tokens_of(kind, {attribute: 7}) == {COUNTERS[attribute]: 7}
    for kind in ("agent", "tool", "retrieval", "chain"):
        assert tokens_of(kind, {attribute: 7}) == {}


@pytest.mark.parametrize("value", [True, -1, 2**53, 2**70, 1.5, float("nan"), "7", None, {"a": 1}, [7]])
def test_a_counter_of_another_type_or_size_is_left_out(value: Any) -> None:
    assert tokens_of("model", {"gen_ai.usage.input_tokens": value}) == {}


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"gen_ai.operation.name": "something_new"},
        {"gen_ai.operation.name": 7},
        {"gen_ai.operation.name": "chat", "openinference.span.kind": "TOOL"},
        {"gen_ai.operation.name": "chat", "traceloop.span.kind": "nonsense"},
    ],
)
def test_unknown_and_conflicting_kinds_are_counted_and_block_the_seal(
    attributes: dict[str, Any], make: Make, provider: TracerProvider, receiver: Receiver
) -> None:
    capture = make()
    attachment = capture.attach(provider, NAMES)
    with chat(provider), provider.get_tracer(SCOPE).start_as_current_span("x", attributes=attributes):
        pass
    assert attachment.unsupported_spans == 1
    (trace_id,) = attachment.trace_ids
    receipt = capture.seal(trace_id)
    assert (receipt["state"], receipt["complete"], receipt["unsupported_spans"]) == ("dropped", False, 1)
    assert not receiver.of("/seals")
    assert not capture.close()


def test_kinds_that_agree_are_one_kind(capture: TraceCapture, provider: TracerProvider) -> None:
    attachment = capture.attach(provider, NAMES)
    with chat(provider, {"openinference.span.kind": "LLM"}):
        pass
    assert attachment.unsupported_spans == 0
    assert capture.close()


def test_only_metadata_is_exported_even_when_content_is_captured(
    make: Make, provider: TracerProvider, receiver: Receiver
) -> None:
    capture = make(capture_content=True)
    attachment = capture.attach(provider, NAMES)
    tracer = provider.get_tracer(SCOPE, attributes={"scope": "unique-4711"})
    with tracer.start_as_current_span(
        "unique-4711",
        kind=SpanKind.CLIENT,
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.prompt": "unique-4711"},
    ) as root:
        root.add_event("unique-4711", {"a": "unique-4711"})
        with chat(provider, {"gen_ai.usage.input_tokens": 22, "gen_ai.completion": "unique-4711"}) as span:
            span.set_status(StatusCode.OK)
        with tracer.start_as_current_span("t", attributes={"gen_ai.operation.name": "execute_tool"}) as tool:
            tool.set_attribute("gen_ai.tool.call.arguments", "unique-4711")
        root.record_exception(RuntimeError("unique-4711"))
        root.set_status(StatusCode.ERROR, "unique-4711")
    (trace_id,) = attachment.trace_ids
    assert capture.seal(trace_id)["complete"]
    assert b"unique-4711" not in b"".join(request.raw for request in receiver.requests)
    by_kind = {span["kind"]: span for span in receiver.spans.values()}
    agent, model, tool_span = by_kind["agent"], by_kind["model"], by_kind["tool"]
    context = root.get_span_context()
    assert trace_id == agent["trace_id"] == format(context.trace_id, "032x")
    assert agent["span_id"] == model["parent_span_id"] == tool_span["parent_span_id"] == format(context.span_id, "016x")
    assert agent["attributes"] == {
        "evalrouter.otel.kind": "client",
        "evalrouter.otel.operation": "invoke_agent",
        "evalrouter.otel.status": "error",
    }
    assert (agent["status"], model["status"], tool_span["status"]) == ("error", "ok", "ok")
    assert model["attributes"]["evalrouter.otel.status"] == "ok"
    assert tool_span["attributes"]["evalrouter.otel.status"] == "unset"
    assert model["tokens"] == {"input": 22}
    assert {"error", "input", "output", "cost_usd"}.isdisjoint({*agent, *model, *tool_span})


def test_tokens_are_not_doubled_by_agents_that_repeat_them(
    capture: TraceCapture, provider: TracerProvider, receiver: Receiver
) -> None:
    capture.attach(provider, NAMES)
    tracer = provider.get_tracer(SCOPE)
    totals: dict[str, Any] = {"gen_ai.usage.input_tokens": 22, "gen_ai.usage.prompt_tokens": 22}
    agent = {"gen_ai.operation.name": "invoke_agent", **totals}
    with tracer.start_as_current_span("a", attributes=agent), chat(provider, totals):
        pass
    assert capture.close()
    assert sum(span.get("tokens", {}).get("input", 0) for span in receiver.spans.values()) == 22


def test_only_the_named_scopes_are_heard(capture: TraceCapture, provider: TracerProvider, receiver: Receiver) -> None:
    attachment = capture.attach(provider, NAMES)
    with chat(provider, scope="other"), chat(provider), chat(provider, scope="other"):
        pass
    assert capture.close()
    assert len(receiver.spans) == 1
    assert len(attachment.trace_ids) == 1


def test_a_second_attach_delivers_nothing_twice_and_adds_scopes(
    capture: TraceCapture, provider: TracerProvider, receiver: Receiver
) -> None:
    first = capture.attach(provider, NAMES)
    assert capture.attach(provider, NAMES) is first
    assert capture.attach(provider, ("second",)) is first
    assert first.scope_names == {SCOPE, "second"}
    with chat(provider), chat(provider, scope="second"):
        pass
    assert capture.receipt(first.trace_ids[0])["recorded_spans"] == 2
    assert capture.close()


def test_closing_an_attachment_detaches_and_attaching_again_hears_again(
    capture: TraceCapture, provider: TracerProvider
) -> None:
    attachment = capture.attach(provider, NAMES)
    attachment.close()
    with chat(provider):
        pass
    assert attachment.trace_ids == ()
    assert not attachment.is_open
    assert capture.attach(provider, NAMES) is attachment
    with chat(provider):
        pass
    assert len(attachment.trace_ids) == 1
    assert capture.receipt(attachment.trace_ids[0])["recorded_spans"] == 1


def test_a_late_attach_takes_spans_that_were_under_way(
    capture: TraceCapture, provider: TracerProvider, receiver: Receiver
) -> None:
    with chat(provider):
        attachment = capture.attach(provider, NAMES)
        with chat(provider):
            pass
    assert capture.seal(attachment.trace_ids[0])["complete"]
    assert len(receiver.spans) == 2


def test_a_root_that_ends_first_keeps_the_trace_active_until_its_children_end(
    capture: TraceCapture, provider: TracerProvider
) -> None:
    attachment = capture.attach(provider, NAMES)
    tracer = provider.get_tracer(SCOPE)
    attributes = {"gen_ai.operation.name": "chain"}
    root = tracer.start_span("root", attributes=attributes)
    child = tracer.start_span("child", context=api.set_span_in_context(root), attributes=attributes)
    root.end()
    (trace_id,) = attachment.trace_ids
    assert capture.seal(trace_id)["state"] == "active"
    child.end()
    assert capture.seal(trace_id)["complete"]


def test_unsampled_spans_cannot_be_seen(capture: TraceCapture) -> None:
    provider = TracerProvider(sampler=ALWAYS_OFF, shutdown_on_exit=False)
    attachment = capture.attach(provider, NAMES)
    with chat(provider):
        pass
    assert attachment.trace_ids == ()
    assert capture.close()


@pytest.mark.parametrize("provider", [api.ProxyTracerProvider(), api.NoOpTracerProvider(), None, "provider"])
def test_what_is_no_provider_of_the_sdk_is_refused_by_name(provider: Any, capture: TraceCapture) -> None:
    with pytest.raises(ValueError, match=rf"{type(provider).__name__} has no add_span_processor"):
        capture.attach(provider, NAMES)


@pytest.mark.parametrize("names", ["your.instrumentation", (), ("",), (1,)])
def test_scope_names_are_texts(names: Any, capture: TraceCapture, provider: TracerProvider) -> None:
    with pytest.raises(ValueError, match="scope_names"):
        capture.attach(provider, names)


def test_flush_and_shutdown_of_the_provider_send_nothing_and_stop_nothing(
    capture: TraceCapture, provider: TracerProvider, receiver: Receiver
) -> None:
    attachment = capture.attach(provider, NAMES)
    with chat(provider):
        pass
    assert provider.force_flush()
    provider.shutdown()
    assert receiver.requests == []
    with chat(provider):
        pass
    assert len(attachment.trace_ids) == 2
    assert capture.close()


def test_close_never_stops_the_provider(capture: TraceCapture, provider: TracerProvider) -> None:
    heard: list[str] = []

    class Other(SpanProcessor):
        def on_end(self, span: Any) -> None:
            heard.append(span.name)

        def shutdown(self) -> None:
            heard.append("shutdown")

    capture.attach(provider, NAMES)
    provider.add_span_processor(Other())
    assert capture.close()
    with chat(provider):
        pass
    assert heard == ["unique-4711"]
    with pytest.raises(ValueError, match="closed"):
        capture.attach(provider, NAMES)


def test_it_raises_nothing_into_the_application(
    capture: TraceCapture, provider: TracerProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    attachment = capture.attach(provider, NAMES)

    def broken(*_: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(attachment, "started", broken)
    monkeypatch.setattr(attachment, "ended", broken)
    with chat(provider):
        pass
    assert capture.failed_exports == 2


def test_evicted_traces_are_no_longer_listed_and_late_spans_of_theirs_rejected(
    capture: TraceCapture, provider: TracerProvider
) -> None:
    attachment = capture.attach(provider, NAMES)
    with chat(provider) as root:
        pass
    (evicted,) = attachment.trace_ids
    assert capture.seal(evicted)["complete"]
    for _ in range(64):
        with capture.agent("x"):
            pass
    with api.use_span(root), chat(provider):
        pass
    assert attachment.trace_ids == ()
    assert capture.failed_exports > 0
    assert len(capture.traces.all()) == 64


def test_the_513th_active_span_is_lost_once(capture: TraceCapture, provider: TracerProvider) -> None:
    attachment = capture.attach(provider, NAMES)
    tracer = provider.get_tracer(SCOPE)
    with chat(provider):
        spans = [tracer.start_span("x", attributes={"gen_ai.operation.name": "chain"}) for _ in range(512)]
        for span in spans:
            span.end()
    receipt = capture.receipt(attachment.trace_ids[0])
    assert (receipt["recorded_spans"], receipt["dropped_spans"]) == (512, 1)


def test_the_same_span_ended_in_a_forked_child_is_the_parents(
    capture: TraceCapture, provider: TracerProvider, receiver: Receiver
) -> None:
    attachment = capture.attach(provider, NAMES)
    with chat(provider):
        child = os.fork()
        if child == 0:
            api.get_current_span().end()
            own = capture.attach(provider, NAMES)
            os._exit(0 if own is attachment and own.trace_ids == () and capture.traces.all() == () else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert capture.close()
    assert len(receiver.spans) == 1
