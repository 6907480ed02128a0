"""Any OpenTelemetry exporter can send: protobuf or JSON, packed or not, with OTLP's own answers."""

import gzip
import json
from typing import Any

import httpx
import pytest
from evalrouter_server.traces import otel_mapping
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest as Request
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse as Answer

from evalrouter.tracing import source_kinds
from tests.server.conftest import Workspace
from tests.traces.conftest import open_sender
from tests.traces.sender import START, TRACE, Sender

PROTOBUF = "application/x-protobuf"


def document(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "s"}, "spans": list(spans)}]}]}


def span(number: int, parent: int | None = None, status: int = 0, **attributes: Any) -> dict[str, Any]:
    kinds = {str: "stringValue", int: "intValue", bool: "boolValue", float: "doubleValue"}
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        **({} if parent is None else {"parentSpanId": f"{parent:016x}"}),
        "name": f"step {number}",
        "startTimeUnixNano": str(START + number),
        "endTimeUnixNano": str(START + number + 1_000_000),
        "status": {"code": status},
        "attributes": [
            {"key": name.replace("__", "."), "value": {kinds[type(value)]: value}} for name, value in attributes.items()
        ],
    }


def post(sender: Sender, body: bytes, media_type: str = "application/json", **headers: str) -> httpx.Response:
    return sender.client.post(
        f"{sender.path}/otlp/v1/traces", content=body, headers={"Content-Type": media_type, **headers}
    )


def as_protobuf(*spans: dict[str, Any]) -> bytes:
    request = Request()
    for given in spans:
        made = request.resource_spans.add().scope_spans.add().spans.add()
        made.trace_id, made.span_id = bytes.fromhex(given["traceId"]), bytes.fromhex(given["spanId"])
        made.parent_span_id = bytes.fromhex(given.get("parentSpanId", ""))
        made.name, made.status.code = given["name"], given["status"]["code"]
        made.start_time_unix_nano = int(given["startTimeUnixNano"])
        made.end_time_unix_nano = int(given["endTimeUnixNano"])
    return bytes(request.SerializeToString())


def tree(workspace: Workspace) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    (trace,) = workspace.client.get("/v1/traces").json()["items"]
    return trace, workspace.client.get(f"/v1/traces/{trace['id']}/spans").json()["items"]


def test_an_export_in_json_shows_up_in_the_tree(workspace: Workspace, sender: Sender) -> None:
    usage = {"gen_ai__usage__input_tokens": 22, "gen_ai__usage__output_tokens": 4}
    spans = (
        span(1, gen_ai__operation__name="invoke_agent", **usage),
        span(2, 1, status=2, gen_ai__operation__name="chat", **usage, input__value="hello"),
        span(3, 1, status=1, gen_ai__operation__name="execute_tool"),
        span(4, 1, gen_ai__operation__name="chat", openinference__span__kind="TOOL"),
    )
    body = json.dumps(document(*spans)).encode()
    answer = post(sender, body)
    assert (answer.status_code, answer.json()) == (200, {}), answer.text
    trace, found = tree(workspace)
    assert [(each["kind"], each["status"], each["depth"]) for each in found] == [
        ("agent", "unset", 0),
        ("model", "error", 1),
        ("tool", "ok", 1),
        ("unknown", "unset", 1),
    ]
    assert (trace["tokens"]["input"], trace["tokens"]["output"]) == (22, 4), "an agent's totals are not summed up"
    assert (trace["status"], trace["coverage"], trace["origins"]) == ("unset", "observed", ["otlp"])
    assert found[1]["input"] == "hello"
    assert post(sender, body).json() == {}, "the same again"
    receipt = sender.client.get(f"{sender.path}/receipts/{TRACE}").json()
    assert (receipt["span_count"], receipt["server_trace_id"]) == (4, trace["id"])


@pytest.mark.parametrize("pack", [False, True])
def test_an_export_in_protobuf_packed_or_not(workspace: Workspace, sender: Sender, pack: bool) -> None:
    body = as_protobuf(span(1), span(2, 1))
    answer = post(
        sender, gzip.compress(body) if pack else body, PROTOBUF, **({"Content-Encoding": "gzip"} if pack else {})
    )
    assert (answer.status_code, answer.headers["content-type"]) == (200, PROTOBUF)
    assert not Answer.FromString(answer.content).HasField("partial_success")
    assert tree(workspace)[0]["span_count"] == 2


def test_what_cannot_be_taken_is_counted_in_partial_success(sender: Sender) -> None:
    bad = span(2) | {"traceId": "0" * 32}
    answer = post(sender, json.dumps(document(span(1), bad)).encode())
    assert answer.status_code == 200
    assert answer.json()["partialSuccess"]["rejectedSpans"] == "1"
    assert "trace ID" in answer.json()["partialSuccess"]["errorMessage"]
    other = Answer.FromString(post(sender, as_protobuf(span(1) | {"name": "other"}), PROTOBUF).content)
    assert other.partial_success.rejected_spans == 1


def test_without_content_only_known_metadata_is_kept(workspace: Workspace) -> None:
    with open_sender(workspace, stores_content=False) as sender:
        private = span(1, gen_ai__request__model="m", input__value="secret words", my__note="secret words")
        private["status"]["message"] = "secret words"
        assert post(sender, json.dumps(document(private)).encode()).status_code == 200
    _, (found,) = tree(workspace)
    assert found["attributes"] == {"gen_ai.request.model": "m"}
    assert "secret words" not in json.dumps(found)


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"no protobuf", {"Content-Type": PROTOBUF}, 400),
        (b"[]", {"Content-Type": "application/json"}, 400),
        (b"{", {"Content-Type": "application/json"}, 400),
        (b'{"resourceSpans": 1}', {"Content-Type": "application/json"}, 400),
        (b"{}", {"Content-Type": "text/plain"}, 400),
        (b"{}", {"Content-Type": "application/json", "Content-Encoding": "br"}, 400),
        (b"{}", {"Content-Type": "application/json", "Content-Encoding": "gzip"}, 400),
        (gzip.compress(b" " * 5_000_000), {"Content-Type": "application/json", "Content-Encoding": "gzip"}, 413),
        (b"{}", {"Content-Type": "application/json", "Authorization": "Bearer er_tr_nonsense"}, 401),
    ],
)
def test_refusals_are_otlps_own(sender: Sender, body: bytes, headers: dict[str, str], status: int) -> None:
    answer = sender.client.post(f"{sender.path}/otlp/v1/traces", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    if headers["Content-Type"] == PROTOBUF:
        assert answer.headers["content-type"] == PROTOBUF
        assert answer.content.startswith(b"\x08\x03\x12")
    else:
        assert set(answer.json()) == {"code", "message"}


def test_server_and_sdk_have_the_same_tables() -> None:
    assert otel_mapping.KINDS == source_kinds.KINDS
    assert list(otel_mapping.COUNTERS.items()) == list(source_kinds.COUNTERS.items())
