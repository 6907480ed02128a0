# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="TraceLimits")


@_attrs_define
class TraceLimits:
    """
    Attributes:
        span_bytes (int): Bytes of a span, written as for its content digest.
        batch_bytes (int): Bytes of a request's body, unpacked.
        batch_spans (int):
        trace_spans (int):
        requests_per_minute (int):
    """

    span_bytes: int
    batch_bytes: int
    batch_spans: int
    trace_spans: int
    requests_per_minute: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        span_bytes = self.span_bytes

        batch_bytes = self.batch_bytes

        batch_spans = self.batch_spans

        trace_spans = self.trace_spans

        requests_per_minute = self.requests_per_minute

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "span_bytes": span_bytes,
                "batch_bytes": batch_bytes,
                "batch_spans": batch_spans,
                "trace_spans": trace_spans,
                "requests_per_minute": requests_per_minute,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        span_bytes = d.pop("span_bytes")

        batch_bytes = d.pop("batch_bytes")

        batch_spans = d.pop("batch_spans")

        trace_spans = d.pop("trace_spans")

        requests_per_minute = d.pop("requests_per_minute")

        trace_limits = cls(
            span_bytes=span_bytes,
            batch_bytes=batch_bytes,
            batch_spans=batch_spans,
            trace_spans=trace_spans,
            requests_per_minute=requests_per_minute,
        )

        trace_limits.additional_properties = d
        return trace_limits

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
