# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.span_coverage_value import SpanCoverageValue
from ..models.span_origin_value import SpanOriginValue
from ..models.span_status_value import SpanStatusValue
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.span_tokens import SpanTokens
    from ..models.trace_span_attributes import TraceSpanAttributes


T = TypeVar("T", bound="TraceSpan")


@_attrs_define
class TraceSpan:
    """One finished piece of work. Named in its connection by `trace_id` and `span_id`.

    Attributes:
        trace_id (str):
        span_id (str):
        parent_span_id (None | str): Null for the root.
        name (None | str):
        kind (str): `agent`, `model`, `tool`, `retrieval`, `embedding`, `chain` or `unknown`; others are kept as they
            are.
        status (SpanStatusValue):
        start_unix_nano (int):
        end_unix_nano (int | None): Null for what never ended.
        tokens (SpanTokens | Unset): Counters as the source reports them. They enter neither cost nor ledger.
        cost_usd (str | Unset): An exact decimal amount of USD.
        attributes (TraceSpanAttributes | Unset):
        input_ (Any | Unset): Content: any JSON value but null.
        output (Any | Unset): Content: any JSON value but null.
        error (Any | Unset): Content: any JSON value but null.
        origin (SpanOriginValue | Unset): What recorded it.
        coverage (SpanCoverageValue | Unset): `observed`: seen from outside, which proves nothing about what was not
            seen.
    """

    trace_id: str
    span_id: str
    parent_span_id: None | str
    name: None | str
    kind: str
    status: SpanStatusValue
    start_unix_nano: int
    end_unix_nano: int | None
    tokens: SpanTokens | Unset = UNSET
    cost_usd: str | Unset = UNSET
    attributes: TraceSpanAttributes | Unset = UNSET
    input_: Any | Unset = UNSET
    output: Any | Unset = UNSET
    error: Any | Unset = UNSET
    origin: SpanOriginValue | Unset = UNSET
    coverage: SpanCoverageValue | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        trace_id = self.trace_id

        span_id = self.span_id

        parent_span_id: None | str
        parent_span_id = self.parent_span_id

        name: None | str
        name = self.name

        kind = self.kind

        status = self.status.value

        start_unix_nano = self.start_unix_nano

        end_unix_nano: int | None
        end_unix_nano = self.end_unix_nano

        tokens: dict[str, Any] | Unset = UNSET
        if not isinstance(self.tokens, Unset):
            tokens = self.tokens.to_dict()

        cost_usd = self.cost_usd

        attributes: dict[str, Any] | Unset = UNSET
        if not isinstance(self.attributes, Unset):
            attributes = self.attributes.to_dict()

        input_ = self.input_

        output = self.output

        error = self.error

        origin: str | Unset = UNSET
        if not isinstance(self.origin, Unset):
            origin = self.origin.value

        coverage: str | Unset = UNSET
        if not isinstance(self.coverage, Unset):
            coverage = self.coverage.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "trace_id": trace_id,
                "span_id": span_id,
                "parent_span_id": parent_span_id,
                "name": name,
                "kind": kind,
                "status": status,
                "start_unix_nano": start_unix_nano,
                "end_unix_nano": end_unix_nano,
            }
        )
        if tokens is not UNSET:
            field_dict["tokens"] = tokens
        if cost_usd is not UNSET:
            field_dict["cost_usd"] = cost_usd
        if attributes is not UNSET:
            field_dict["attributes"] = attributes
        if input_ is not UNSET:
            field_dict["input"] = input_
        if output is not UNSET:
            field_dict["output"] = output
        if error is not UNSET:
            field_dict["error"] = error
        if origin is not UNSET:
            field_dict["origin"] = origin
        if coverage is not UNSET:
            field_dict["coverage"] = coverage

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.span_tokens import SpanTokens  # noqa: PLC0415
        from ..models.trace_span_attributes import TraceSpanAttributes  # noqa: PLC0415

        d = dict(src_dict)
        trace_id = d.pop("trace_id")

        span_id = d.pop("span_id")

        def _parse_parent_span_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        parent_span_id = _parse_parent_span_id(d.pop("parent_span_id"))

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        kind = d.pop("kind")

        status = SpanStatusValue(d.pop("status"))

        start_unix_nano = d.pop("start_unix_nano")

        def _parse_end_unix_nano(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        end_unix_nano = _parse_end_unix_nano(d.pop("end_unix_nano"))

        _tokens = d.pop("tokens", UNSET)
        tokens: SpanTokens | Unset
        if isinstance(_tokens, Unset):
            tokens = UNSET
        else:
            tokens = SpanTokens.from_dict(_tokens)

        cost_usd = d.pop("cost_usd", UNSET)

        _attributes = d.pop("attributes", UNSET)
        attributes: TraceSpanAttributes | Unset
        if isinstance(_attributes, Unset):
            attributes = UNSET
        else:
            attributes = TraceSpanAttributes.from_dict(_attributes)

        input_ = d.pop("input", UNSET)

        output = d.pop("output", UNSET)

        error = d.pop("error", UNSET)

        _origin = d.pop("origin", UNSET)
        origin: SpanOriginValue | Unset
        if isinstance(_origin, Unset):
            origin = UNSET
        else:
            origin = SpanOriginValue(_origin)

        _coverage = d.pop("coverage", UNSET)
        coverage: SpanCoverageValue | Unset
        if isinstance(_coverage, Unset):
            coverage = UNSET
        else:
            coverage = SpanCoverageValue(_coverage)

        trace_span = cls(
            trace_id=trace_id,
            span_id=span_id,
            parent_span_id=parent_span_id,
            name=name,
            kind=kind,
            status=status,
            start_unix_nano=start_unix_nano,
            end_unix_nano=end_unix_nano,
            tokens=tokens,
            cost_usd=cost_usd,
            attributes=attributes,
            input_=input_,
            output=output,
            error=error,
            origin=origin,
            coverage=coverage,
        )

        return trace_span
