# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="TraceSeal")


@_attrs_define
class TraceSeal:
    """
    Attributes:
        trace_id (str):
        span_count (int):
        digest (str):
    """

    trace_id: str
    span_count: int
    digest: str

    def to_dict(self) -> dict[str, Any]:
        trace_id = self.trace_id

        span_count = self.span_count

        digest = self.digest

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "trace_id": trace_id,
                "span_count": span_count,
                "digest": digest,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        trace_id = d.pop("trace_id")

        span_count = d.pop("span_count")

        digest = d.pop("digest")

        trace_seal = cls(
            trace_id=trace_id,
            span_count=span_count,
            digest=digest,
        )

        return trace_seal
