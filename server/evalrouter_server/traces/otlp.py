"""OTLP: requests of OpenTelemetry exporters as spans of the contract, and OTLP's own answers. Pure.

Source: the OpenTelemetry Protocol specification 1 (OTLP/HTTP). In JSON, IDs are hex and not base64.
"""

import base64
import binascii
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from evalrouter_server.traces.otel_mapping import METADATA, content_of, kind_of, tokens_of

JSON = "application/json"
PROTOBUF = "application/x-protobuf"

LONGEST_NAME = 500
MOST_ATTRIBUTES = 128

STATUSES: Mapping[int, str] = {1: "ok", 2: "error"}

RPC_CODES: Mapping[int, int] = {401: 16, 403: 7, 404: 5, 409: 6, 413: 8, 429: 8, 503: 14}
"""HTTP statuses as codes of `google.rpc`; others are 3, an invalid argument."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What a request brings.

    Attributes:
        spans: Its spans, each a `TraceSpan` of the contract as a JSON value.
        rejected: Spans that cannot be taken.
        reason: Why the first of them cannot.
    """

    spans: list[dict[str, Any]]
    rejected: int
    reason: str


def unpack(body: bytes, encoding: str, limit: int) -> bytes | None:
    """A request's body without its compression.

    Args:
        body: As it was sent.
        encoding: `gzip`, or `identity` or nothing.
        limit: The most bytes that may come out.

    Returns:
        The bytes; None where there are more.

    Raises:
        ValueError: It is not so compressed.
    """
    if encoding in ("", "identity"):
        return body if len(body) <= limit else None
    if encoding != "gzip":
        raise ValueError(f"Content-Encoding {encoding!r} is not known: send gzip, or leave it out")
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        unpacked = stream.decompress(body, limit + 1)
    except zlib.error:
        raise ValueError("the body is no gzip stream") from None
    if len(unpacked) > limit:
        return None
    if not stream.eof or stream.unused_data:
        raise ValueError("the body is no whole gzip stream")
    return unpacked


def read_request(body: bytes, media_type: str) -> ExportTraceServiceRequest:
    """Decode a request.

    Args:
        body: Without compression.
        media_type: `JSON` or `PROTOBUF`.

    Raises:
        ValueError: It is no such request.
    """
    request = ExportTraceServiceRequest()
    try:
        if media_type == JSON:
            document = json.loads(body)
            if not isinstance(document, dict):
                raise ValueError("the body is no JSON object")
            _ids_to_base64(document)
            json_format.ParseDict(document, request, ignore_unknown_fields=True)
        else:
            request.ParseFromString(body)
    except (DecodeError, json_format.ParseError, RecursionError, UnicodeDecodeError):
        raise ValueError("the body is no ExportTraceServiceRequest") from None
    return request


def exported(request: ExportTraceServiceRequest, *, stores_content: bool) -> Exported:
    """The spans of a request.

    Args:
        request: The request.
        stores_content: Whether content is kept; else all attributes but those known to be metadata are left out.
    """
    spans: list[dict[str, Any]] = []
    rejected, reason = 0, ""
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                wrong = _what_is_wrong(span)
                if wrong:
                    rejected, reason = rejected + 1, reason or wrong
                else:
                    spans.append(_converted(span, stores_content))
    return Exported(spans, rejected, reason)


def success(media_type: str, rejected: int = 0, reason: str = "") -> bytes:
    """The answer to a request.

    Args:
        media_type: The request's.
        rejected: Spans that were not taken.
        reason: Why.
    """
    response = ExportTraceServiceResponse()
    if rejected:
        response.partial_success.rejected_spans = rejected
        response.partial_success.error_message = reason
    if media_type == JSON:
        return bytes(json_format.MessageToJson(response, indent=None), "utf-8")
    return bytes(response.SerializeToString())


def failure(media_type: str, http_status: int, message: str) -> bytes:
    """A `google.rpc.Status`.

    Args:
        media_type: The request's.
        http_status: The HTTP status that it comes with.
        message: For a human reader.
    """
    code = RPC_CODES.get(http_status, 3)
    if media_type == JSON:
        return json.dumps({"code": code, "message": message}).encode()
    text = message.encode()
    return b"\x08" + _varint(code) + b"\x12" + _varint(len(text)) + text


def _what_is_wrong(span: Span) -> str:
    if len(span.trace_id) != 16 or not any(span.trace_id):
        return "a trace ID has 16 bytes that are not all zero"
    if len(span.span_id) != 8 or not any(span.span_id):
        return "a span ID has 8 bytes that are not all zero"
    if span.parent_span_id and (len(span.parent_span_id) != 8 or not any(span.parent_span_id)):
        return "a parent's span ID has 8 bytes that are not all zero, or is left out"
    if max(span.start_time_unix_nano, span.end_time_unix_nano) > 2**63 - 1:
        return "a time is after the year 2262"
    return ""


def _converted(span: Span, stores_content: bool) -> dict[str, Any]:
    attributes = dict(_pairs(span.attributes))
    kept = attributes if stores_content else {name: attributes[name] for name in attributes if name in METADATA}
    converted: dict[str, Any] = {
        "trace_id": span.trace_id.hex(),
        "span_id": span.span_id.hex(),
        "parent_span_id": span.parent_span_id.hex() or None,
        "name": span.name[:LONGEST_NAME] or None,
        "kind": kind_of(attributes),
        "status": STATUSES.get(span.status.code, "unset"),
        "start_unix_nano": span.start_time_unix_nano,
        "end_unix_nano": span.end_time_unix_nano or None,
        "origin": "otlp",
        "coverage": "observed",
        "tokens": tokens_of(attributes),
        "attributes": dict(list(kept.items())[:MOST_ATTRIBUTES]),
    }
    if stores_content:
        converted |= content_of(attributes)
        error = list(_errors(span))
        if error:
            converted["error"] = error
    return converted


def _errors(span: Span) -> Iterator[dict[str, Any]]:
    if span.status.message:
        yield {"message": span.status.message}
    for event in span.events:
        if event.name == "exception":
            yield {name.removeprefix("exception."): value for name, value in _pairs(event.attributes)}


def _pairs(attributes: Sequence[KeyValue]) -> Iterator[tuple[str, Any]]:
    for pair in attributes:
        yield pair.key, _value(pair.value)


def _value(value: AnyValue) -> Any:
    match value.WhichOneof("value"):
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "int_value":
            return value.int_value
        case "double_value":
            number = value.double_value
            return number if math.isfinite(number) else str(number)
        case "array_value":
            return [_value(item) for item in value.array_value.values]
        case "kvlist_value":
            return dict(_pairs(value.kvlist_value.values))
        case "bytes_value":
            return base64.b64encode(value.bytes_value).decode("ascii")
    return None


def _ids_to_base64(document: dict[str, Any]) -> None:
    """Turn the hex IDs of OTLP's JSON into the base64 that protobuf's JSON has for bytes.

    Raises:
        ValueError: An ID is not hex, or the document has another shape.
    """
    for resource in _objects(document, "resourceSpans", "resource_spans"):
        for scope in _objects(resource, "scopeSpans", "scope_spans"):
            for span in _objects(scope, "spans", "spans"):
                for holder in (span, *_objects(span, "links", "links")):
                    for name in ("traceId", "spanId", "parentSpanId", "trace_id", "span_id", "parent_span_id"):
                        if holder.get(name):
                            holder[name] = _base64_of_hex(holder[name])


def _objects(holder: dict[str, Any], *names: str) -> list[dict[str, Any]]:
    found: Any = next((holder[name] for name in names if holder.get(name)), [])
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise ValueError(f"{names[0]} is no list of objects")
    return found


def _base64_of_hex(value: Any) -> str:
    try:
        return base64.b64encode(binascii.unhexlify(value)).decode("ascii")
    except (binascii.Error, ValueError, TypeError):
        raise ValueError("an ID is not in hex") from None


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
